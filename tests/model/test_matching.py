"""Topics of different models brought together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import planted_topics

import fedtopics
from fedtopics.errors import InputError
from fedtopics.model import TopicModel, matching
from fedtopics.model.matching import Matching, WeightedTopics, integrate

WORDS = tuple(f"w{i}" for i in range(40))
PLANTED = planted_topics(5, 8)  # five topics over 40 words
JACCARD = Matching("jaccard", n_top=8)


def noisy(rows: list[int], seed: int, noise: float = 0.1) -> np.ndarray:
    """These planted topics with other probabilities for their words."""
    rng = np.random.default_rng(seed)
    topics = PLANTED[rows] * rng.gamma(1 / noise, noise, (len(rows), PLANTED.shape[1]))
    return np.asarray(topics / topics.sum(axis=1, keepdims=True))


def topics(rows: list[int], seed: int, weight: float = 1.0) -> WeightedTopics:
    return WeightedTopics(noisy(rows, seed), np.full(len(rows), weight))


def model(rows: list[int], seed: int) -> TopicModel:
    return TopicModel(noisy(rows, seed), np.full(len(rows), 0.1), WORDS)


@pytest.mark.parametrize("matching", [Matching(), JACCARD])
def test_models_with_different_numbers_of_topics_are_matched(matching: Matching) -> None:
    merged = integrate([topics([0, 1, 2], 1), topics([2, 3], 2), topics([4, 1, 3, 0], 3)], matching)
    whole = merged.topics.probabilities
    assert len(whole) == 5
    for rows, went in zip(([0, 1, 2], [2, 3], [4, 1, 3, 0]), merged.members, strict=True):
        overlap = np.minimum(PLANTED[rows][:, None], whole[went][:, None]).sum(-1)
        assert (overlap > 0.8).all()
        np.testing.assert_array_equal(
            went, [(np.minimum(PLANTED[row], whole).sum(1)).argmax() for row in rows]
        )
    assert merged.topics.weights.sum() == pytest.approx(9)


def test_merged_topics_are_means_by_the_amount_of_data() -> None:
    one, other = topics([0], 1, weight=3.0), topics([0], 2, weight=1.0)
    merged = integrate([one, other], Matching())
    np.testing.assert_allclose(
        merged.topics.probabilities, 0.75 * one.probabilities + 0.25 * other.probabilities
    )
    np.testing.assert_allclose(merged.topics.weights, [4.0])


def test_the_weights_hold_over_three_models() -> None:
    parts = [topics([0], seed, weight=float(seed)) for seed in (1, 2, 3)]
    merged = integrate(parts, Matching())
    expected = sum(part.weights[0] * part.probabilities for part in parts) / 6
    np.testing.assert_allclose(merged.topics.probabilities, expected)


def test_jaccard_is_the_formula_of_the_paper() -> None:
    one, other = np.array([[0.5, 0.3, 0.15, 0.05]]), np.array([[0.1, 0.2, 0.3, 0.4]])
    # Top two words {0, 1} and {3, 2} share nothing; top three {0, 1, 2} and {3, 2, 1} share 1 and 2.
    assert matching.jaccard(one, other, 2)[0, 0] == 0
    common = 0.2 + 0.15
    assert matching.jaccard(one, other, 3)[0, 0] == pytest.approx(common / (0.95 + 0.9 - common))
    assert matching.jaccard(one, one, 4)[0, 0] == pytest.approx(1)


def test_union_find_chains_and_assignment_does_not() -> None:
    """Three topics, each half like the next: one by union-find; matching never merges two of one model."""
    chain = np.array([[0.5, 0.5, 0, 0], [0, 0.5, 0.5, 0], [0, 0, 0.5, 0.5]])
    model = WeightedTopics(chain, np.ones(3))
    chained = integrate([model, model], Matching("jaccard", 0.3, n_top=2))
    assert len(chained.topics.weights) == 1
    assigned = integrate([model, model], Matching("assignment", 0.3))
    assert len(assigned.topics.weights) == 3
    np.testing.assert_array_equal(assigned.members[1], [0, 1, 2])


def test_a_smoothing_base_does_not_make_topics_alike() -> None:
    one, other = PLANTED[[0]], PLANTED[[1]]
    smoothed = [0.3 * rows + 0.7 / rows.shape[1] for rows in (one, other)]
    assert matching.bhattacharyya(*smoothed)[0, 0] > 0.65
    assert Matching().similarity(*smoothed)[0, 0] < 0.05
    flat = np.full((1, 4), 0.25)
    np.testing.assert_array_equal(matching.subtract_base(flat), flat)


def test_composition_replaces_what_is_similar_and_keeps_the_rest() -> None:
    own, whole = topics([0, 4, 2], 1), topics([2, 0, 1], 2)
    np.testing.assert_array_equal(matching.compose(own, whole, JACCARD), [1, -1, 0])
    twice = topics([0, 0], 1)  # the global topic is used once only
    assert sorted(matching.compose(twice, whole, JACCARD).tolist()) == [-1, 1]


def test_topic_wise_normalization_is_no_encryption() -> None:
    """Divided by its smallest entry, every topic gives its whole-number counts back."""
    counts = np.random.default_rng(1).poisson(3.0, (15, 200)).astype(float)
    sent = matching.normalize(counts).probabilities
    positive = np.where(sent > 0, sent, np.inf).min(axis=1, keepdims=True)
    np.testing.assert_array_equal(np.rint(sent / positive), counts)


def test_topics_without_data_do_not_disturb() -> None:
    empty = matching.normalize(np.zeros((2, 40)))
    merged = integrate([topics([0, 1], 1), empty], Matching())
    assert np.isfinite(merged.topics.probabilities).all()
    assert len(merged.topics.weights) == 4


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"kind": "cosine"}, "assignment or jaccard, got 'cosine'"),
        ({"threshold": 0.0}, r"\(0, 1\), got 0.0"),
        ({"threshold": 1.0}, r"\(0, 1\), got 1.0"),
        ({"n_top": 0}, "at least 1, got 0"),
    ],
)
def test_bad_settings_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Matching(**bad)


def test_models_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="at most 40 top words, the size of the vocabulary, got 50"):
        integrate([topics([0], 1), topics([0], 2)], Matching("jaccard"))
    with pytest.raises(InputError, match=r"one vocabulary, got 2 of sizes \[4, 40\]"):
        integrate([topics([0], 1), WeightedTopics(np.full((1, 4), 0.25), np.ones(1))], Matching())
    with pytest.raises(InputError, match="at least one model"):
        integrate([], Matching())


def test_alignment_tells_shared_topics_from_own_ones() -> None:
    aligned = fedtopics.align(
        {"north": model([0, 1, 2], 1), "south": model([2, 3, 1], 2), "west": model([2], 3)}
    )
    assert [topic.members for topic in aligned.shared()] == [{"north": (2,), "south": (0,), "west": (0,)}]
    assert {topic.members["north"] for topic in aligned.shared("north", "south")} == {(1,), (2,)}
    assert [topic.members for topic in aligned.only("south")] == [{"south": (1,)}]
    assert aligned.only("west") == ()
    assert len(aligned.topics) == 4
    assert aligned.ids("south") == (2, 3, 1)
    assert set(aligned.only("south")[0].top_words) <= set(WORDS[24:32])
    assert "south: w" in str(aligned)


def test_topics_keep_their_ids_when_models_are_trained_again() -> None:
    first = fedtopics.align([model([0, 1, 2], 1)])
    second = fedtopics.align([model([3, 2, 0], 2)], previous=first)
    assert second.ids("0") == (3, 2, 0)  # a new topic gets a new id
    third = fedtopics.align([model([4, 1, 3], 3)], previous=second)
    assert third.ids("0") == (4, 1, 3)  # and one that was gone for a while its old one
    np.testing.assert_allclose(third.topics[0].probabilities, noisy([4, 1, 3], 3)[1])


def test_alignments_that_make_no_sense_are_refused() -> None:
    other = TopicModel(PLANTED[:2], [0.1, 0.1], tuple(f"v{i}" for i in range(40)))
    with pytest.raises(InputError, match="one vocabulary, got 'south' with another than 'north'"):
        fedtopics.align({"north": model([0, 1], 1), "south": other})
    with pytest.raises(InputError, match="'previous' with another"):
        fedtopics.align({"north": model([0, 1], 1)}, previous=fedtopics.align([other]))
    with pytest.raises(InputError, match="at least one model"):
        fedtopics.align([])
    with pytest.raises(InputError, match="among 0, got east"):
        fedtopics.align([other]).only("east")
