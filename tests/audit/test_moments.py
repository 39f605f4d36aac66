"""Gaussian noise by two accountants, sigma from epsilon and back, and releases of parts of the data."""

from __future__ import annotations

from math import erfc, exp, sqrt

import pytest

from fedtopics.audit import moments
from fedtopics.errors import InputError
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.release import Release, reuse, side_by_side


def exact_delta(epsilon: float, sigma: float, rounds: int) -> float:
    """delta of `rounds` releases with continuous Gaussian noise (Balle and Wang, ICML 2018)."""
    mean = sqrt(rounds) / sigma
    above, below = (erfc((epsilon / mean + side) / sqrt(2)) / 2 for side in (-mean / 2, mean / 2))
    return above - exp(epsilon) * below


@pytest.mark.parametrize(("sigma", "rounds"), [(0.25, 35), (0.25, 1), (0.6, 1), (2.0, 10)])
def test_both_accountants_bound_the_exact_loss(sigma: float, rounds: int) -> None:
    word = moments.accounts(sigma, rounds)[0]
    assert word.pld <= word.rdp
    assert exact_delta(word.pld * 1.002, sigma, rounds) <= 1e-5 * 1.001
    assert exact_delta(word.pld * 0.99, sigma, rounds) > 1e-5


def test_sigma_and_epsilon_are_each_others_inverse() -> None:
    found = moments.sigma_for(8.0, "word add/remove", rounds=2)
    assert found["pld"] <= found["rdp"]
    assert moments.accounts(found["pld"], 2)[0].pld == pytest.approx(8, abs=0.02)
    assert moments.accounts(found["rdp"], 2)[0].rdp == pytest.approx(8, abs=0.02)


@pytest.mark.parametrize("sigma", [0.0, -1.0, float("nan"), float("inf")])
def test_a_bad_sigma_is_refused(sigma: float) -> None:
    with pytest.raises(InputError, match="sigma must be"):
        moments.accounts(sigma)


def test_other_bad_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="delta above 0"):
        moments.accounts(1.0, delta=0.0)
    with pytest.raises(InputError, match="number of rounds"):
        moments.accounts(1.0, rounds=0)
    with pytest.raises(InputError, match="relation must be one of"):
        moments.sigma_for(8.0, "party")
    with pytest.raises(InputError, match="cannot be reached"):
        moments.sigma_for(0.01, "word add/remove")


def test_parts_of_the_data_cost_what_one_costs() -> None:
    cost = Cost((Loss("word add/remove", Pure(2.0)),), noise="secure")
    whole = side_by_side((Release(value, cost) for value in (1, 2, 3)), lambda a, b: a + b)
    assert (whole.value, whole.cost) == (6, cost)


def test_parts_that_are_priced_otherwise_are_refused() -> None:
    word = Cost((Loss("word add/remove", Pure(2.0)),))
    document = Cost((Loss("document replace", Pure(2.0)),))
    for costs in ([document], [word, Cost((Loss("word add/remove", Pure(3.0)),))]):
        with pytest.raises(InputError, match="priced alike, for words only"):
            side_by_side((Release(0, cost) for cost in costs), max)
    with pytest.raises(InputError, match="at least one release, got none"):
        side_by_side(iter([]), max)
    assert side_by_side([reuse(1)], max).value == 1
