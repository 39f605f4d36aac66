"""Empirical Bayes at the server: clear sums stay, hidden ones become what is expected, none is negative."""

import numpy as np
import pytest

from fedtopics.methods.hush.denoising import CLEAR, RATIOS, clear_totals, posterior_mean

RNG = np.random.default_rng(5)


def test_without_noise_sums_are_what_they_are_up_to_the_grid() -> None:
    expected = np.full(500, 10.0)
    truth = 10 * np.exp(RNG.uniform(-3, 3, 500))
    found = posterior_mean(truth, np.full(500, 1e-2), expected)
    np.testing.assert_allclose(found, truth, rtol=0.14)  # half of a step of the grid
    on_grid = 10.0 * RATIOS[1:]
    np.testing.assert_allclose(
        posterior_mean(on_grid, np.full(37, 1e-3), np.full(37, 10.0)), on_grid, rtol=1e-4
    )


def test_noise_alone_says_nothing() -> None:
    """What is expected is what is there: sums drowned in noise are close to it, closer than they came."""
    expected = RNG.uniform(5, 15, 5000)
    noisy = expected + RNG.normal(0, 100, 5000)
    found = posterior_mean(noisy, np.full(5000, 100.0), expected)
    assert np.abs(found / expected - 1).mean() < 1
    assert np.abs(found - expected).mean() < np.abs(noisy - expected).mean() / 5


def test_shape_units_and_order_change_nothing() -> None:
    y, tau, expected = RNG.normal(8, 5, (20, 30)), RNG.uniform(2, 4, (20, 30)), RNG.uniform(1, 9, (20, 30))
    found = posterior_mean(y, tau, expected)
    assert found.shape == (20, 30)
    assert found.min() >= 0
    np.testing.assert_allclose(posterior_mean(8 * y, 8 * tau, 8 * expected), 8 * found, rtol=1e-4)
    order = RNG.permutation(600)
    mixed = posterior_mean(y.ravel()[order], tau.ravel()[order], expected.ravel()[order])
    np.testing.assert_allclose(mixed, found.ravel()[order], rtol=1e-4)


def test_a_deviation_for_all_is_that_of_each() -> None:
    y, expected = RNG.normal(8, 5, 50), np.full(50, 6.0)
    one = posterior_mean(y, np.array(3.0), expected)
    np.testing.assert_array_equal(one, posterior_mean(y, np.full(50, 3.0), expected))


def test_clear_totals_stay_and_hidden_ones_come_nearer_to_the_truth() -> None:
    truth = np.concatenate([np.full(2000, 3.0), np.full(200, 60.0), [1e4, 5e4]])
    noisy = truth + RNG.normal(0, 10, len(truth))
    found = clear_totals(noisy, 10.0)
    clear = noisy >= CLEAR * 10
    np.testing.assert_array_equal(found[clear], noisy[clear])
    assert np.abs(found - truth).mean() < np.abs(np.maximum(noisy, 1) - truth).mean()
    assert found.min() >= 1


@pytest.mark.parametrize("noisy", [[-1e6, -5.0], [0.0, 0.0], [1e9, 1e9]])
def test_totals_are_at_least_one_whatever_came(noisy: list[float]) -> None:
    found = clear_totals(np.array(noisy), 7.0)
    assert np.isfinite(found).all()
    assert found.min() >= 1
