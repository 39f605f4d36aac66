"""Shares of noise: their sum is the discrete Gaussian that is priced, as exactly as the theorem says."""

from math import e, exp, log, pi, sqrt

import numpy as np
import pytest
from scipy import stats

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.together import Together
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import GaussianVector, Pure
from fedtopics.privacy.price.release import reuse

RATE = 1e-6  # of false alarms


def law(variance: float, reach: int = 60) -> np.ndarray:
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * variance))
    return weights / weights.sum()


@pytest.mark.parametrize("deviation", [0.6, 0.7, 0.8, 1.0])
@pytest.mark.parametrize("n_shares", [2, 3, 5])
def test_the_sum_of_shares_is_a_discrete_gaussian_up_to_the_bound(deviation: float, n_shares: int) -> None:
    one, summed = law(deviation**2), law(deviation**2)
    for _ in range(n_shares - 1):
        summed = np.convolve(summed, one)[60:-60]
    whole = law(n_shares * deviation**2)
    middle = slice(50, 71)  # beyond, floats have no digits left
    off = np.abs(np.log(summed[middle] / whole[middle])).max()
    terms = [exp(-2 * pi**2 * deviation**2 * k / (k + 1)) for k in range(1, n_shares)]
    assert off <= 10 * sum(terms)
    assert n_shares > 2 or off > 0.1 * terms[0]  # of two, the bound is about as small as it can be


def test_the_bound_for_shares_of_ten_steps_is_nothing() -> None:
    terms = (-2 * pi**2 * 100 * k / (k + 1) for k in range(1, 100))
    assert (log(10 * 99) + max(terms)) / log(10) < -425


def test_shares_have_their_part_of_the_variance() -> None:
    together, sigma, size = Together(6, 2, 6), 40.0, 40_000
    drawn = [Noise.simulated(1, name, together=together).of_sum(sigma, size) for name in "abcdef"]
    for number in (1, 4, 6):  # parties whose shares are in the sum
        variance = np.sum(drawn[:number], axis=0).astype(float).var() / sigma**2
        assert variance == pytest.approx(number / 4, rel=0.05)
    assert together.of_sum(4) == 1.0
    whole = np.sum(drawn[:4], axis=0) + np.random.default_rng(0).uniform(-0.5, 0.5, size)
    assert stats.kstest(whole, stats.norm(0, sigma).cdf).pvalue > RATE


def test_no_other_noise_is_drawn_together() -> None:
    noise = Noise.simulated(1, together=Together(3, 1, 3))
    for draw in (lambda: noise.below(2, 1), lambda: noise.coins(1, 1)):
        with pytest.raises(InputError, match="noise on sums"):
            draw()
    with pytest.raises(InputError, match="noise on sums"):
        noise.gaussian(ClippedSum(1.0).sigma, 3)  # type: ignore[arg-type]


def test_a_share_too_small_for_the_theorem_is_refused() -> None:
    mechanism = ClippedSum(1.0, resolution=12)
    with pytest.raises(InputError, match="a share of noise must be at least 10 steps"):
        mechanism.release(np.zeros(3, np.int64), Noise.simulated(1, together=Together(4, 0, 4)))


def test_the_price_is_that_of_the_sum_and_before_one_that_of_all_shares() -> None:
    together, mechanism = Together(7, 1, 5), ClippedSum(1.5)
    cost = mechanism.release(np.zeros(3, np.int64), Noise.secure(together)).cost
    assert cost.losses == mechanism.price().losses
    for loss, seen in zip(cost.losses, cost.alone, strict=True):
        assert isinstance(loss.event, GaussianVector)
        louder = GaussianVector(loss.event.sigma * sqrt(5 / 4), loss.event.sensitivity)
        assert seen == Loss(loss.relation, louder)
    assert Cost.from_dict(cost.to_dict()) == cost
    assert (cost + cost).before_one() == cost.before_one() + cost.before_one()
    assert together.priced(reuse(0).cost) == reuse(0).cost


def test_only_gaussian_noise_on_sums_has_a_price_together() -> None:
    with pytest.raises(InputError, match="Gaussian on sums, got Pure"):
        Together(3, 1, 3).priced(Cost((Loss("word replace", Pure(e)),)))
