"""Lower bounds on epsilon from how often an attacker guesses right, each at a stated confidence.

A canary is there or not, by a fair coin, and an attacker who saw what was released guesses which. The more
often he is right, the larger epsilon must be.

    clopper_pearson   canaries that were released independently of each other (M. Jagielski, J. Ullman,
                      A. Oprea, Auditing differentially private machine learning, NeurIPS 2020): exact bounds
                      on both error rates, then  epsilon >= ln((true - delta) / false), either way round
    one_run           any number of canaries in one release, however they depend on each other (T. Steinke,
                      M. Nasr, M. Jagielski, Privacy auditing with one (1) training run, NeurIPS 2023,
                      Theorem 5.2): of r guesses about m canaries, v or more are right with a chance of at
                      most  P[B >= v] + 2 m delta max_i P[v > B >= v - i] / i,  B ~ Binomial(r, e^eps / (1 +
                      e^eps)); the bound is the largest epsilon at which that is too little to be believed
    gaussian          where the proof is of Gaussian noise: the least shift mu between two normal laws that
                      allows these error rates, and the epsilon of noise with this mu (M. Nasr et al., Tight
                      auditing of differentially private machine learning, USENIX Security 2023)

    losses            where the law of what is sent is known: the attacker's own odds. (epsilon, delta) allows
                      P[L >= c] <= delta / (1 - e^(epsilon - c)) of the logarithm L of the likelihood ratio,
                      because delta >= E[max(0, 1 - e^(epsilon - L))]; counting alone ends at the logarithm
                      of the number of trials, odds do not

The first two hold whatever the mechanism is; the third refutes or agrees with a proof of Gaussian noise only,
and the fourth relies on the law that the odds were computed by.
"""

from collections.abc import Callable
from math import exp, log, log1p

import numpy as np

from fedtopics.errors import InputError
from fedtopics.privacy.price.gaussian import epsilon_at

CONFIDENCE = 0.95
LARGEST = 700.0  # of an epsilon that is searched for: e^700 is still a number
STEPS = 50  # of a search by halves


def rate_bounds(hits: int, n_trials: int, error: float) -> tuple[float, float]:
    """The chance of a hit: at least, and at most, each wrong with a chance of at most `error`.

    >>> [round(bound, 4) for bound in rate_bounds(0, 100, 0.05)]
    [0.0, 0.0295]
    """
    from scipy.special import betainccinv, betaincinv

    if not 0 <= hits <= n_trials:
        raise InputError(f"expected from 0 to {n_trials} hits, got {hits}")
    least = float(betaincinv(hits, n_trials - hits + 1, error)) if hits else 0.0
    most = float(betainccinv(hits + 1, n_trials - hits, error)) if hits < n_trials else 1.0
    return least, most


def clopper_pearson(
    true: tuple[int, int], false: tuple[int, int], delta: float = 0.0, confidence: float = CONFIDENCE
) -> float:
    """From (said there, of so many) where canaries were there (`true`) and where they were not (`false`).

    >>> round(clopper_pearson((100, 100), (0, 100)), 2)
    3.28
    """
    error = (1 - confidence) / 2  # one for each rate
    least_true, most_false = rate_bounds(*true, error)[0], rate_bounds(*false, error)[1]
    return max(0.0, _odds(least_true, most_false, delta), _odds(1 - most_false, 1 - least_true, delta))


def _odds(more: float, less: float, delta: float) -> float:
    return log((more - delta) / less) if more > delta and less > 0 else 0.0


def one_run(
    n_canaries: int, n_guesses: int, n_right: int, delta: float = 0.0, confidence: float = CONFIDENCE
) -> float:
    """From guesses about some of the canaries of a run, the attacker having chosen which.

    >>> round(one_run(1000, 1000, 1000), 2), one_run(1000, 1000, 500)
    (5.81, 0.0)
    """
    if not 0 <= n_right <= n_guesses <= n_canaries:
        raise InputError(
            f"expected right guesses <= guesses <= canaries, got {n_right}, {n_guesses}, {n_canaries}"
        )

    def refuted(epsilon: float) -> bool:
        return one_run_chance(n_canaries, n_guesses, n_right, epsilon, delta) < 1 - confidence

    return _largest(refuted)


def one_run_chance(n_canaries: int, n_guesses: int, n_right: int, epsilon: float, delta: float) -> float:
    """The most that the chance of so many right guesses can be under (epsilon, delta)."""
    from scipy.special import bdtrc

    right = 1 / (1 + exp(-epsilon))
    chance = float(bdtrc(n_right - 1, n_guesses, right)) if n_right else 1.0
    if delta > 0 and n_right:
        from scipy.stats import binom

        below = np.cumsum(binom.pmf(np.arange(n_right - 1, -1, -1), n_guesses, right))
        chance += 2 * n_canaries * delta * float((below / np.arange(1, n_right + 1)).max())
    return min(1.0, chance)


def gaussian(
    true: tuple[int, int], false: tuple[int, int], delta: float, confidence: float = CONFIDENCE
) -> float:
    """The epsilon, at `delta`, of Gaussian noise that separates these rates no better than it must."""
    from scipy.special import ndtri

    error = (1 - confidence) / 2
    least_true, most_false = rate_bounds(*true, error)[0], rate_bounds(*false, error)[1]
    if not 0 < most_false < least_true < 1:
        return 0.0
    shift = float(ndtri(least_true) - ndtri(most_false))
    return epsilon_at(delta, shift)


def losses(n_above: int, n_trials: int, cut: float, delta: float, confidence: float = CONFIDENCE) -> float:
    """From how many logarithms of likelihood ratios, where canaries were there, reached `cut`.

    >>> round(losses(95, 100, 280.0, 1e-5), 1)
    280.0
    """
    least = rate_bounds(n_above, n_trials, 1 - confidence)[0]
    return max(0.0, cut + log1p(-delta / least)) if least > delta else 0.0


def _largest(refuted: Callable[[float], bool]) -> float:
    """The largest epsilon that is refuted, where all below it are too; 0 where none is."""
    if not refuted(0.0):
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low
