"""The training loop: how many sweeps, what is averaged, what seed words do to a state."""

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics.errors import InputError
from fedtopics.sampling import lda
from fedtopics.sampling.guidance import Guidance
from fedtopics.sampling.training import Schedule, _steps, train, word_topic

CORPUS = drawn_corpus(planted_topics(3, 8), 40, 30, seed=1)
PRIORS = lda.Priors.symmetric(3, 0.1, 0.05)


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize(("n_sweeps", "n_samples"), [(1, 1), (9, 1), (20, 2), (57, 5), (200, 10)])
def test_every_sweep_is_made_and_the_last_ones_are_samples(n_sweeps, n_samples, one_by_one):
    steps = list(_steps(n_sweeps, n_samples, one_by_one=one_by_one))
    assert sum(count for count, _ in steps) == n_sweeps
    assert [count for count, is_sample in steps if is_sample] == [1] * n_samples
    assert all(is_sample for _, is_sample in steps[-n_samples:])


def test_the_result_is_the_mean_of_the_last_states():
    heard = []
    trained = train(CORPUS, PRIORS, Schedule(20, "gibbs"), seed=5, on_sweeps=heard.append)
    states = [lda.sweep(CORPUS, lda.start(CORPUS, 3, 5), PRIORS, seed=5, n_sweeps=19, sampler="gibbs")]
    states.append(lda.sweep(CORPUS, states[0], PRIORS, seed=5, sampler="gibbs"))
    counts = [lda.word_topic_counts(CORPUS, state.topics, 3) for state in states]
    assert np.array_equal(trained.word_topic, (counts[0] + counts[1]) / 2)
    assert sum(heard) == 20


def test_one_topic_holds_every_token():
    trained = train(CORPUS, lda.Priors.symmetric(1), Schedule(20), seed=0)
    np.testing.assert_array_equal(trained.word_topic[:, 0], np.bincount(CORPUS.words))
    weights = np.arange(CORPUS.n_tokens, dtype=float)
    trained = train(CORPUS, lda.Priors.symmetric(1), Schedule(20), seed=0, weights=weights)
    np.testing.assert_array_equal(trained.word_topic[:, 0], np.bincount(CORPUS.words, weights))


def test_weighted_counts_sum_the_weights():
    corpus = corpus_of([[0, 1, 1], [2]], 3)
    topics = np.array([0, 1, 1, 0], np.uint16)
    counts = word_topic(corpus, topics, 2, np.array([0.5, 0.25, 1.0, 2.0]))
    assert counts.tolist() == [[0.5, 0], [0, 1.25], [2, 0]]


def test_seed_words_go_to_their_topics_and_others_stay():
    corpus = corpus_of([[0, 1, 2, 0], [2, 1]], 3)
    state = lda.State(np.array([1, 1, 1, 0, 2, 0], np.uint16), 7)
    guided = Guidance.from_seeds({2: [0], 0: [2]}, n_words=3, n_topics=3).applied(corpus, state)
    assert guided.topics.tolist() == [2, 1, 0, 2, 0, 0]
    assert guided.n_sweeps == 7


def test_seed_words_share_a_tenth_of_an_average_topic():
    guidance = Guidance.from_seeds({2: [0, 3], 0: [2]}, n_words=4, n_topics=3)
    expected = np.zeros((4, 3))
    expected[[0, 3], 2], expected[2, 0] = 50, 100
    assert np.array_equal(guidance.pseudo_counts(3, n_tokens=3000), expected)


def test_no_word_can_be_in_two_topics():
    with pytest.raises(InputError, match="one in two"):
        Guidance.from_seeds({0: [1], 1: [1]}, n_words=2, n_topics=2)
