"""The scores of a run record: six numbers that tell true topics from wrong ones."""

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics.evaluation.coherence import coherence_npmi
from fedtopics.evaluation.scores import diversity, scores
from fedtopics.model import TopicModel

TOPICS = planted_topics(3, 12)
TRAIN, TEST = drawn_corpus(TOPICS, 120, 30, seed=1), drawn_corpus(TOPICS, 40, 30, seed=2)


def model_of(topics):
    return TopicModel(topics, np.ones(len(topics)), TRAIN.vocabulary)


def test_true_topics_score_better_than_mixed_ones_in_every_respect():
    true = scores(model_of(TOPICS), TRAIN, TEST)
    mixed = scores(model_of(TOPICS[:, np.random.default_rng(5).permutation(36)]), TRAIN, TEST)
    assert set(true) == {
        *("perplexity", "perplexity_unigram", "coherence_umass", "diversity"),
        *("coherence_npmi", "coherence_npmi_chance", "coherence_npmi_shown"),
    }
    assert all(type(value) is float for value in true.values())
    assert true["perplexity"] < min(true["perplexity_unigram"], mixed["perplexity"])
    assert true["coherence_npmi"] > mixed["coherence_npmi"] + 0.1
    assert true["coherence_umass"] > mixed["coherence_umass"]


def test_coherence_counts_the_documents_of_both_parts():
    both = corpus_of([list(d) for c in (TRAIN, TEST) for d in np.split(c.words, c.offsets[1:-1])], 36)
    expected = coherence_npmi(model_of(TOPICS), both).mean()
    assert scores(model_of(TOPICS), TRAIN, TEST)["coherence_npmi"] == pytest.approx(expected)


def test_diversity_is_the_share_of_different_words():
    many = planted_topics(2, 40)
    wide = TopicModel(many[[0, 0]], np.ones(2), tuple(f"w{word}" for word in range(80)))
    assert diversity(wide) == 25 / 50
    shifted = TopicModel(np.stack([many[0], np.roll(many[0], 20)]), np.ones(2), wide.vocabulary)
    assert diversity(shifted) == pytest.approx(45 / 50)
    assert diversity(model_of(TOPICS), 12) == 1
    assert diversity(model_of(TOPICS[[0, 0, 0]]), 12) == pytest.approx(1 / 3)
    assert diversity(model_of(TOPICS[[0, 0, 1]]), 12) == pytest.approx(2 / 3)
