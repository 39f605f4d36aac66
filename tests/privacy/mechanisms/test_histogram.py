"""Noisy histograms of documents, units and tokens: channel, price, totals, order, cut."""

import logging
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from statistics_ import SEED, assert_drawn_from

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.unit_histogram import UnitHistogram
from fedtopics.privacy.price import accounting

FALSE_ALARM = 1e-6


def noise(*address):
    return Noise.simulated(SEED, "histogram", *address)


def epsilon(cost, relation):
    return accounting.epsilon(cost.losses_of(relation), 0.0)


def worst_log_ratio(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.abs(np.log(first) - np.log(second)).max())


@given(st.floats(0.01, 12), st.integers(1, 6), st.integers(0, 20))
def test_channel_of_a_count_is_as_private_as_a_word_costs(price, threshold, max_count):
    mechanism = Histogram(price, 50, threshold)
    channel = mechanism.channel(max_count + 1, max_value=threshold + 25)
    channel[:, 1:threshold] = 1  # cannot be released
    assert worst_log_ratio(channel[1:], channel[:-1]) <= epsilon(mechanism.price(), "word add/remove") + 1e-9


@given(st.floats(0.01, 12), st.integers(1, 6), st.integers(0, 9))
def test_channel_rows_sum_to_one(price, threshold, max_count):
    assert np.allclose(Histogram(price, 5, threshold).channel(max_count, threshold + 30).sum(axis=1), 1)


@pytest.mark.parametrize("threshold", [1, 2])
def test_draws_follow_the_channel_for_every_count_and_place(threshold):
    counts, n_documents = [0, 3, 0, 1, 2, 0], 20_000
    document = np.repeat(np.arange(6), counts)
    mechanism = Histogram(0.8, 6, threshold)
    offsets = np.arange(n_documents + 1) * len(document)
    rows = mechanism(np.tile(document, n_documents), offsets, noise(threshold)).value
    channel = mechanism.channel(3, 20)
    for word, count in enumerate(counts):
        released = np.minimum(rows.dense()[:, word], 20)
        assert_drawn_from(np.bincount(released, minlength=21), channel[count])


def test_likelihood_ratio_is_that_of_the_channel():
    mechanism = Histogram(1.3, 10)
    channel = mechanism.channel(6, 30)
    values, counts = np.arange(1, 30), np.arange(7)[:, None]
    assert np.allclose(mechanism.likelihood_ratio(values, counts), channel[:, 1:-1] / channel[0, 1:-1])


@pytest.mark.parametrize("price", [0.5, 2.0])
def test_debiased_totals_are_unbiased(price):
    """Mean of 20,000 documents against the true counts; normal bound, false alarm 1e-6 over all words."""
    counts, n_documents = np.array([0, 1, 2, 7, 0]), 20_000
    document = np.repeat(np.arange(5), counts)
    mechanism = Histogram(price, 5)
    offsets = np.arange(n_documents + 1) * len(document)
    rows = mechanism(np.tile(document, n_documents), offsets, noise("debias", str(price))).value
    a = mechanism.decay
    spread = np.sqrt(2 * a / (1 - a) ** 2 + (a / (1 - a)) ** 2 + 1) * np.sqrt(n_documents)
    error = np.abs(mechanism.debias(rows) - counts * n_documents)
    assert np.all(error < norm.isf(FALSE_ALARM / 10) * spread)


def test_price_at_every_level():
    cost = Histogram(6.0, 100, bounds=Bounds(max_length=50, max_documents=4)).price()
    expected = {
        "word add/remove": 12,  # one word in can push another one out
        "word replace": 12,
        "document add/remove": 300,
        "document replace": 600,
        "person add/remove": 1200,
        "person replace": 2400,
    }
    assert {relation: epsilon(cost, relation) for relation in cost.relations} == expected
    cost = Histogram(6.0, 100).price()
    expected = {"word add/remove": 6, "word replace": 12}
    assert {relation: epsilon(cost, relation) for relation in cost.relations} == expected


@pytest.mark.parametrize("max_length", [None, 1, 3, 4])
def test_a_word_that_is_inserted_anywhere_costs_at_least_its_worst_ratio(max_length):
    """Log ratio of the exact channels of every text and of that text with one more word, cut as released."""
    mechanism = Histogram(2.0, 3, bounds=Bounds(max_length=max_length))
    channel = mechanism.channel(5, 9)
    channel = channel[:, channel[0] > 0]
    worst = 0.0
    for text in product(range(3), repeat=4):
        for place, word in product(range(5), range(3)):
            pair = text, (*text[:place], word, *text[place:])
            counts = [np.bincount(one[:max_length], minlength=3) for one in pair]
            worst = max(
                worst, sum(worst_log_ratio(channel[a], channel[b]) for a, b in zip(*counts, strict=True))
            )
    assert worst == pytest.approx(epsilon(mechanism.price(), "word add/remove"), abs=1e-5)


def test_documents_over_the_public_maximum_keep_their_first_words(caplog):
    mechanism = Histogram(30.0, 5, bounds=Bounds(max_length=2))
    with caplog.at_level(logging.WARNING):
        rows = mechanism(np.array([0, 1, 2, 2, 4]), np.array([0, 4, 5]), noise("cut")).value
    assert rows.dense().tolist() == [[1, 1, 0, 0, 0], [0, 0, 0, 0, 1]]
    assert "1 of 2 documents are longer than the public maximum" in caplog.text


def test_at_epsilon_zero_the_documents_do_not_show():
    for mechanism in (Histogram(0.0, 5), Histogram(1e-9, 5)):
        rows = mechanism(np.array([0, 1, 2]), np.array([0, 3]), noise("zero")).value
        assert rows.dense().tolist() == [[0] * 5]


def test_unit_rows_are_histograms_of_units_and_are_cut_with_the_document():
    words, documents, units = np.array([0, 0, 1, 2, 3, 3]), np.array([0, 4, 6]), np.array([0, 2, 4, 6])
    strong = Histogram(30.0, 4)
    assert UnitHistogram(strong)(words, documents, units, noise("unit")).value.dense().tolist() == [
        [2, 0, 0, 0],
        [0, 1, 1, 0],
        [0, 0, 0, 2],
    ]
    bounded = UnitHistogram(Histogram(30.0, 4, bounds=Bounds(max_length=3)))
    release = bounded(words, documents, units, noise("cut unit"))
    assert release.value.dense().tolist() == [[2, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 2]]
    assert epsilon(release.cost, "document add/remove") == 90
    with pytest.raises(InputError, match="units must not cross documents"):
        bounded(words, documents, np.array([0, 3, 5, 6]), noise())


@given(st.floats(0.1, 12), st.floats(0.05, 1.0), st.sampled_from([1, 8, 64]))
def test_channel_of_a_one_hot_entry_is_as_private_as_a_word_costs(price, tau, grid):
    mechanism = OneHot(price, 10, tau, grid)
    channel = mechanism.channel(mechanism.threshold + 4 * grid)
    channel[:, 1 : mechanism.threshold] = 1
    assert 2 * worst_log_ratio(channel[0], channel[1]) <= epsilon(mechanism.price(), "word replace") + 1e-9


@pytest.mark.parametrize("word", range(4))
def test_one_hot_draws_follow_the_channel(word):
    mechanism = OneHot(3.0, 4, tau=0.2, grid=4)
    rows = mechanism(np.full(20_000, word), noise("one hot", word)).value.dense()
    channel = mechanism.channel(12)
    for place in range(4):
        counts = np.bincount(np.minimum(rows[:, place], 12), minlength=13)
        assert_drawn_from(counts, channel[int(place == word)])


def test_one_hot_likelihoods_are_those_of_the_channel():
    mechanism = OneHot(5.0, 10, tau=0.3, grid=16)
    channel, values = mechanism.channel(60), np.arange(mechanism.threshold, 60)
    assert np.allclose(mechanism.likelihood_ratio(values), channel[1, values] / channel[0, values])
    assert mechanism.silence_ratio == pytest.approx(channel[1, 0] / channel[0, 0])


def test_one_hot_prices_a_replaced_word_alone_and_shows_the_claim():
    """One row per token: whoever counts rows sees a word that was added, or a document that grew."""
    mechanism = OneHot(8.0, 3000, bounds=Bounds(max_length=100))
    for cost in (mechanism.price(), mechanism(np.array([1, 2]), noise("price")).cost):
        assert {relation: epsilon(cost, relation) for relation in cost.relations} == {"word replace": 16}
        assert epsilon(cost, "word add/remove") == epsilon(cost, "document replace") == float("inf")
        assert (cost.claims[0].relation, cost.claims[0].epsilon) == ("word add/remove", 8.0)


@pytest.mark.parametrize(
    ("words", "offsets", "message"),
    [
        ([0, 5], [0, 2], r"word ids must lie in \[0, 5\), got \[0, 5\]"),
        ([-1], [0, 1], r"got \[-1, -1\]"),
        ([0.5], [0, 1], "array of integers"),
        ([0, 1], [0, 3], "offsets must rise from 0"),
        ([0, 1], [1, 2], "offsets must rise from 0"),
        ([0, 1], [0, 2, 1, 2], "offsets must rise from 0"),
        ([0, 1], [], "offsets must rise from 0"),
    ],
)
def test_bad_documents_are_refused(words, offsets, message):
    with pytest.raises(InputError, match=message):
        Histogram(1.0, 5)(np.array(words), np.array(offsets, dtype=int), noise())


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
def test_bad_settings_are_refused(bad):
    for make in (Histogram, OneHot):
        with pytest.raises(InputError, match="epsilon must be"):
            make(bad, 5)
    for make in (lambda: Histogram(1.0, 0), lambda: Histogram(1.0, 5, 0), lambda: OneHot(1.0, 5, tau=bad)):
        with pytest.raises(InputError, match="got"):
            make()
    with pytest.raises(InputError, match="public maximum"):
        Bounds(max_length=0)
    with pytest.raises(InputError, match="threshold 1 only"):
        Histogram(1.0, 5, 2).debias(Histogram(1.0, 5, 2)(np.array([1]), np.array([0, 1]), noise()).value)
