"""Lower bounds on epsilon, against known values and against mechanisms whose epsilon is known."""

from math import exp, log

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from fedtopics.audit import lower_bounds
from fedtopics.audit.guesses import Rule, Scored, reached
from fedtopics.errors import InputError


def test_exact_bounds_on_a_rate_are_those_of_the_tables() -> None:
    """Two-sided 95 % intervals of 0, 1 and 5 of 10: Clopper and Pearson's (Biometrika 1934)."""
    assert lower_bounds.rate_bounds(0, 10, 0.025) == pytest.approx((0, 0.3085), abs=1e-4)
    assert lower_bounds.rate_bounds(1, 10, 0.025) == pytest.approx((0.0025, 0.4450), abs=1e-4)
    assert lower_bounds.rate_bounds(5, 10, 0.025) == pytest.approx((0.1871, 0.8129), abs=1e-4)


def test_rates_bound_epsilon_either_way_round() -> None:
    good = lower_bounds.clopper_pearson((500, 1000), (1, 1000))
    most_false, least_true = (
        lower_bounds.rate_bounds(1, 1000, 0.025)[1],
        lower_bounds.rate_bounds(500, 1000, 0.025)[0],
    )
    assert good == pytest.approx(log(least_true / most_false))
    assert lower_bounds.clopper_pearson((999, 1000), (500, 1000)) == pytest.approx(good)
    assert lower_bounds.clopper_pearson((500, 1000), (1, 1000), delta=0.3) == pytest.approx(
        log((least_true - 0.3) / most_false)
    )
    assert lower_bounds.clopper_pearson((10, 1000), (900, 1000)) == 0


def chance(m: int, r: int, v: int, epsilon: float, delta: float) -> float:
    """Theorem 5.2 written out, term by term."""
    q = exp(epsilon) / (1 + exp(epsilon))
    law = [binom.pmf(i, r, q) for i in range(r + 1)]
    alpha = max((sum(law[v - i : v]) / i for i in range(1, v + 1)), default=0.0)
    return sum(law[v:]) + 2 * m * delta * alpha


@pytest.mark.parametrize(("m", "r", "v", "delta"), [(30, 20, 19, 0.0), (50, 40, 37, 1e-3), (9, 9, 9, 1e-2)])
def test_the_bound_of_one_run_is_where_its_theorem_stops_refuting(
    m: int, r: int, v: int, delta: float
) -> None:
    expected = brentq(lambda epsilon: chance(m, r, v, epsilon, delta) - 0.05, 0, 20)
    assert lower_bounds.one_run(m, r, v, delta) == pytest.approx(expected, abs=1e-6)


def test_all_guesses_right_have_a_closed_form() -> None:
    """q^r = 0.05, so epsilon = ln(q / (1 - q)), q = 0.05^(1/r)."""
    q = 0.05 ** (1 / 400)
    assert lower_bounds.one_run(500, 400, 400) == pytest.approx(log(q / (1 - q)), abs=1e-6)


def test_guesses_of_more_than_there_are_are_refused() -> None:
    with pytest.raises(InputError, match="right guesses"):
        lower_bounds.one_run(10, 11, 5)
    with pytest.raises(InputError, match="hits"):
        lower_bounds.rate_bounds(11, 10, 0.05)


def answers(epsilon: float, n: int, seed: int) -> Scored:
    """Randomized response of n bits: the tightest mechanism there is."""
    rng = np.random.default_rng(seed)
    there, kept = rng.random(n) < 0.5, rng.random(n) < 1 / (1 + exp(-epsilon))
    return Scored(np.where(there == kept, 1.0, 0.0), there)


@pytest.mark.parametrize("independent", [False, True])
def test_of_a_tight_mechanism_most_is_reached_and_as_rarely_more_than_all_as_was_promised(
    independent: bool,
) -> None:
    found = [
        reached(answers(3.0, 4000, 2 * seed), answers(3.0, 4000, 2 * seed + 1), independent=independent)
        for seed in range(60)
    ]
    assert np.median([each.epsilon for each in found]) > 0.93 * 3
    above = sum(each.epsilon > 3 for each in found)
    assert binom.sf(above - 1, 60, 0.05) > 1e-6
    assert max(each.surely for each in found) < 3


def test_a_mechanism_that_keeps_less_than_it_says_is_found_out() -> None:
    found = reached(answers(3.0, 4000, 0), answers(3.0, 4000, 1))
    assert found.surely > 2


def test_noise_alone_reaches_nothing() -> None:
    rng = np.random.default_rng(0)
    seen = [Scored(rng.normal(size=4000), rng.random(4000) < 0.5) for _ in range(2)]
    assert reached(*seen, independent=True).surely == 0


def normal(shift: float, n: int, seed: int) -> Scored:
    rng = np.random.default_rng(seed)
    there = rng.random(n) < 0.5
    return Scored(rng.normal(size=n) + shift * there, there)


def test_of_gaussian_noise_the_third_bound_finds_what_counting_cannot() -> None:
    """mu = 1.5 is epsilon 7.7 at delta 1e-6; a thousand guesses alone cannot show that."""
    proved = brentq(lambda e: norm.cdf(0.75 - e / 1.5) - exp(e) * norm.cdf(-0.75 - e / 1.5) - 1e-6, 0.1, 30)
    known, guessed = normal(1.5, 2000, 0), normal(1.5, 2000, 1)
    counted = reached(known, guessed, delta=1e-6, independent=True)
    fitted = reached(known, guessed, delta=1e-6, independent=True, gaussian=True)
    assert counted.epsilon < 0.6 * proved
    assert 0.8 * proved < fitted.epsilon < proved
    assert fitted.how == "Gaussian"


def test_a_rule_guesses_nothing_between_its_scores() -> None:
    seen = Scored(np.array([0.0, 1.0, 2.0, 3.0]), np.array([False, False, True, True]))
    assert Rule("one run", 3.0, 0.0).epsilon(seen, 0.0, 0.5) == lower_bounds.one_run(4, 2, 2, 0.0, 0.5)
