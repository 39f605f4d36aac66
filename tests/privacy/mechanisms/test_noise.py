"""Exact noise: the samplers against their laws and against OpenDP, the sources against accidents."""

import copy
import os
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from statistics_ import SEED, assert_drawn_from, assert_same_law

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import _noise, exact
from fedtopics.privacy.mechanisms.noise import Noise


def noise(*address: int | str) -> Noise:
    return Noise.simulated(SEED, "tests", *address)


def histogram(draws: np.ndarray, reach: int) -> np.ndarray:
    """Counts of -reach, ..., reach, the tails folded into the ends."""
    return np.bincount(np.clip(draws, -reach, reach) + reach, minlength=2 * reach + 1)


def law(weights: np.ndarray, reach: int) -> np.ndarray:
    """Probabilities on -reach, ..., reach from weights on a wider symmetric range."""
    middle = len(weights) // 2
    folded = weights[middle - reach : middle + reach + 1].copy()
    folded[0] += weights[: middle - reach].sum()
    folded[-1] += weights[middle + reach + 1 :].sum()
    return folded / weights.sum()


@pytest.mark.parametrize("epsilon", ["1/50", "1/3", "1/2", "1", "3/2", "6", "104857/1048576"])
def test_laplace_follows_its_law(epsilon):
    rate = Fraction(epsilon)
    reach = int(6 / rate) + 2
    weights = np.exp(-float(rate) * np.abs(np.arange(-20 * reach, 20 * reach + 1)))
    assert_drawn_from(histogram(noise(epsilon).laplace(rate, 200_000), reach), law(weights, reach))


@pytest.mark.parametrize("sigma", [0.25, 0.6, 1.0, 3.7, 16.0, 32.0, 40.0])
def test_gaussian_follows_its_law(sigma):
    variance = exact.dyadic_variance(sigma)
    reach = int(4 * sigma) + 1
    weights = np.exp(-(np.arange(-10 * reach, 10 * reach + 1) ** 2) / (2 * float(variance)))
    assert_drawn_from(histogram(noise(str(sigma)).gaussian(variance, 150_000), reach), law(weights, reach))


@pytest.mark.parametrize(
    ("rest", "row"),
    [([0] * 12, 0), ([0] * 11 + [4], 0), ([0] * 11 + [5], 1), ([0] * 11 + [6], 2), ([9] * 12, 2)],
)
def test_a_table_is_read_to_the_last_digit(rest, row):
    """A real whose first 64 bits are those of two rows: the others decide (no draw would ever show it)."""
    table = np.zeros((3, 16), np.uint16)
    table[:, 0] = 0x8001, 0x8001, 0xFFFF
    table[:2, -1] = 5, 6
    head = (0x8001 << 48).to_bytes(8, "little")
    digits_and_sign = b"".join(digit.to_bytes(2, "little") for digit in rest) + bytes(8)
    blocks = iter([head + digits_and_sign])
    assert _noise.two_sided(_noise.Stream(lambda: next(blocks)), table, 1).tolist() == [row]


@pytest.mark.parametrize("sigma", [1000.0, 4096 * 3.3, 2.0**22])
def test_wide_gaussian_follows_its_law_in_fifty_bins(sigma):
    """The noise of agreeing on words: thousands of steps wide."""
    variance = exact.dyadic_variance(sigma)
    drawn = noise("wide", str(sigma)).gaussian(variance, 60_000)
    edges = np.concatenate([[-np.inf], np.rint(np.linspace(-3, 3, 49) * sigma) + 0.5, [np.inf]])
    expected = np.diff(norm.cdf(edges / float(variance) ** 0.5))  # the sum is the integral, to 1e-6 at least
    assert_drawn_from(np.histogram(drawn, edges)[0], expected)


@pytest.mark.parametrize("x", ["0", "1/7", "1/2", "1", "9/4", "3"])
def test_exp_minus_is_a_coin(x):
    drawn = noise(x).exp_minus(Fraction(x), 100_000)
    p = np.exp(-float(Fraction(x)))
    assert_drawn_from(np.bincount(drawn.astype(int), minlength=2), np.array([1 - p, p]))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 64, 100])
def test_below_is_uniform(n):
    assert_drawn_from(np.bincount(noise(n).below(n, 50_000), minlength=n), np.full(n, 1 / n))


def test_survivors_are_coins_at_every_position():
    """Every one of 50 positions survives with the same chance, and neighbors are independent."""
    success = exact.laplace_tail(Fraction(2), 1)
    p = float(success)
    positions = noise("skip").survivors(success, 50 * 20_000)
    alive = np.zeros(50 * 20_000, dtype=int)
    alive[positions] = 1
    for place in range(50):
        assert_drawn_from(np.bincount(alive[place::50], minlength=2), np.array([1 - p, p]))
    pairs = np.bincount(2 * alive[0::2] + alive[1::2], minlength=4)
    assert_drawn_from(pairs, np.array([(1 - p) ** 2, p * (1 - p), p * (1 - p), p**2]))


def test_the_first_positions_survive_as_often_as_others():
    """The first places of 20,000 fresh ranges: an off-by-one at the start shows here only."""
    success = exact.laplace_tail(Fraction(1), 1)
    p, stream = float(success), noise("start")
    alive = np.zeros((20_000, 3), dtype=int)
    for row in alive:
        row[stream.survivors(success, 3)] = 1
    for place in range(3):
        assert_drawn_from(np.bincount(alive[:, place], minlength=2), np.array([1 - p, p]))


@given(st.decimals("1e-30", "0.999", allow_nan=False))
def test_gap_digits_have_the_law_of_a_geometric_number(success):
    """The mean of the number that the binary digits spell is q / p (last row: beyond, negligible or huge)."""
    digits = exact.gap_digits(success)
    weights = [Fraction(1, 2 ** (16 * (place + 1))) for place in range(16)]
    chances = [sum(int(d) * w for d, w in zip(row, weights, strict=True)) for row in digits]
    mean = float(sum(chance * 2**i for i, chance in enumerate(chances[:-1])))
    p = float(success)
    if mean < 1e17 and p > 1e-15:
        assert mean == pytest.approx((1 - p) / p, rel=1e-9)


def test_rare_survivors_never_come_too_early():
    for success in ("1e-30", "1e-300"):
        stream = noise("rare", success)
        assert not any(len(stream.survivors(Decimal(success), 2**62 - 1)) for _ in range(50))


@pytest.mark.parametrize("threshold", [1, 3])
def test_laplace_rows_equal_dense_noise_then_threshold(threshold):
    """Every cell, present or absent, first or last, has the law of count + noise, cut below the threshold."""
    words, n_rows = np.array([0, 0, 3, 4, 4, 4], dtype=np.int32), 20_000
    offsets = np.arange(n_rows + 1) * len(words)
    rows = noise("rows", threshold).laplace_rows(
        np.tile(words, n_rows), offsets, 5, epsilon=Fraction(1), threshold=threshold
    )
    for word, count in enumerate([2, 0, 0, 1, 3]):
        released = rows.dense()[:, word]
        values = np.arange(-60, 61)
        weights = np.exp(-np.abs(values - count))
        expected = np.zeros(12)
        for value, weight in zip(values, weights / weights.sum(), strict=True):
            expected[min(value, 11) if value >= threshold else 0] += weight
        assert_drawn_from(np.bincount(np.minimum(released, 11), minlength=12), expected)


def test_gaussian_rows_equal_dense_noise_then_threshold():
    words, n_rows, variance = np.array([1, 1], dtype=np.int32), 30_000, exact.dyadic_variance(1.5)
    offsets = np.arange(n_rows + 1) * 2
    rows = noise("gaussian rows").gaussian_rows(
        np.tile(words, n_rows), offsets, 3, variance=variance, threshold=1
    )
    for word, count in enumerate([0, 2, 0]):
        values = np.arange(-40, 41)
        weights = np.exp(-((values - count) ** 2) / (2 * float(variance)))
        expected = np.zeros(9)
        for value, weight in zip(values, weights / weights.sum(), strict=True):
            expected[min(value, 8) if value >= 1 else 0] += weight
        assert_drawn_from(np.bincount(np.minimum(rows.dense()[:, word], 8), minlength=9), expected)


def test_rows_are_ordered_by_word_whatever_was_there():
    rng = np.random.default_rng(SEED)
    words = rng.integers(200, size=3000).astype(np.int32)
    rows = noise("order").laplace_rows(words, np.arange(0, 3001, 100), 200, epsilon=Fraction(2), threshold=1)
    for start, end in zip(rows.offsets[:-1], rows.offsets[1:], strict=True):
        assert np.all(np.diff(rows.words[start:end]) > 0)


def test_samplers_agree_with_opendp():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    size = 20_000
    space = dp.vector_domain(dp.atom_domain(T=int), size=size), dp.l1_distance(T=int)
    theirs = np.array(dp.m.make_laplace(*space, scale=2.0)([0] * size))
    assert_same_law(theirs, noise("oracle").laplace(Fraction(1, 2), size))
    space = dp.vector_domain(dp.atom_domain(T=int), size=size), dp.l2_distance(T=float)
    theirs = np.array(dp.m.make_gaussian(*space, scale=1.5)([0] * size))
    assert_same_law(theirs, noise("oracle").gaussian(Fraction(9, 4), size))


def test_secure_noise_is_keyed_by_the_operating_system(monkeypatch):
    keys = []
    system = os.urandom
    monkeypatch.setattr(os, "urandom", lambda n: keys.append(system(n)) or keys[-1])
    first, second = Noise.secure(), Noise.secure()
    assert [len(key) for key in keys] == [32, 32]
    assert first.source == second.source == "secure"
    drawn = [stream.below(2**60, 4).tolist() for stream in (first, second)]
    assert drawn[0] != drawn[1]
    assert not set(drawn[0]) & set(drawn[1])


def test_noise_of_a_known_key_cannot_pass_for_secure():
    known = Noise(bytes(32))
    assert known.source == "simulated"
    with pytest.raises(AttributeError):
        known.source = "secure"
    with pytest.raises(TypeError):
        Noise(bytes(32), "secure")


def test_simulated_noise_repeats_and_is_addressed():
    def draw(*address):
        stream = Noise.simulated(*address)
        assert stream.source == "simulated"
        return stream.below(2**60, 3).tolist()

    assert draw(1, "party", 2) == draw(1, "party", 2)
    addresses = [(1,), (2,), (1, "a"), (1, "b"), (1, "a", 0), (1, "a", 1), (1, 0, "a")]
    assert len({tuple(draw(*address)) for address in addresses}) == len(addresses)


def test_a_stream_does_not_repeat_across_its_blocks():
    words = noise("long").below(2**62, 600_000)
    assert len(np.unique(words)) == len(words)


def test_draws_do_not_depend_on_how_they_are_asked_for():
    whole = noise("split").laplace(Fraction(1), 1000)
    stream = noise("split")
    assert np.array_equal(np.concatenate([stream.laplace(Fraction(1), n) for n in (1, 499, 500)]), whole)


def test_noise_is_not_copied_stored_or_shared_with_another_process(monkeypatch):
    stream = Noise.secure()
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            attempt(stream)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(InputError, match="another process"):
        stream.laplace(Fraction(1), 1)


@given(st.floats(0, 4096))
def test_epsilon_is_rounded_towards_privacy(epsilon):
    used = exact.dyadic_epsilon(epsilon)
    assert used <= epsilon < used + exact.EPSILON_STEP


@given(st.floats(1e-6, 2**26))
def test_sigma_is_rounded_towards_privacy(sigma):
    used = exact.dyadic_variance(sigma)
    assert Fraction(sigma) ** 2 <= used <= (Fraction(sigma) * Fraction(101, 100) + Fraction(1, 2**20)) ** 2
    assert max(used.as_integer_ratio()) < 2**57


@given(st.floats(0, 0.999))
def test_chances_are_rounded_as_asked(probability):
    assert (
        exact.chance_at_most(probability)
        <= Fraction(probability) * 2**64
        <= exact.chance_at_least(probability)
    )


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0, 5000.0, pytest.param(10**400, id="huge")])
def test_bad_epsilons_are_refused(bad):
    with pytest.raises(InputError, match="epsilon must be"):
        exact.dyadic_epsilon(bad)


def test_other_bad_numbers_are_refused():
    for bad in (0.0, -1.0, float("nan"), 2.0**27):
        with pytest.raises(InputError, match="sigma must be"):
            exact.dyadic_variance(bad)
    for bad in (Fraction(0), Fraction(-1), 0.5):
        with pytest.raises(InputError, match="small positive fraction"):
            noise().laplace(bad, 1)
        with pytest.raises(InputError, match="dyadic_variance"):
            noise().gaussian(bad, 1)
    with pytest.raises(InputError, match="probability"):
        exact.chance_at_most(1.0)
    with pytest.raises(InputError, match="e\\^-x"):
        noise().exp_minus(Fraction(-1), 1)
    with pytest.raises(InputError, match="key of 32 bytes"):
        Noise(b"short")
