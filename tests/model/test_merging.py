"""Two models become one over the words of both; topics keep their numbers, and changes are named."""

from __future__ import annotations

import numpy as np
import pytest

from fedtopics.errors import InputError
from fedtopics.model import TopicModel, merge
from fedtopics.model.merging import Changes, changes, widened

NORTH = TopicModel.from_counts([[60, 40, 0, 0], [0, 0, 50, 50]], ["tax", "law", "rain", "sun"], beta=0.01)
SOUTH = TopicModel.from_counts([[0, 0, 30], [20, 30, 0]], ["rain", "sun", "goal"], beta=0.01)


def test_topics_that_are_the_same_become_one_by_the_text_behind_them() -> None:
    both = merge(NORTH, SOUTH)
    assert both.vocabulary == ("tax", "law", "rain", "sun", "goal")
    assert both.n_topics == 3
    assert both.n_tokens == pytest.approx(280)
    assert [set(words) for words in both.top_words(1, by="probable")] == [{"tax"}, {"sun"}, {"goal"}]
    shares = both.topic_shares
    assert shares is not None
    assert np.allclose(shares, [100 / 280, 150 / 280, 30 / 280])
    assert both.topic_word[1, 2] == pytest.approx(70 / 150, abs=0.01)


def test_a_threshold_of_one_merges_nothing_but_equals() -> None:
    assert merge(NORTH, SOUTH, threshold=1.0).n_topics == 4
    assert merge(NORTH, NORTH, threshold=0.99).n_topics == 2
    with pytest.raises(InputError, match="threshold from 0 to 1"):
        merge(NORTH, SOUTH, threshold=2)


def test_names_and_privacy_of_both_are_kept() -> None:
    both = merge(NORTH.set_topic_labels(["money", "weather"]), SOUTH)
    assert both.labels is not None
    assert both.labels[:2] == ("money", "weather")
    assert both.card["method"] == "merge"


def test_new_words_are_as_rare_as_the_rarest() -> None:
    wide = widened(NORTH, ("new", *NORTH.vocabulary))
    assert np.allclose(wide.topic_word[:, 0], wide.topic_word.min(axis=1))
    with pytest.raises(InputError, match="without 'tax'"):
        widened(NORTH, ("law", "rain", "sun"))


def test_counts_behind_a_model_are_those_it_was_made_of() -> None:
    assert np.allclose(NORTH.counts, [[60, 40, 0, 0], [0, 0, 50, 50]], atol=0.1)
    with pytest.raises(InputError, match="how much text"):
        _ = TopicModel(NORTH.topic_word, NORTH.alpha, NORTH.vocabulary).counts


def test_new_and_fading_topics_are_named() -> None:
    words = ["tax", "law", "rain", "sun"]
    old = TopicModel.from_counts([[60, 40, 0, 0], [0, 0, 50, 50]], words)
    new = TopicModel.from_counts([[61, 40, 0, 0], [0, 0, 150, 150], [90, 0, 0, 90]], words)
    assert changes(old, new) == Changes(stable=(0, 1), new=(2,), fading=(0,))
    other = TopicModel.from_counts([[0, 0, 99, 99], [0, 0, 50, 50]], words)
    assert changes(old, other).new == (0,)
