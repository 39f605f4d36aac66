r"""The sum of clipped contributions, with discrete Gaussian noise: privacy of whole documents or persons.

Each row of contributions (any vector, for example expected counts of topics x words; of a document, or of all
documents of a person, summed) is scaled to a Euclidean norm of at most `clip`, a public constant, and rounded
towards zero on the grid clip / resolution, so its norm stays at most `resolution` steps. The sum gets
discrete Gaussian noise of deviation multiplier * resolution steps (`GaussianVector`). What changes, in steps:

                         rows are documents               rows are persons
    document add/remove  resolution                       2 resolution
    document replace     2 resolution                     4 resolution (it may be of another person)
    person add/remove    max_documents resolution         resolution
    person replace       2 max_documents resolution       2 resolution

Changing a word changes its row, in any way, so it costs as much as a row replaced; so does a document of a
person. Without a public maximum of the documents of a person, rows of documents promise persons nothing.
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds, check_size
from fedtopics.privacy.mechanisms.mechanism import Law, Mechanism
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.cost import Cost, Loss, NoiseSource, Relation
from fedtopics.privacy.price.events import LEAST_SIGMA, GaussianVector, check_number
from fedtopics.privacy.price.release import Release

Unit: TypeAlias = Literal["document", "person"]
REACH = 6  # clips on either side of zero in the law that is listed


@dataclass(frozen=True)
class ClippedSum:
    """Private sum of vectors, one per `unit`, by `multiplier`, `clip`, `resolution` and public `bounds`."""

    multiplier: float
    clip: float = 1.0
    resolution: int = 2**12
    bounds: Bounds = UNBOUNDED
    unit: Unit = "document"

    def __post_init__(self) -> None:
        check_number("noise multiplier", self.multiplier, open_minimum=True)
        check_number("clip", self.clip, open_minimum=True)
        check_size("resolution", self.resolution)
        if self.unit not in get_args(Unit):
            raise InputError(f"unit must be one of {', '.join(get_args(Unit))}, got {quoted(self.unit)}")
        if self.sigma < LEAST_SIGMA:
            raise InputError(
                f"multiplier times resolution must be at least {LEAST_SIGMA:g} steps, got {self.sigma:g}; "
                "use a finer grid"
            )
        exact.dyadic_variance(self.sigma)

    @property
    def sigma(self) -> float:
        """Deviation of the noise in steps; what is drawn is no less."""
        return self.multiplier * self.resolution

    def __call__(self, contributions: Any, noise: Noise) -> Release[NDArray[np.float64]]:
        """Release the noisy sum of the rows of a matrix, dense or scipy.sparse (units x coordinates)."""
        total = np.asarray(self.clipped_steps(contributions).sum(axis=0), dtype=np.int64).ravel()
        step = np.float64(self.clip / self.resolution)
        return self.release(total, noise).map(lambda steps: steps * step)

    def release(self, total_steps: NDArray[np.int64], noise: Noise) -> Release[NDArray[np.int64]]:
        """Release the sum of contributions that are integers already, with `noise`: in steps, as it came.

        That no row adds more than `resolution` steps in Euclidean norm to `total_steps` is the caller's duty
        (as `clipped_steps` sees to it): the price holds for such sums alone. Where parties draw noise
        together, what is released is part of their sum, and the price that of the sum.
        """
        total = np.asarray(total_steps)
        if not np.issubdtype(total.dtype, np.signedinteger):
            raise InputError(f"a sum must be of signed integers, in steps, got {total.dtype}")
        drawn = noise.of_sum(self.sigma, total.size).reshape(total.shape)
        price = self.price(noise.source)
        return Release(total + drawn, price if noise.together is None else noise.together.priced(price))

    def clipped_steps(self, contributions: Any) -> Any:
        """The rows of `contributions`, clipped and rounded, as sparse integers in steps of the grid."""
        from scipy.sparse import csr_matrix, diags

        rows = csr_matrix(contributions, dtype=np.float64)
        if not np.isfinite(rows.data).all():
            raise InputError("contributions must be finite numbers, got NaN or infinity")
        norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        scale = self.resolution / np.maximum(norms, self.clip)
        steps = csr_matrix(diags(scale * (1 - 1e-12)) @ rows)  # the margin covers floating-point rounding
        steps.data = np.trunc(steps.data)
        squares = np.asarray(steps.multiply(steps).sum(axis=1)).ravel()
        if np.any(squares > self.resolution**2):
            raise InputError("a clipped contribution exceeds the clip; nothing was released")
        return steps.astype(np.int64)

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What one release costs: by how many rows each relation may change."""
        changed: dict[Relation, int] = {
            "word add/remove": 2,
            "word replace": 2,
            "document add/remove": 1 if self.unit == "document" else 2,
            "document replace": 2 if self.unit == "document" else 4,
        }
        own = 1 if self.unit == "person" else self.bounds.max_documents
        if own is not None:
            changed |= {"person add/remove": own, "person replace": 2 * own}
        losses = (
            Loss(relation, GaussianVector(self.sigma, float(n_rows * self.resolution)))
            for relation, n_rows in changed.items()
        )
        return Cost(tuple(losses), noise=noise)


def _chances(made: ClippedSum, contributions: Any) -> NDArray[np.float64]:
    total = np.asarray(made.clipped_steps(contributions).sum(axis=0)).ravel()
    places = np.arange(-60 * made.resolution, 60 * made.resolution + 1)
    variance = float(exact.dyadic_variance(made.sigma))
    weights = np.exp(-((places - total[:, None]) ** 2) / (2 * variance))
    return _folded(weights / weights.sum(axis=1, keepdims=True), made)


def _folded(chances: NDArray[np.float64], made: ClippedSum) -> NDArray[np.float64]:
    """The values from -REACH clips to REACH, those beyond at the ends."""
    middle, reach = chances.shape[1] // 2, REACH * made.resolution
    inner = chances[:, middle - reach : middle + reach + 1].copy()
    inner[:, 0] += chances[:, : middle - reach].sum(axis=1)
    inner[:, -1] += chances[:, middle + reach + 1 :].sum(axis=1)
    return inner


def _steps(made: ClippedSum, value: NDArray[np.float64]) -> NDArray[np.int64]:
    reach = REACH * made.resolution
    return np.clip(np.rint(value / made.clip * made.resolution), -reach, reach).astype(np.int64) + reach


MECHANISM = Mechanism(
    "clipped sum",
    ClippedSum,
    takes="vectors",
    gives="vector",
    examples=(
        {"multiplier": 1.5, "resolution": 8, "bounds": Bounds(max_documents=2)},
        {"multiplier": 1.5, "resolution": 8, "unit": "person"},
    ),
    parameter="multiplier",
    quiet=1e4,
    loud=0.12,
    law=Law(_chances, _steps),
)
