"""Mechanisms that report words, beyond what every mechanism must satisfy: prices, laws, debiasing."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statistics_ import SEED, assert_drawn_from

from fedtopics.audit.papers import FIGURE_3, FIGURE_3_THETA
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bit_vector import bit_vector, estimate
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.prior_response import PriorResponse, flip_probability
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.mechanisms.subset_selection import SubsetSelection
from fedtopics.privacy.mechanisms.truncated_response import TruncatedResponse
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding, distinct, hybrid_categorical
from fedtopics.privacy.price import accounting


def noise(*address):
    return Noise.simulated(SEED, "responses", *address)


def worst_log_ratio(channel: np.ndarray) -> float:
    possible = channel[:, channel.max(axis=0) > 0]
    return float(np.log(possible.max(axis=0) / possible.min(axis=0)).max())


@settings(deadline=None)
@given(st.floats(0.1, 12), st.integers(3, 40))
def test_debias_inverts_the_channel(epsilon, n_words):
    mechanism = RandomizedResponse(epsilon, n_words)
    assert np.allclose(mechanism.debias(mechanism.channel()), np.eye(n_words), atol=1e-6)
    kept = tuple(range(n_words - 1, 0, -1))
    truncated = TruncatedResponse(epsilon, n_words, kept)
    expected = np.eye(n_words)
    expected[0] = np.append(0, np.full(n_words - 1, 1 / (n_words - 1)))  # not kept: spread evenly
    assert np.allclose(truncated.debias(truncated.channel()), expected, atol=1e-6)
    bits = UnaryEncoding.informative(epsilon, n_words)
    per_bit = np.full((n_words, n_words), bits.q) + np.eye(n_words) * (bits.p - bits.q)
    assert np.allclose(bits.debias(per_bit, 1), np.eye(n_words), atol=1e-6)


@given(st.floats(0.1, 6), st.integers(3, 7))
def test_debias_inverts_subset_selection(epsilon, n_words):
    mechanism = SubsetSelection(epsilon, n_words)
    sets = list(combinations(range(n_words), mechanism.n_members))
    member = np.array([[word in s for word in range(n_words)] for s in sets], dtype=float)
    assert np.allclose(mechanism.debias(mechanism.channel() @ member, 1), np.eye(n_words), atol=1e-6)


def test_debiasing_what_says_nothing_is_refused():
    for mechanism, arguments in [
        (RandomizedResponse(0.0, 4), ()),
        (TruncatedResponse(0.0, 4, (0, 1)), ()),
        (UnaryEncoding.optimized(0.0, 4), (1,)),
        (SubsetSelection(0.0, 4), (1,)),
    ]:
        with pytest.raises(InputError, match="cannot be debiased"):
            mechanism.debias(np.ones(4), *arguments)


@pytest.mark.parametrize(
    "mechanism",
    [
        RandomizedResponse(2.0, 7),
        TruncatedResponse(2.0, 7, (3, 1, 2)),
        SubsetSelection(2.0, 7),
        PriorResponse.from_topics(5.0, 0.1, FIGURE_3, FIGURE_3_THETA, public_prior=True),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_a_report_for_each_word_shows_their_number_so_only_a_replaced_word_is_priced(mechanism):
    """Documents that were never seen, and words that change the number of reports, have no bound."""
    for cost in (mechanism.price(), mechanism(np.array([0, 6, 3]), noise("price")).cost):
        assert cost.relations == ("word replace",)
        assert len(cost.losses) == 1


def test_bits_of_each_word_price_a_replaced_word_alone():
    mechanism = hybrid_categorical(2.0, 5, Bounds(max_length=2))
    release = mechanism.each(np.array([4, 0, 0]), noise("each"))
    assert release.value.n_rows == 3
    assert release.cost.relations == ("word replace",)
    assert accounting.epsilon(release.cost.losses_of("word replace"), 0.0) == pytest.approx(2.0)


@settings(deadline=None)
@given(st.floats(0.05, 10))
def test_one_bit_of_unary_encoding_costs_its_worst_ratio(epsilon):
    for make in (UnaryEncoding.optimized, UnaryEncoding.symmetric, UnaryEncoding.informative):
        mechanism = make(epsilon, 50)
        price = accounting.epsilon(mechanism.price().losses_of("word add/remove"), 0.0)
        assert worst_log_ratio(mechanism.channel()) <= price + 1e-9


def test_rows_of_many_words_have_every_bit_drawn_from_the_channel():
    mechanism = UnaryEncoding.of(0.7, 0.2, 6)
    words, n_rows = np.array([5, 1, 1, 0]), 20_000
    rows = mechanism(np.tile(words, n_rows), np.arange(n_rows + 1) * 4, noise("rows")).value
    for word, there in enumerate([1, 1, 0, 0, 0, 1]):
        assert_drawn_from(np.bincount(rows.dense()[:, word], minlength=2), mechanism.channel()[there])
    assert all(
        np.all(np.diff(rows.words[a:b]) > 0) for a, b in zip(rows.offsets, rows.offsets[1:], strict=False)
    )


@pytest.mark.parametrize("max_length", [None, 2, 3])
def test_a_word_inserted_or_replaced_costs_its_worst_ratio_whatever_is_cut(max_length):
    """Bits that differ between every text and its neighbors, in either direction, against the price."""
    mechanism = UnaryEncoding.of(0.6, 0.1, 4, Bounds(max_length=max_length))
    up, down = np.log(0.6 / 0.1), np.log(0.9 / 0.4)

    def kept(text):
        return set(list(dict.fromkeys(text))[:max_length])

    def loss(one, two):
        gone, come = len(kept(one) - kept(two)), len(kept(two) - kept(one))
        return max(gone * up + come * down, gone * down + come * up)

    texts = list(product(range(4), repeat=4))
    added = max(loss(t, (*t[:place], w, *t[place:])) for t, place, w in product(texts, range(5), range(4)))
    replaced = max(
        loss(t, (*t[:place], w, *t[place + 1 :])) for t, place, w in product(texts, range(4), range(4))
    )
    for relation, worst in {"word add/remove": added, "word replace": replaced}.items():
        assert accounting.epsilon(mechanism.price().losses_of(relation), 0.0) == pytest.approx(worst)


def test_a_row_keeps_its_first_different_words():
    words, offsets = distinct(np.array([3, 1, 3, 2, 0, 0]), np.array([0, 4, 4, 6]))
    assert words.tolist() == [3, 1, 2, 0]
    assert offsets.tolist() == [0, 3, 3, 4]
    strong = UnaryEncoding.of(1 - 1e-9, 1e-9, 4, Bounds(max_length=2))
    rows = strong(np.array([3, 1, 3, 2]), np.array([0, 4]), noise("first")).value
    assert rows.words.tolist() == [1, 3]


def test_informative_bits_carry_more_than_the_others():
    def information(mechanism: UnaryEncoding, density: float) -> float:
        def uncertainty(x: float) -> float:
            return float(-x * np.log(x) - (1 - x) * np.log(1 - x))

        p, q = mechanism.p, mechanism.q
        mixed = density * p + (1 - density) * q
        return uncertainty(mixed) - density * uncertainty(p) - (1 - density) * uncertainty(q)

    best = information(UnaryEncoding.informative(4.0, 1000), 1e-3)
    assert best > 1.01 * information(UnaryEncoding.optimized(4.0, 1000), 1e-3)
    assert best > 1.01 * information(UnaryEncoding.symmetric(4.0, 1000), 1e-3)


def test_bit_vectors_are_priced_per_bit_word_and_document_and_show_the_claim():
    per_bit = float(np.log(0.95 / 0.05))
    cost = bit_vector(0.1, 1000, Bounds(max_length=80)).price()
    for relation, n_bits in {
        "word add/remove": 2,  # one word in can push another one out
        "word replace": 2,
        "document add/remove": 80,
        "document replace": 160,
    }.items():
        assert accounting.epsilon(cost.losses_of(relation), 0.0) == pytest.approx(n_bits * per_bit)
    unbounded = bit_vector(0.1, 1000).price()
    assert accounting.epsilon(unbounded.losses_of("word add/remove"), 0.0) == pytest.approx(per_bit)
    assert cost.claims[0].relation == "document replace"
    assert cost.claims[0].epsilon == pytest.approx(per_bit)


def test_bit_vector_estimate_is_the_papers():
    f, n_documents, holders = 0.3, 20_000, 6_000
    offsets = np.concatenate([np.arange(holders + 1), np.full(n_documents - holders, holders)])
    rows = bit_vector(f, 1)(np.zeros(holders, int), offsets, noise("estimate")).value
    count, variance = estimate(np.array([len(rows.words)]), n_documents, f)
    assert abs(count[0] - holders) < 5 * variance**0.5


def test_bad_settings_are_refused():
    for make in (
        lambda: RandomizedResponse(1.0, 1),
        lambda: TruncatedResponse(1.0, 5, (1, 1)),
        lambda: TruncatedResponse(1.0, 5, (1, 5)),
        lambda: SubsetSelection(1.0, 5, size=5),
        lambda: UnaryEncoding.of(0.2, 0.7, 5),
        lambda: UnaryEncoding.of(1.0, 0.5, 5),
        lambda: UnaryEncoding(0, 1, 5),
        lambda: bit_vector(0.0, 5),
        lambda: flip_probability(1.0, 0.0),
        lambda: flip_probability(1.0, 0.1, gamma=0.5),
        lambda: PriorResponse(1.0, 0.1, np.array([0.5, 0.6]), 0.1),
    ):
        with pytest.raises(InputError):
            make()


def test_shuffled_bits_may_be_those_of_any_word():
    """Cut to one word of ten, each counts one time in ten; unshuffled, the first counts always."""
    mechanism = UnaryEncoding.informative(30.0, 10, 1, Bounds(max_length=1))
    words, offsets = np.tile(np.arange(10), 20_000), np.arange(20_001) * 10
    drawn = mechanism(words, offsets, noise("shuffle"), shuffle=True).value
    assert_drawn_from(np.bincount(drawn.words, minlength=10), np.full(10, 0.1))
    first = mechanism(words, offsets, noise("first")).value
    assert np.bincount(first.words, minlength=10)[0] > 19_000
