r"""Gaussian noise on vectors: many releases are one, and its epsilon has a formula.

Releases of deviations sigma_i on vectors that differ by s_i, each chosen by what came before, are together
as private as one of noise N(0, 1) on a number that differs by mu = sqrt(sum_i (s_i / sigma_i)^2) (Dong, Roth,
Su 2022), whose delta at an epsilon is

    delta(epsilon) = Phi(-epsilon/mu + mu/2) - e^epsilon Phi(-epsilon/mu - mu/2)      (Balle, Wang 2018)

Discrete noise of deviation sigma >= 10 on vectors of integers is continuous noise of variance sigma^2 - 4,
rounded at random: draw an integer near the continuous value y with chance ~ e^(-(z - y)^2 / (2 2^2)). By
Poisson's formula the sum of these weights is the same for every y up to a factor of 1 +- 1.1e-34, and so is
the law of the outcome that of discrete noise (docs/understand/privacy.md has the proof). For all
coordinates of all releases, 10^12 of them, chances are off by a factor of at most e^(4e-22): `MARGIN`
covers it.
"""

from functools import lru_cache
from math import exp, inf, log, pi, sqrt

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.price.events import Gaussian, GaussianVector, check_delta, check_number

ROUNDING = 2.0  # steps: the deviation by which continuous noise is rounded at random to discrete noise
MARGIN = 1e-9  # of epsilon and of delta: far above the law of rounding and the digits of floats
DIGITS = 1e-14  # relative error of the functions used here, at most


def mean_of(event: Gaussian | GaussianVector) -> float:
    """The mu of one release: how far apart neighbors are, in deviations of continuous noise."""
    match event:
        case Gaussian():
            return event.sensitivity / event.sigma
        case GaussianVector():
            return event.sensitivity / sqrt(event.sigma - ROUNDING) / sqrt(event.sigma + ROUNDING)


def delta_at(epsilon: float, mu: float) -> float:
    """The delta of N(0, 1) against N(mu, 1) at an `epsilon`, rounded up.

    With a = mu/2 - epsilon/mu and Mills' ratio M(x) = Phi(-x) / phi(x) it is phi(a) (M(-a) - M(mu - a)),
    because e^epsilon phi(a - mu) = phi(a): no difference of tiny numbers.
    """
    from scipy.special import erfcx, ndtr

    a = mu / 2 - epsilon / mu
    density = exp(-a * a / 2) / sqrt(2 * pi)
    farther = density * sqrt(pi / 2) * erfcx((mu - a) / sqrt(2))
    nearer = ndtr(a) if a > 1 else density * sqrt(pi / 2) * erfcx(-a / sqrt(2))
    return float(nearer * (1 + DIGITS) - farther * (1 - DIGITS))


@lru_cache(maxsize=4096)
def epsilon_at(delta: float, mu: float) -> float:
    """The least epsilon of N(0, 1) against N(mu, 1) at a `delta`, rounded up; infinite at delta 0."""
    check_delta(delta)
    if mu == 0:
        return 0.0
    allowed = delta * (1 - MARGIN)
    if allowed == 0 or mu * mu == inf:
        return inf
    low, high = 0.0, mu * mu / 2 + mu * sqrt(-2 * log(allowed))  # that of mu^2/2-zCDP
    if delta_at(0.0, mu) <= allowed:
        high = 0.0
    while high - low > 1e-12 * (1 + high):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_at(middle, mu) <= allowed else (middle, high)
    return high * (1 + MARGIN) + MARGIN


@lru_cache(maxsize=256)
def noise_multiplier(epsilon: float, delta: float, resolution: int = 2**10) -> float:
    """The least m such that releases with deviation m, in units of what one may differ by, keep a budget.

    The whole budget (`epsilon`, `delta`) for one release; one that gets the share f of it takes m / sqrt(f).
    `resolution`: the steps of the grid in one unit, or fewer: rounding is paid for (m^2 + 4 / resolution^2).

    >>> round(noise_multiplier(8.0, 1e-6), 3), round(noise_multiplier(4.0, 1e-6), 3)
    (0.653, 1.194)
    """
    check_number("epsilon", epsilon, minimum=2 * MARGIN)
    check_number("resolution", resolution, minimum=1)
    if not delta > 0:
        raise InputError(f"Gaussian noise needs a delta above 0, got {quoted(delta)}")
    low, high = 0.0, 1.0
    while epsilon_at(delta, 1 / high) > epsilon:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if epsilon_at(delta, 1 / middle) <= epsilon else (middle, high)
    return sqrt((high * (1 + MARGIN)) ** 2 + (ROUNDING / resolution) ** 2)
