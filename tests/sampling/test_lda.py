"""What the samplers promise: counts that agree, planted topics found, the same bits every time."""

from __future__ import annotations

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, fold_in_reference, planted_topics

from fedtopics.sampling import lda

TOPICS = planted_topics(n_topics=5, words_per_topic=20)
CORPUS = drawn_corpus(TOPICS, n_docs=80, length=60, seed=1)
PRIORS = lda.Priors.symmetric(5)


def trained(**options):
    state = lda.start(CORPUS, PRIORS.n_topics, seed=0)
    return lda.sweep(CORPUS, state, PRIORS, seed=0, n_sweeps=50, **options)


def test_word_topic_counts_equal_the_numpy_line():
    topics = trained().topics
    expected = np.zeros((CORPUS.n_words, 5), np.int32)
    np.add.at(expected, (CORPUS.words, topics), 1)
    np.testing.assert_array_equal(lda.word_topic_counts(CORPUS, topics, 5), expected)


@pytest.mark.parametrize("sampler", ["gibbs", "warp", "metropolis"])
def test_planted_topics_are_found(sampler):
    counts = lda.word_topic_counts(CORPUS, trained(sampler=sampler).topics, 5)
    shares = counts.reshape(5, 20, 5).sum(axis=1) / counts.sum(axis=0)
    assert sorted(shares.argmax(axis=0)) == [0, 1, 2, 3, 4]
    assert shares.max(axis=0).min() > 0.9


@pytest.mark.parametrize("sampler", ["gibbs", "warp", "metropolis"])
def test_two_sweeps_are_one_and_one_more(sampler):
    state = lda.start(CORPUS, 5, seed=3)
    twice = lda.sweep(CORPUS, state, PRIORS, seed=4, n_sweeps=2, sampler=sampler)
    once = lda.sweep(CORPUS, state, PRIORS, seed=4, sampler=sampler)
    again = lda.sweep(CORPUS, once, PRIORS, seed=4, sampler=sampler)
    np.testing.assert_array_equal(again.topics, twice.topics)
    assert again.n_sweeps == twice.n_sweeps == 2


def test_the_sampler_is_chosen_by_size_and_weights():
    assert lda.chosen_sampler("auto", 8, 1_000_000, weighted=False) == "gibbs"
    assert lda.chosen_sampler("auto", 9, 1_000, weighted=False) == "warp"
    assert lda.chosen_sampler("auto", 2, 1_000_001, weighted=False) == "warp"
    assert lda.chosen_sampler("auto", 500, 10**8, weighted=True) == "gibbs"
    assert lda.chosen_sampler("metropolis", 500, 10, weighted=False) == "metropolis"


@pytest.mark.parametrize("sampler", ["gibbs", "warp", "metropolis"])
def test_the_given_state_is_left_as_it_was(sampler):
    state = lda.start(CORPUS, 5, seed=3)
    before = state.topics.copy()
    after = lda.sweep(CORPUS, state, PRIORS, seed=4, sampler=sampler)
    np.testing.assert_array_equal(state.topics, before)
    assert (after.topics != before).any()


def test_unit_weights_change_nothing():
    weighted = trained(sampler="gibbs", weights=np.ones(CORPUS.n_tokens))
    np.testing.assert_array_equal(weighted.topics, trained(sampler="gibbs").topics)


def test_tokens_without_weight_teach_nothing():
    """Zero weight for the words of the last topic: their topics follow the prior, not each other."""
    weights = (CORPUS.words < 80).astype(float)
    counts = lda.word_topic_counts(CORPUS, trained(sampler="gibbs", weights=weights).topics, 5)
    assert counts[80:].sum(axis=0).max() < 0.6 * counts[80:].sum()


@pytest.mark.parametrize("sampler", ["gibbs", "warp", "metropolis"])
def test_counts_of_others_pull_the_topics_into_their_order(sampler):
    others = np.zeros((CORPUS.n_words, 5))
    others[np.arange(100), 4 - np.arange(100) // 20] = 50
    counts = lda.word_topic_counts(CORPUS, trained(others=others, sampler=sampler).topics, 5)
    np.testing.assert_array_equal(counts.reshape(5, 20, 5).sum(axis=1).argmax(axis=1), [4, 3, 2, 1, 0])


def test_fixed_topics_are_recognized():
    state = lda.assign(CORPUS, lda.start(CORPUS, 5, seed=0), TOPICS, PRIORS.alpha, seed=1, n_sweeps=5)
    assert (state.topics == CORPUS.words // 20).mean() > 0.95
    assert state.n_sweeps == 5


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_fold_in_equals_the_numpy_lines(n_threads):
    alpha = np.linspace(0.05, 0.5, 5)
    theta = lda.fold_in(CORPUS, TOPICS, alpha, n_iterations=7, n_threads=n_threads)
    expected = fold_in_reference(CORPUS, TOPICS, alpha, n_iterations=7)
    np.testing.assert_allclose(theta, expected, rtol=2e-5)
    assert theta.dtype == np.float32


def test_fold_in_of_an_empty_document_is_the_prior():
    corpus = corpus_of([[], [0, 0, 1], []], n_words=100)
    theta = lda.fold_in(corpus, TOPICS, [1, 2, 3, 4, 10])
    np.testing.assert_allclose(theta[[0, 2]], [np.array([1, 2, 3, 4, 10]) / 20] * 2, rtol=1e-6)
    np.testing.assert_allclose(theta.sum(axis=1), 1, rtol=1e-6)


def test_fold_in_ignores_a_word_that_no_topic_explains():
    topics = TOPICS.copy()
    topics[:, 7] = 0
    alpha = np.full(5, 0.1)
    with_it, without = corpus_of([[7, 20, 21]], 100), corpus_of([[20, 21]], 100)
    np.testing.assert_array_equal(lda.fold_in(with_it, topics, alpha), lda.fold_in(without, topics, alpha))
