"""Gaussian noise on vectors: the epsilon that is charged against computations that share no code with it."""

from math import e, exp, inf, sqrt

import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import (
    Approximate,
    Gaussian,
    GaussianVector,
    Pure,
    ZeroConcentrated,
)
from fedtopics.privacy.price.gaussian import delta_at, epsilon_at, noise_multiplier
from fedtopics.privacy.price.ledger import Ledger

DOCUMENT = "document add/remove"


def charged(*events, delta, count=1):
    return accounting.epsilon([Loss(DOCUMENT, event, count) for event in events], delta)


def integrated(epsilon, mu):
    """The hockey-stick divergence of N(mu, 1) from N(0, 1), as an integral."""
    start = epsilon / mu + mu / 2
    excess = lambda x: -norm.pdf(x - mu) * np.expm1(epsilon - mu * x + mu * mu / 2)  # noqa: E731
    return quad(excess, start, max(start, mu) + 12, epsabs=0, limit=200)[0]


def summed(epsilon, sigma, shift):
    """The hockey-stick divergence of discrete noise, moved by a vector, from itself: summed over integers."""
    chances, moved = np.ones(1), np.ones(1)
    for steps in shift:
        places = np.arange(-int(12 * sigma) - steps, int(12 * sigma) + 2 * steps)
        weights = [np.exp(-((places - middle) ** 2) / (2 * sigma**2)) for middle in (0, steps)]
        chances, moved = (
            np.multiply.outer(old, new / weights[0].sum()).ravel()
            for old, new in zip((chances, moved), weights, strict=True)
        )
    return float(np.maximum(moved - exp(epsilon) * chances, 0).sum())


@pytest.mark.parametrize("mu", [0.01, 0.2, 0.84, 1.53, 4.0, 12.0])
@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3, 0.1])
def test_formula_is_the_integral_and_never_below_it(mu, delta):
    epsilon = epsilon_at(delta, mu)
    if epsilon <= 2e-9:
        assert integrated(0.0, mu) <= delta
        return
    assert delta_at(epsilon, mu) == pytest.approx(integrated(epsilon, mu), rel=1e-8)
    assert integrated(epsilon, mu) <= delta < integrated(epsilon * (1 - 1e-6) - 1e-8, mu)
    assert charged(Gaussian(2.0, 2.0 * mu), delta=delta) == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize("sigma", [10.0, 10.3, 14.0, 23.7, 50.0])
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0, 2.0])
def test_discrete_noise_costs_no_less_than_its_law_summed_over_the_integers(sigma, share):
    steps = round(share * sigma)
    for delta in np.geomspace(1e-9, 0.05, 40):
        epsilon = charged(GaussianVector(sigma, steps), delta=float(delta))
        assert summed(epsilon, sigma, [steps]) <= delta * (1 + 1e-9)
    cheaper = charged(GaussianVector(sigma, steps), delta=1e-6) * (1 - 0.05 * (10 / sigma) ** 2 - 1e-3)
    assert summed(cheaper, sigma, [steps]) > 1e-6  # and little more


@pytest.mark.parametrize("delta", [1e-6, 1e-3])
def test_noise_on_two_coordinates_costs_what_the_norm_says(delta):
    epsilon = charged(GaussianVector(10.0, 10.0), delta=delta)
    assert summed(epsilon, 10.0, [6, 8]) <= delta < summed(0.9 * epsilon, 10.0, [6, 8])


def test_many_releases_are_one():
    sigma, steps = 40.0, 8.0
    many = charged(GaussianVector(sigma, steps), delta=1e-6, count=25)
    assert many == pytest.approx(epsilon_at(1e-6, 5 * steps / sqrt(sigma**2 - 4)), rel=1e-12)
    different = [GaussianVector(sigma * k, steps * sqrt(k)) for k in range(1, 8)]
    mu = sqrt(sum(event.sensitivity**2 / (event.sigma**2 - 4) for event in different))
    assert charged(*different, delta=1e-6) == pytest.approx(epsilon_at(1e-6, mu), rel=1e-12)
    assert summed(charged(GaussianVector(12.0, 9.0), delta=1e-5, count=2), 12.0, [9, 9]) <= 1e-5


@pytest.mark.parametrize("count", [1, 25])
def test_distributions_of_dp_accounting_agree_within_their_rounding(count):
    sigma, steps = 30.0, 15.0
    epsilon = charged(GaussianVector(sigma, steps), delta=1e-6, count=count)
    low, high = (
        pld.from_gaussian_mechanism(
            sqrt(sigma**2 - 4), steps, value_discretization_interval=1e-4, pessimistic_estimate=pessimistic
        )
        .self_compose(count)
        .get_epsilon_for_delta(1e-6)
        for pessimistic in (False, True)
    )
    assert low - 1e-6 <= epsilon <= high
    assert high - low < 0.01


def test_beside_other_events_all_gaussian_noise_is_one():
    """With one answer of epsilon 1/2 the delta is that of the noise at epsilon -+ 1/2, by the answer."""
    mu, delta = 5 * 8 / sqrt(40**2 - 4), 1e-6
    vectors = Loss(DOCUMENT, GaussianVector(40.0, 8.0), 25)
    epsilon = accounting.epsilon([vectors, Loss(DOCUMENT, Pure(0.5))], delta)
    likely = e**0.5 / (1 + e**0.5)

    def mixed(epsilon):
        return likely * delta_at(epsilon - 0.5, mu) + (1 - likely) * delta_at(epsilon + 0.5, mu)

    assert mixed(epsilon) <= delta < mixed(epsilon - 0.005)
    slipped = accounting.epsilon([vectors, Loss(DOCUMENT, Approximate(0.0, delta / 2))], delta)
    assert epsilon_at(delta / 2, mu) == pytest.approx(slipped, abs=0.005)
    other = accounting.epsilon([vectors, Loss(DOCUMENT, ZeroConcentrated(0.1))], delta)
    assert epsilon_at(delta, sqrt(mu**2 + 0.2)) < other < inf


@settings(deadline=None, max_examples=60)
@given(
    st.floats(10.0, 1e6),
    st.floats(1e-3, 1e6),
    st.floats(1e-12, 0.5),
    st.sampled_from(["sigma", "sensitivity", "delta"]),
    st.floats(1.0, 10.0),
)
def test_more_noise_less_change_and_a_larger_delta_never_cost_more(sigma, steps, delta, what, factor):
    here = charged(GaussianVector(sigma, steps), delta=delta)
    cheaper = {"sigma": (sigma * factor, steps, delta), "sensitivity": (sigma, steps / factor, delta)}
    *event, delta = cheaper.get(what, (sigma, steps, min(0.99, delta * factor)))
    assert charged(GaussianVector(*event), delta=delta) <= here * (1 + 1e-11)


def test_noise_of_less_than_ten_steps_and_numbers_without_sense_are_refused():
    for sigma in (9.999, 0.0, -10.0, float("nan"), inf, True, "10"):
        with pytest.raises(InputError, match="sigma of noise on a vector, in steps, must be"):
            GaussianVector(sigma, 1.0)
    for sensitivity in (0.0, -1.0, float("nan"), inf, None):
        with pytest.raises(InputError, match="sensitivity must be"):
            GaussianVector(10.0, sensitivity)
    assert charged(GaussianVector(10.0, 1.0), delta=0.0) == inf
    assert charged(GaussianVector(10.0, 1e300), delta=1e-6) == inf
    assert charged(GaussianVector(1e300, 1e-300), delta=1e-6) < 1e-3


def test_known_multipliers():
    assert noise_multiplier(8.0, 1e-6) == pytest.approx(0.653, abs=1e-3)
    assert noise_multiplier(4.0, 1e-6) == pytest.approx(1.194, abs=1e-3)
    for bad in ((0.0, 1e-6), (float("nan"), 1e-6), (1.0, 0.0), (1.0, 1.0), (1.0, -1.0)):
        with pytest.raises(InputError):
            noise_multiplier(*bad)


@pytest.mark.parametrize(("epsilon", "delta"), [(8.0, 1e-6), (1.0, 1e-5), (0.1, 1e-9), (30.0, 1e-6)])
@pytest.mark.parametrize("resolution", [2**10, 2**16])
def test_shares_of_a_budget_fill_it_and_a_ledger_is_quick(epsilon, delta, resolution, monkeypatch):
    """25 releases, each with its share, decided without a privacy-loss distribution."""
    monkeypatch.setattr(accounting, "pld_epsilon", None)
    multiplier = noise_multiplier(epsilon, delta)
    shares = np.arange(1, 26) / np.arange(1, 26).sum()
    for noise, fits in ((multiplier, True), (multiplier * (1 - 1e-4), False)):
        ledger = Ledger(budgets=(Budget(DOCUMENT, epsilon, delta),))
        prices = [ClippedSum(noise / sqrt(f), 1.0, resolution).price() for f in shares.tolist()]
        for number, price in enumerate(prices[:-1]):
            ledger.charge("a", number, price)
        if fits:
            ledger.require("a", prices[-1:])
            ledger.charge("a", 24, prices[-1])
            assert ledger.spent("a").losses_of(DOCUMENT)
        else:
            with pytest.raises(BudgetError):
                ledger.charge("a", 24, prices[-1])


def test_a_mixed_ledger_does_not_count_the_noise_twice_nor_forget_the_rest():
    budget = Budget(DOCUMENT, epsilon_at(1e-6, 1.0) + 0.5, 1e-6)
    ledger = Ledger(budgets=(budget,))
    ledger.charge("a", 0, Cost((Loss(DOCUMENT, GaussianVector(sqrt(104), 10.0)),)))
    with pytest.raises(BudgetError):
        ledger.charge("a", 1, Cost((Loss(DOCUMENT, Pure(2.0)),)))
    ledger.charge("a", 1, Cost((Loss(DOCUMENT, Pure(0.5)),)))
