r"""The sum of clipped contributions of documents, with discrete Gaussian noise: privacy of whole documents.

Each document's contribution (any vector, for example expected counts of topics x words) is scaled to a
Euclidean norm of at most `clip`, a public constant, and rounded towards zero on the grid clip / resolution,
so its norm stays at most `resolution` steps. The sum gets discrete Gaussian noise of deviation multiplier *
resolution steps: adding or removing a document is 1 / (2 multiplier^2)-zCDP and replacing one 4 times that
(Canonne, Kamath, Steinke, NeurIPS 2020). Changing a word changes its document, so it costs no more than a
document replaced.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds, check_size
from fedtopics.privacy.mechanisms.mechanism import Law, Mechanism
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.cost import Cost, Loss, NoiseSource
from fedtopics.privacy.price.events import ZeroConcentrated, check_number
from fedtopics.privacy.price.release import Release

REACH = 6  # clips on either side of zero in the law that is listed


@dataclass(frozen=True)
class ClippedSum:
    """Private sum of vectors, one per document, by `clip`, `resolution`, `multiplier` and public `bounds`."""

    multiplier: float
    clip: float = 1.0
    resolution: int = 2**12
    bounds: Bounds = UNBOUNDED

    def __post_init__(self) -> None:
        check_number("noise multiplier", self.multiplier, open_minimum=True)
        check_number("clip", self.clip, open_minimum=True)
        check_size("resolution", self.resolution)
        exact.dyadic_variance(self.multiplier * self.resolution)

    def __call__(self, contributions: Any, noise: Noise) -> Release[NDArray[np.float64]]:
        """Release the noisy sum of the rows of a matrix, dense or scipy.sparse (documents x coordinates)."""
        total = self.clipped_steps(contributions).sum(axis=0)
        total = np.asarray(total, dtype=np.int64).ravel()
        drawn = noise.gaussian(exact.dyadic_variance(self.multiplier * self.resolution), len(total))
        value = (total + drawn).astype(np.float64) * (self.clip / self.resolution)
        return Release(value, self.price(noise.source))

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
        """What one release costs: whole documents, and users where their number of documents is bounded."""
        rho = 1 / (2 * self.multiplier**2)
        losses = [
            Loss("word add/remove", ZeroConcentrated(4 * rho)),
            Loss("word replace", ZeroConcentrated(4 * rho)),
            Loss("document add/remove", ZeroConcentrated(rho)),
            Loss("document replace", ZeroConcentrated(4 * rho)),
        ]
        if self.bounds.max_documents is not None:
            losses.append(Loss("user add/remove", ZeroConcentrated(self.bounds.max_documents**2 * rho)))
        return Cost(tuple(losses), noise=noise)


def _chances(made: ClippedSum, contributions: Any) -> NDArray[np.float64]:
    total = np.asarray(made.clipped_steps(contributions).sum(axis=0)).ravel()
    places = np.arange(-60 * made.resolution, 60 * made.resolution + 1)
    variance = float(exact.dyadic_variance(made.multiplier * made.resolution))
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
    examples=({"multiplier": 1.5, "resolution": 2, "bounds": Bounds(max_documents=2)},),
    parameter="multiplier",
    quiet=1e4,
    loud=0.12,
    law=Law(_chances, _steps),
)
