"""Mechanisms that report words, beyond what every mechanism must satisfy: prices, laws, debiasing."""

from itertools import combinations, combinations_with_replacement, permutations, product

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
from fedtopics.privacy.mechanisms.prior_response import (
    PriorResponse,
    PriorResponses,
    flip_probability,
    kept_words,
)
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
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


def test_prior_response_reproduces_the_papers_example():
    mechanism = PriorResponse.from_topics(7.5, 0.1, FIGURE_3, FIGURE_3_THETA)
    assert mechanism.noise_law[0] == pytest.approx(0.38)
    assert mechanism.deserted == pytest.approx(0.1)
    assert flip_probability(7.5, 0.1) == pytest.approx(0.0524, abs=1e-4)
    assert flip_probability(5.0, 0.1, gamma=2.0) > flip_probability(5.0, 0.1)


@pytest.mark.parametrize(("epsilon", "delta"), [(7.5, 0.953), (5.0, 0.638)])
def test_prior_response_is_not_what_it_claims(epsilon, delta):
    mechanism = PriorResponse.from_topics(epsilon, 0.1, FIGURE_3, FIGURE_3_THETA, public_prior=True)
    channel = mechanism.channel()
    by_hand = max(
        np.maximum(channel[w] - np.exp(epsilon) * channel[v], 0).sum() for w in range(7) for v in range(7)
    )
    assert mechanism.delta_at(epsilon) == pytest.approx(by_hand)
    assert mechanism.delta_at(epsilon) == pytest.approx(delta, abs=5e-4)
    cost = mechanism.price()
    assert (cost.claims[0].epsilon, cost.claims[0].delta) == (epsilon, 0.2)
    assert accounting.epsilon(cost.losses_of("word replace"), 0.2) == float("inf")


def test_prior_response_with_a_private_prior_proves_nothing():
    cost = PriorResponse.from_topics(7.5, 0.1, FIGURE_3, FIGURE_3_THETA).price()
    assert accounting.epsilon(cost.losses_of("word replace"), 0.999) == float("inf")


@pytest.mark.parametrize("word", range(7))
def test_prior_response_draws_follow_the_channel(word):
    mechanism = PriorResponse.from_topics(5.0, 0.1, FIGURE_3, FIGURE_3_THETA)
    reports = mechanism(np.full(20_000, word), noise("prior", word)).value
    assert_drawn_from(np.bincount(reports, minlength=7), mechanism.channel()[word])


def test_prior_response_debias_inverts_the_channel():
    mechanism = PriorResponse.from_topics(5.0, 0.1, FIGURE_3, FIGURE_3_THETA)
    assert np.allclose(mechanism.debias(mechanism.channel()), np.eye(7))


def test_deserted_words_weigh_at_most_delta():
    kept = kept_words(FIGURE_3, 0.1)
    assert np.allclose(np.where(kept, 0, FIGURE_3).sum(axis=1), 0.1)
    assert kept[:, 0].tolist() == [True, True, False, False, False]


def test_a_large_epsilon_is_no_overflow():
    assert SubsetSelection(800.0, 50).n_members == 1
    prior = PriorResponse.from_topics(800.0, 0.1, FIGURE_3, FIGURE_3_THETA, public_prior=True)
    assert prior.delta_at(800.0) == pytest.approx(1.0)
    for make in (RandomizedResponse, SubsetSelection, UnaryEncoding.optimized):
        with pytest.raises(InputError, match="epsilon must be a finite number"):
            make(10**400, 5)


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


def test_many_users_respond_by_the_law_of_each():
    """RRP for all users at once draws from the channel of every user's own mixture."""
    theta = np.array([[0.9, 0.1], [0.2, 0.8]])
    topics = np.array([[0.5, 0.3, 0.15, 0.05], [0.05, 0.1, 0.25, 0.6]])
    responses = PriorResponses(2.0, 0.1, topics)
    n = 40_000
    users, words = np.repeat([0, 1], 4 * n), np.tile(np.repeat(np.arange(4), n), 2)
    reports = responses(words, users, theta, noise("users")).value.reshape(2, 4, n)
    for user in range(2):
        channel = PriorResponse.from_topics(2.0, 0.1, topics, theta[user]).channel()
        for word in range(4):
            assert_drawn_from(np.bincount(reports[user, word], minlength=4), channel[word])


def test_a_dummy_is_reported_as_such_unless_the_prior_answers():
    responses = PriorResponses(3.0, 0.2, FIGURE_3)
    n_words = FIGURE_3.shape[1]
    reports = responses(np.full(50_000, n_words), np.zeros(50_000, int), FIGURE_3_THETA[None], noise("dummy"))
    single = PriorResponse.from_topics(3.0, 0.2, FIGURE_3, FIGURE_3_THETA)
    stays = 1 - single.eta + single.eta * single.deserted
    law = np.append(single.eta * single.noise_law, stays)
    assert_drawn_from(np.bincount(reports.value, minlength=n_words + 1), law)


@pytest.mark.parametrize(
    ("gamma", "expected"), [(float("inf"), (0.0524, 0.4026)), (1.0, (0.378, 0.881))], ids=str
)
def test_flip_probabilities_of_the_paper(gamma, expected):
    found = [flip_probability(epsilon, 0.1, gamma) for epsilon in (7.5, 5.0)]
    assert found == pytest.approx(expected, abs=5e-4)


def sampled(documents, mechanism, *address):
    words = np.array([word for document in documents for word in document], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(document) for document in documents])])
    return mechanism(words, offsets, noise(*address)).value


def report_law(document, mechanism):
    """Pr[all reports] of one document, by listing the orders of its tokens and of its slots."""
    size = max(len(document), mechanism.n_reports)
    padded = [*document, *[mechanism.n_words] * (size - len(document))]
    channel, law = mechanism.response.channel(), {}
    orders = list(permutations(range(size), mechanism.n_reports))
    for order in orders:
        slots = [padded[place] for place in order]
        for reports in product(range(mechanism.n_words + 1), repeat=mechanism.n_reports):
            chance = np.prod([channel[slot, report] for slot, report in zip(slots, reports, strict=True)])
            law[reports] = law.get(reports, 0.0) + chance / len(orders)
    return law


@pytest.mark.parametrize("document", [[], [1], [0, 1], [0, 0, 1]], ids=str)
def test_sampled_reports_follow_their_law(document):
    mechanism = SampledResponse(1.5, 2, 2)
    reports = sampled([document] * 40_000, mechanism, "sampled", len(document))
    law = report_law(document, mechanism)
    counts = [np.sum((reports == np.array(key)).all(axis=1)) for key in law]
    assert_drawn_from(np.array(counts), np.array(list(law.values())))


def test_sampled_reports_are_as_private_as_they_cost():
    """Every pair of documents of up to three tokens, by the relations between them."""
    mechanism = SampledResponse(0.8, 2, 2)
    documents = [list(d) for size in range(4) for d in combinations_with_replacement(range(2), size)]
    laws = {tuple(document): report_law(document, mechanism) for document in documents}
    price = {
        relation: accounting.epsilon(mechanism.price().losses_of(relation), 0.0)
        for relation in ("word add/remove", "word replace", "document add/remove", "document replace")
    }
    assert price == pytest.approx(
        {
            "word add/remove": 0.8,
            "word replace": 0.8,
            "document add/remove": 1.6,
            "document replace": 1.6,
        }
    )
    for one, other in product(laws, laws):
        loss = max(np.log(laws[one][key] / laws[other][key]) for key in laws[one])
        assert loss <= price["document replace"] + 1e-9
        shared = sum(min(one.count(word), other.count(word)) for word in range(2))
        if max(len(one), len(other)) - shared <= 1:
            assert loss <= price["word add/remove"] + 1e-9


def test_sampled_reports_do_not_follow_the_order_of_words():
    """The same word in the first of many places is drawn no more often than elsewhere."""
    mechanism = SampledResponse(30.0, 10, 1)
    reports = sampled([list(range(10))] * 20_000, mechanism, "order")
    assert_drawn_from(np.bincount(reports[:, 0], minlength=10)[:10], np.full(10, 0.1))


@pytest.mark.parametrize(("n_words", "n_reports"), [(1, 2), (5, 0)])
def test_sampled_reports_need_words_and_slots(n_words, n_reports):
    with pytest.raises(InputError, match="whole number of at least"):
        SampledResponse(1.0, n_words, n_reports)


def test_shuffled_bits_may_be_those_of_any_word():
    """Cut to one word of ten, each counts one time in ten; unshuffled, the first counts always."""
    mechanism = UnaryEncoding.informative(30.0, 10, 1, Bounds(max_length=1))
    words, offsets = np.tile(np.arange(10), 20_000), np.arange(20_001) * 10
    drawn = mechanism(words, offsets, noise("shuffle"), shuffle=True).value
    assert_drawn_from(np.bincount(drawn.words, minlength=10), np.full(10, 0.1))
    first = mechanism(words, offsets, noise("first")).value
    assert np.bincount(first.words, minlength=10)[0] > 19_000
