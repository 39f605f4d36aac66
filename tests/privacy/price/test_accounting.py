"""From events to one epsilon at a delta: known values, and what composition may not do."""

from math import e, inf

import pytest
from privacy.price.costs import WORD

from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Loss
from fedtopics.privacy.price.events import (
    Approximate,
    DiscreteGaussian,
    DiscreteLaplace,
    Gaussian,
    KaryResponse,
    Nothing,
    Pure,
    ZeroConcentrated,
)


def test_hundred_randomized_responses_account_to_2_62():
    losses = [Loss("word replace", KaryResponse(1.0, 10_000), count=100)]
    assert accounting.epsilon(losses, 1e-6) == pytest.approx(2.62, abs=0.01)
    one_by_one = [Loss("word replace", KaryResponse(1.0, 10_000))] * 100
    assert accounting.epsilon(one_by_one, 1e-6) == accounting.epsilon(losses, 1e-6)


def test_gaussian_rounds_account_to_380():
    losses = [Loss(WORD, Gaussian(0.25), count=35)]
    assert accounting.epsilon(losses, 1e-5) == pytest.approx(380, abs=1)
    counts = ((Gaussian(0.25), 35),)
    assert accounting.rdp_epsilon(counts, 1e-5) == pytest.approx(390.9, abs=0.2)


def test_basic_composition_is_what_delta_zero_gives():
    losses = [Loss(WORD, Pure(1.0), 3), Loss(WORD, DiscreteLaplace(0.5, 2)), Loss(WORD, KaryResponse(2.0, 5))]
    assert accounting.epsilon(losses, 0.0) == 6.0
    assert accounting.epsilon([Loss(WORD, DiscreteGaussian(1.0))], 0.0) == inf
    assert accounting.epsilon([Loss(WORD, Nothing())], 0.0) == 0.0


@pytest.mark.parametrize(
    "event", [Pure(0.1), DiscreteLaplace(0.1), KaryResponse(0.1, 2), ZeroConcentrated(0.005)]
)
def test_advanced_composition_helps_and_never_undercuts_one_release(event):
    many = accounting.epsilon([Loss(WORD, event, 400)], 1e-6)
    assert 0.1 < many < 20
    assert many >= accounting.epsilon([Loss(WORD, event)], 1e-6)


def test_delta_spent_by_an_event_is_not_available_again():
    losses = [Loss(WORD, Approximate(1.0, 1e-3))]
    assert accounting.epsilon(losses, 1e-4) == inf
    assert accounting.epsilon(losses, 2e-3) <= 1.0 + 1e-9
    assert accounting.rdp_epsilon(((Approximate(1.0, 1e-3), 3),), 2.5e-3) == inf
    assert accounting.rdp_epsilon(((Approximate(1.0, 1e-3), 3),), 4e-3) < inf
    assert accounting.epsilon([*losses, Loss(WORD, Pure(1.0))], 1e-3) == pytest.approx(2.0, abs=0.01)


def test_discrete_gaussian_pld_is_no_better_than_its_exact_divergence():
    """One release at sigma 1: delta(epsilon) summed by hand over the integers."""
    losses = [Loss(WORD, DiscreteGaussian(1.0))]
    epsilon = accounting.epsilon(losses, 1e-3)
    mass = {z: e ** (-(z**2) / 2) for z in range(-40, 41)}
    total = sum(mass.values())
    delta = sum(max(0.0, mass[z] - e**epsilon * mass.get(z - 1, 0.0)) for z in mass) / total
    assert delta <= 1e-3 * (1 + 1e-12)  # epsilon is where they meet; sums are rounded
