"""What a release did to one neighboring pair of corpora: frozen data, no formulas.

An event names the privacy loss of one release between two neighbors; `accounting` composes events. A kind
that is not in this file cannot be charged, and an event with NaN, infinite or negative numbers not be made.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import TypeAlias, get_args

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError


def check_number(name: str, value: float, *, minimum: float = 0.0, open_minimum: bool = False) -> None:
    """Refuse a `value` (called `name`) that is no number or below `minimum` (or at it, if `open_minimum`)."""
    bad = isinstance(value, bool) or not isinstance(value, int | float) or not _fits_a_float(value)
    if bad or value < minimum or (open_minimum and value == minimum):
        bound = "greater than" if open_minimum else "at least"
        raise InputError(f"{name} must be a finite number {bound} {minimum:g}, got {quoted(value)}")


def _fits_a_float(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # a huge integer
        return False


def check_delta(delta: float) -> None:
    check_number("delta", delta)
    if delta >= 1:
        raise InputError(
            f"delta must be below 1, got {quoted(delta)}; choose it well below 1/number of documents"
        )


@dataclass(frozen=True)
class Nothing:
    """The output does not depend on what differs between the neighbors."""


@dataclass(frozen=True)
class NonPrivate:
    """No bound holds: the neighbors can be told apart with certainty, or nothing was proved."""


@dataclass(frozen=True)
class Pure:
    """`epsilon`-DP: the probability of every output differs by a factor of at most e^epsilon."""

    epsilon: float

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon)


@dataclass(frozen=True)
class Approximate:
    """(epsilon, delta)-DP, nothing finer known."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon)
        check_delta(self.delta)


@dataclass(frozen=True)
class DiscreteLaplace:
    """Integer noise with Pr[z] ~ e^(-epsilon |z|) on one count that differs by `sensitivity`."""

    epsilon: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon)
        check_number("sensitivity", self.sensitivity, minimum=1)


@dataclass(frozen=True)
class KaryResponse:
    """Randomized response among `n_values`, whose largest ratio of two rows is e^epsilon."""

    epsilon: float
    n_values: int

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon)
        check_number("number of values", self.n_values, minimum=2)


@dataclass(frozen=True)
class Gaussian:
    """Continuous Gaussian noise of deviation sigma on a vector that differs by `sensitivity` (Euclidean).

    Only for the claims of papers: what this package releases has discrete noise.
    """

    sigma: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        check_number("sigma", self.sigma, open_minimum=True)
        check_number("sensitivity", self.sensitivity, open_minimum=True)


@dataclass(frozen=True)
class DiscreteGaussian:
    """Integer noise with Pr[z] ~ e^(-z^2 / (2 sigma^2)) on one count that differs by `sensitivity`."""

    sigma: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        check_number("sigma", self.sigma, open_minimum=True)
        check_number("sensitivity", self.sensitivity, minimum=1)


LEAST_SIGMA = 10.0  # of noise on vectors, in steps; see `gaussian`


@dataclass(frozen=True)
class GaussianVector:
    """Integer noise with Pr[z] ~ e^(-z^2 / (2 sigma^2)), independent on every coordinate of integers.

    The vectors of neighbors differ by at most `sensitivity` in Euclidean norm; both numbers are in steps.
    """

    sigma: float
    sensitivity: float

    def __post_init__(self) -> None:
        check_number("sigma of noise on a vector, in steps,", self.sigma, minimum=LEAST_SIGMA)
        check_number("sensitivity", self.sensitivity, open_minimum=True)


@dataclass(frozen=True)
class ZeroConcentrated:
    """rho-zCDP (Bun and Steinke 2016): every Renyi divergence of order alpha is at most alpha rho."""

    rho: float

    def __post_init__(self) -> None:
        check_number("rho", self.rho)


Event: TypeAlias = (
    Nothing
    | NonPrivate
    | Pure
    | Approximate
    | DiscreteLaplace
    | KaryResponse
    | Gaussian
    | DiscreteGaussian
    | GaussianVector
    | ZeroConcentrated
)
KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}


def to_dict(event: Event) -> dict[str, float | str]:
    """The event as JSON data.

    >>> to_dict(Pure(2.0))
    {'kind': 'Pure', 'epsilon': 2.0}
    """
    return {"kind": type(event).__name__, **asdict(event)}


def from_dict(data: Mapping[str, float | str]) -> Event:
    """The event written by `to_dict`; an unknown kind or a missing number is an error.

    >>> from_dict({"kind": "KaryResponse", "epsilon": 1.0, "n_values": 3})
    KaryResponse(epsilon=1.0, n_values=3)
    """
    if not isinstance(data, Mapping):
        raise InputError(f"expected a privacy event with its numbers, got {type(data).__name__}")
    numbers = {name: value for name, value in data.items() if name != "kind"}
    kind = KINDS.get(str(data.get("kind")))
    if kind is None:
        raise InputError(f"privacy event must be one of {', '.join(KINDS)}, got {quoted(data.get('kind'))}")
    if set(numbers) != {field.name for field in fields(kind)}:
        raise InputError(f"{kind.__name__} needs {[f.name for f in fields(kind)]}, got {sorted(numbers)}")
    return kind(**numbers)  # type: ignore[arg-type]
