"""Many events -> one epsilon at a delta: the adapter to dp-accounting.

Four valid bounds are computed where they apply and the smallest is taken:

    basic      the sum of the pure epsilons, at delta 0
    Gaussian   a formula, where all noise is Gaussian noise on vectors (`gaussian`)
    PLD        privacy-loss distributions, composed by convolution (Koskela et al. 2020), rounded
               pessimistically; all Gaussian noise on vectors is one distribution in it
    RDP        Renyi divergences added order by order (Mironov 2017)

dp-accounting 0.6.0's own PLD accountant ignores the `count` of a composed randomized response (it answers
0.996 for 100 responses among 10,000 at epsilon 1 and delta 1e-6, where 2.62 is right), so the distributions
are composed here one event kind at a time, and never through that accountant.
"""

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np

from fedtopics.errors import InputError
from fedtopics.privacy.price import events, gaussian
from fedtopics.privacy.price.cost import Loss
from fedtopics.privacy.price.events import Approximate, Event, Gaussian, NonPrivate, check_delta

Counts: TypeAlias = tuple[tuple[Event, int], ...]
LARGEST_PLD_EPSILON = 50.0  # beyond it basic composition is what remains, and the convolutions overflow
LARGEST_PLD_SIGMA = 1000.0  # in steps; beyond it the Renyi bound is used, within a few percent and fast
# Longer compositions take minutes and much memory, and a ledger or a plan can be made to ask for one.
LARGEST_PLD_COUNT, LARGEST_PLD_LOSS = 1_000_000, 50_000.0
MARGIN = 1e-9  # far above what the order of a million additions changes in a sum
ORDERS = np.concatenate([1 + np.geomspace(1e-3, 1, 40), np.geomspace(2.1, 2000, 160)])
STEADY = ORDERS[ORDERS > 1.01]  # where the conversion to an epsilon is numerically stable


def epsilon(losses: Iterable[Loss], delta: float) -> float:
    """The smallest epsilon that we can prove at this delta."""
    check_delta(delta)
    return _bounds(_count(losses), delta)[0]


def guarantee(losses: Iterable[Loss], delta: float) -> tuple[float, float]:
    """The (epsilon, delta) to state: delta 0 where the composition at `delta` gains less than one percent."""
    check_delta(delta)
    best, pure = _bounds(_count(losses), delta)
    return (pure, 0.0) if best == inf or pure <= 1.01 * best else (best, delta)


def pure_epsilon(event: Event) -> float:
    """The epsilon of one event at delta 0; infinite where there is none."""
    match event:
        case events.Nothing():
            return 0.0
        case events.Pure() | events.KaryResponse():
            return event.epsilon
        case events.DiscreteLaplace():
            return event.epsilon * event.sensitivity
        case Approximate() if event.delta == 0:
            return event.epsilon
        case _:
            return inf


def _count(losses: Iterable[Loss]) -> Counts:
    """Distinct events that cost anything, with their number, in a fixed order so results can be cached."""
    counts: Counter[Event] = Counter()
    for loss in losses:
        counts[loss.event] += loss.count
    return tuple(sorted(((e, n) for e, n in counts.items() if pure_epsilon(e) > 0), key=repr))


@lru_cache(maxsize=4096)
def _bounds(counts: Counts, delta: float) -> tuple[float, float]:
    """(smallest epsilon at delta, epsilon at delta 0)."""
    if any(isinstance(event, NonPrivate) for event, _ in counts):
        return inf, inf
    pure = sum((pure_epsilon(event) * count for event, count in counts), start=0.0)
    if delta == 0 or (sum(count for _, count in counts) <= 1 and pure < inf):
        return pure, pure
    return min(pure, vector_epsilon(counts, delta), rdp_epsilon(counts, delta)), pure


def vector_epsilon(counts: Counts, delta: float) -> float:
    """Epsilon at delta with all Gaussian noise on vectors as one: by its formula, or as one of the PLDs."""
    mu = sqrt(sum(_squared_mean(event) * count for event, count in counts))
    rest = tuple((event, count) for event, count in counts if _squared_mean(event) == 0)
    if mu == 0 or mu == inf:
        return pld_epsilon(rest, delta) if mu == 0 else inf
    if not rest:
        return gaussian.epsilon_at(delta, mu)
    return pld_epsilon((*rest, (Gaussian(1.0, mu), 1)), delta * (1 - gaussian.MARGIN)) + gaussian.MARGIN


def _squared_mean(event: Event) -> float:
    """The mu^2 of Gaussian noise on a vector (see `gaussian`), 0 for any other event."""
    match event:
        case Gaussian() | events.GaussianVector():
            mu = gaussian.mean_of(event)
            return mu * mu
        case _:
            return 0.0


def pld_epsilon(counts: Counts, delta: float) -> float:
    """Epsilon at delta from the privacy-loss distributions, infinite where one is missing or too long."""
    expected_loss = sum(float(renyi(event)[0]) * count for event, count in counts)
    if sum(count for _, count in counts) > LARGEST_PLD_COUNT or not expected_loss <= LARGEST_PLD_LOSS:
        return inf
    total, interval = None, _interval(counts)
    for event, count in counts:
        one = _distribution(event, interval)
        if one is None:
            return inf
        many = one.self_compose(count) if count > 1 else one
        total = many if total is None else total.compose(many)
    if total is None:
        return 0.0
    with np.errstate(over="ignore"):  # a quotient that overflows gives an infinite epsilon: never too small
        return float(total.get_epsilon_for_delta(delta))


def _interval(counts: Counts) -> float:
    """Step of the rounded losses: every event is rounded up by one, so many small events need a fine step."""
    many = sum(count for _, count in counts) > 20
    narrow = sum(pure_epsilon(event) * count for event, count in counts) < 200
    return 1e-4 if many and narrow else 1e-3


class Sums:
    """Pure epsilons, the mu^2 of Gaussian noise on vectors and Renyi divergences, added up as events come.

    Enough to say that a budget surely holds: each gives an upper bound on `epsilon`, up to the last digits
    (sums in another order). What is nearer to its budget than `MARGIN`, or only privacy-loss distributions
    can show to be within, is left to `epsilon`.
    """

    def __init__(self, delta: float, losses: Iterable[Loss] = ()) -> None:
        """Of these losses, for a budget at this delta."""
        self.allowed, self.count, self.pure, self.delta = delta, 0, 0.0, 0.0
        self.squared_mean, self.n_others = 0.0, 0  # of Gaussian noise on vectors; of events without
        self.divergences = np.zeros(len(ORDERS))
        for loss in losses:
            self.add(loss)

    def add(self, loss: Loss) -> None:
        """Take in one more loss."""
        event, pure = loss.event, pure_epsilon(loss.event)
        if pure == 0:
            return
        self.count += loss.count
        self.pure += pure * loss.count
        self.delta += event.delta * loss.count if isinstance(event, Approximate) else 0.0
        squared_mean = _squared_mean(event)
        self.squared_mean += squared_mean * loss.count
        self.n_others += loss.count if squared_mean == 0 else 0
        if self.allowed > 0:
            unknown = isinstance(event, NonPrivate) or LARGEST_PLD_EPSILON < pure < inf
            self.divergences += (pure if unknown else renyi(event)) * loss.count  # none has more

    def mu(self, more: "Sums") -> float:
        """Of all Gaussian noise on vectors, here and in `more`."""
        return sqrt(self.squared_mean + more.squared_mean)

    def surely_within(self, epsilon: float, more: "Sums") -> bool:
        """Whether these events and `more` together cost at most epsilon, without a doubt."""
        most, spent = epsilon * (1 - MARGIN), self.delta + more.delta
        if self.pure + more.pure <= most:
            return True
        if self.n_others + more.n_others == 0 and gaussian.epsilon_at(self.allowed, self.mu(more)) <= most:
            return True
        if self.count + more.count < 2 or self.allowed == 0 or spent > 0.99 * self.allowed:
            return False
        rest = np.log1p(-1 / STEADY) - np.log((self.allowed - spent) * STEADY) / (STEADY - 1)
        return bool(np.min((self.divergences + more.divergences)[-len(STEADY) :] + rest) <= most)


@lru_cache(maxsize=256)
def _distribution(event: Event, interval: float) -> Any:
    """Privacy-loss distribution of one event, None where there is none or where it is too wide to compute."""
    from dp_accounting.pld import common
    from dp_accounting.pld import privacy_loss_distribution as pld

    width = {"value_discretization_interval": interval}
    if LARGEST_PLD_EPSILON < pure_epsilon(event) < inf:
        return None
    match event:
        case events.Pure():
            return pld.from_privacy_parameters(
                common.DifferentialPrivacyParameters(event.epsilon, 0.0), **width
            )
        case Approximate() if event.epsilon <= LARGEST_PLD_EPSILON:
            parameters = common.DifferentialPrivacyParameters(event.epsilon, event.delta)
            return pld.from_privacy_parameters(parameters, **width)
        case events.DiscreteLaplace():
            return pld.from_discrete_laplace_mechanism(event.epsilon, event.sensitivity, **width)
        case events.KaryResponse():
            noise = event.n_values / (np.expm1(event.epsilon) + event.n_values)
            if noise >= 1:  # an epsilon below what a float next to n_values can show
                return None
            return pld.from_randomized_response(noise, event.n_values, **width)
        case Gaussian() if event.sensitivity / event.sigma <= 10:
            return pld.from_gaussian_mechanism(event.sigma, event.sensitivity, **width)
        case events.DiscreteGaussian() if event.sensitivity / 10 <= event.sigma <= LARGEST_PLD_SIGMA:
            return pld.from_discrete_gaussian_mechanism(event.sigma, event.sensitivity, **width)
        case _:
            return None


def rdp_epsilon(counts: Counts, delta: float) -> float:
    """Epsilon at delta from the Renyi divergences, infinite where an event has none."""
    from dp_accounting.rdp import rdp_privacy_accountant as rdp

    spent_delta = sum(event.delta * count for event, count in counts if isinstance(event, Approximate))
    if delta <= spent_delta:
        return inf
    divergences = sum((renyi(event) * count for event, count in counts), start=np.zeros(len(ORDERS)))
    if not np.isfinite(divergences).any():
        return inf
    return float(rdp.compute_epsilon(ORDERS, divergences, delta - spent_delta)[0])


def renyi(event: Event) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Upper bounds on the Renyi divergence of one event at each of `ORDERS`.

    A pure epsilon gives min(epsilon, alpha epsilon^2 / 2) (Bun and Steinke 2016, Prop. 3.3); every Gaussian
    alpha s^2 / (2 sigma^2) (Canonne, Kamath, Steinke 2020 for discrete ones).
    """
    match event:
        case events.ZeroConcentrated():
            return ORDERS * event.rho
        case Gaussian() | events.GaussianVector():
            ratio = event.sensitivity / event.sigma
            return ORDERS * (ratio * ratio / 2)
        case events.DiscreteGaussian():
            return ORDERS * event.sensitivity**2 / (2 * event.sigma**2)
        case Approximate():
            return np.minimum(event.epsilon, ORDERS * event.epsilon**2 / 2)
        case _:
            pure = pure_epsilon(event)
            if pure == inf:
                raise InputError(f"no Renyi divergence is known for {event!r}")
            return np.minimum(pure, ORDERS * pure**2 / 2)
