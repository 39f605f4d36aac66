"""Agreement on words: calibrated, nothing below the threshold leaves, and what it finds."""

from math import log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from statistics_ import FALSE_ALARM, SEED

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.events import Approximate, ZeroConcentrated
from fedtopics.privacy.words import (
    RESOLUTION,
    Agreement,
    WordProposal,
    homes,
    presence,
    vote_steps,
)


def noise(party: str, step: int) -> Noise:
    return Noise.simulated(SEED, "vocabulary", party, step)


def corpus(common: list[str], rare: str, n_documents: int = 600) -> list[list[str]]:
    return [[*common, f"{rare}{i}"] for i in range(n_documents)]


def test_a_word_of_one_document_stays_at_home():
    """600 unique words in each of 40 parties: the chance that any leaves is below 24,000 * 2e-7 / 20."""
    proposal, _ = Agreement(1.0, 1e-6).mechanisms
    for party in range(40):
        released = proposal(corpus(["apple"], "secret"), noise(str(party), 1)).value
        assert not any(word.startswith("secret") for word in released)


def test_every_word_has_as_many_homes_as_asked_and_parties_share_the_work():
    parties = ["a", "b", "c", "d"]
    words = [f"word{i}" for i in range(4000)]
    assert all(len(set(homes(word, parties, 2))) == 2 for word in words[:50])
    assert set(homes("word", parties, 9)) == set(parties)
    share = [sum(party in homes(word, parties, 2) for word in words) for party in parties]
    assert max(abs(n - 2000) for n in share) < 4.9 * np.sqrt(1000)


def test_a_word_is_proposed_only_where_it_is_at_home():
    agreement, parties = Agreement(1.0, 1e-6, n_homes=1), ["a", "b", "c"]
    for party in parties:
        released = agreement.propose(corpus(["apple", "pear"], "r"), party, parties, noise(party, 1)).value
        assert set(released) == {w for w in ("apple", "pear") if homes(w, parties, 1) == [party]}


def test_released_words_are_in_alphabetical_order():
    released = WordProposal(0.01, 0.01, 10)([["pear", "fig", "apple"]] * 50, noise("order", 1)).value
    assert list(released) == ["apple", "fig", "pear"]


@settings(deadline=None, max_examples=20)
@given(st.floats(0.5, 8.0), st.floats(1e-9, 1e-3), st.integers(1, 300))
def test_unique_words_of_a_document_slip_out_with_probability_at_most_delta(multiplier, delta, max_words):
    """Exact tail of the discrete noise, for every number of unique words."""
    proposal = WordProposal(multiplier, delta, max_words)
    variance = float(exact.dyadic_variance(multiplier * RESOLUTION))  # of what is drawn
    steps = np.arange(int(10 * multiplier * RESOLUTION))
    weights = np.exp(-(steps.astype(float) ** 2) / (2 * variance))
    tail = np.cumsum(weights[::-1])[::-1] / (2 * weights.sum() - 1)
    for n in {1, 2, (max_words + 1) // 2, max_words} & set(range(1, max_words + 1)):
        passes = tail[proposal.threshold - vote_steps(np.array([n]))[0]]
        assert -np.expm1(n * np.log1p(-passes)) <= delta


def test_thresholds_agree_with_opendp():
    """At OpenDP's threshold and scale for m words of weight 1/sqrt(m), our threshold asks for as much."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    m, multiplier, delta = 9, 5.0, 1e-7
    ours = WordProposal(multiplier, delta, m).threshold
    weight = int(vote_steps(np.array([m]))[0])
    words = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    distance = dp.l02inf_distance(dp.absolute_distance(T=int))
    measured = dp.m.make_gaussian_threshold(words, distance, scale=multiplier * RESOLUTION, threshold=ours)
    rho, slip = measured.map((m, weight * 3, weight))
    assert rho == pytest.approx(1 / (2 * multiplier**2), rel=1e-3)
    assert slip <= delta * 1.001


@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_votes_of_a_document_have_norm_at_most_one(n):
    assert n * int(vote_steps(np.array([n]))[0]) ** 2 <= RESOLUTION**2


def test_noisy_votes_have_the_deviation_that_is_paid_for():
    """2,000 words, each of 20 documents of its own, far above the threshold; false alarm 1e-6 each."""
    n_words, multiplier = 2000, 0.8
    documents = [[f"word{i}"] for i in range(n_words) for _ in range(20)]
    proposal = WordProposal(multiplier, 0.01, 5)
    votes = np.array(list(proposal(documents, noise("deviation", 1)).value.values()))
    assert len(votes) == n_words
    assert votes.std() == pytest.approx(multiplier, rel=norm.isf(FALSE_ALARM / 2) / np.sqrt(2 * n_words))
    assert votes.mean() == pytest.approx(20, abs=norm.isf(FALSE_ALARM / 2) * multiplier / np.sqrt(n_words))


def test_a_document_votes_for_its_first_words_with_norm_one():
    """No noise to speak of: votes are weights times documents."""
    proposal = WordProposal(1e-6, 0.01, 4)
    released = proposal([["a", "b", "b", "c", "d", "e"]] * 9, noise("weights", 1)).value
    assert released == {word: pytest.approx(4.5, abs=1e-3) for word in "abcd"}


def test_price_of_words_is_that_of_a_document_replaced():
    cost = WordProposal(4.0, 1e-7, 50).price()
    for relation in ("word add/remove", "word replace"):
        assert accounting.epsilon(cost.losses_of(relation), 1e-6) == accounting.epsilon(
            cost.losses_of("document replace"), 1e-6
        )
    assert accounting.epsilon(cost.losses_of("document add/remove"), 1e-8) == float("inf")
    slip = Approximate(-log1p(-1e-7), 1e-7)
    for relation in ("word add/remove", "word replace", "document replace"):
        stated = {(loss.event, loss.count) for loss in cost.losses_of(relation)}
        assert stated == {(ZeroConcentrated(4 / 32), 1), (slip, 2)}
    stated = {(loss.event, loss.count) for loss in cost.losses_of("document add/remove")}
    assert stated == {(ZeroConcentrated(1 / 32), 1), (slip, 1)}


def test_presence_counts_a_word_once_per_document():
    assert presence([["b", "b", "z"], [], ["a", "b"]], ["a", "b"]).toarray().tolist() == [
        [0, 1],
        [0, 0],
        [1, 1],
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Agreement(float("nan"), 1e-6),
        lambda: Agreement(-1.0, 1e-6),
        lambda: Agreement(0.0, 1e-6),
        lambda: Agreement(1.0, 0.0),
        lambda: Agreement(1.0, 1.0),
        lambda: Agreement(1.0, 1e-6, min_parties=0),
        lambda: Agreement(1.0, 1e-6, proposal_share=1.0),
        lambda: Agreement(1.0, 1e-6, n_homes=0),
        lambda: WordProposal(1.0, 1e-6, 0),
        lambda: WordProposal(0.0, 1e-6, 5),
    ],
)
def test_bad_settings_are_refused(make):
    with pytest.raises(InputError):
        make()
