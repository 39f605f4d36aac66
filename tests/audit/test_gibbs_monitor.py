"""The CGS monitor computes what the paper means, at little cost, and does not bound the privacy loss."""

from __future__ import annotations

import numpy as np
import pytest
from planted import corpus_of, drawn_corpus, planted_topics

from fedtopics.audit import gibbs_monitor
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.sampling import lda, monitored

CORPUS = drawn_corpus(planted_topics(3, 10), n_docs=30, length=12, seed=1)
PRIORS = lda.Priors.symmetric(3, 0.1, 0.01)


def formulas(corpus: Corpus, topics: np.ndarray, token: int, priors: lda.Priors) -> list[float]:
    """The four losses of one draw, from the definitions: ratios of the probabilities with N_k taken away."""
    p = gibbs_monitor.draw_probabilities(corpus, topics, priors, token)
    others = np.arange(corpus.n_tokens) != token
    n_k = np.bincount(topics[others], minlength=priors.n_topics)
    mass = n_k + corpus.n_words * priors.beta
    losses = []
    for most in (1, corpus.lengths.max()):
        up, every = [], []
        for k in range(priors.n_topics):
            taken = min(most, n_k[k])
            weights = p.copy()
            weights[k] *= mass[k] / (mass[k] - taken)
            ratios = np.log(weights / weights.sum() / p)
            up.append(np.log(weights.sum()))  # how far the other topics fall
            every.append(np.abs(ratios).max())
        losses += [2 * max(up), max(every)]
    return losses


def test_each_draw_is_read_as_the_formulas_say() -> None:
    """One token is drawn at a time, in a corpus of which it is the last one to be drawn."""
    state = lda.sweep(CORPUS, lda.start(CORPUS, 3, 0), PRIORS, seed=1, n_sweeps=3, sampler="gibbs")
    _, losses = monitored.sweep(CORPUS, state, PRIORS, np.zeros((CORPUS.n_tokens, 4)), seed=1)
    first = formulas(CORPUS, state.topics, 0, PRIORS)  # nothing has moved yet when token 0 is drawn
    np.testing.assert_allclose(losses[0], first, rtol=2e-5)


def test_the_last_draw_of_a_sweep_is_read_too() -> None:
    state = lda.start(CORPUS, 3, 0)
    after, losses = monitored.sweep(CORPUS, state, PRIORS, np.zeros((CORPUS.n_tokens, 4)), seed=1)
    last = CORPUS.n_tokens - 1
    np.testing.assert_allclose(losses[last], formulas(CORPUS, after.topics, last, PRIORS), rtol=2e-5)


def test_monitoring_changes_no_topic_and_adds_up() -> None:
    trained = gibbs_monitor.monitor(CORPUS, 3, n_sweeps=8, seed=4)
    plain = lda.sweep(CORPUS, lda.start(CORPUS, 3, 4), PRIORS, seed=4, n_sweeps=8, sampler="gibbs")
    np.testing.assert_array_equal(trained.topics, plain.topics)
    assert (np.diff(trained.readings, axis=0) > 0).all()
    assert trained.column("word corrected")[-1] < trained.column("document corrected")[-1]


def test_readings_grow_nearly_linearly() -> None:
    readings = gibbs_monitor.monitor(CORPUS, 3, n_sweeps=200, seed=0).column("document corrected")
    line = np.linspace(0, readings[-1], 201)[1:]
    assert np.abs(readings - line).max() < 0.15 * readings[-1]


def test_the_claimed_bound_is_violated_by_a_single_draw() -> None:
    """Two equal words in one document: without the first, the second is drawn by quite another law."""
    filler = [[2, 3, 2, 3, 2, 3]] * 400
    corpus = corpus_of([[0, 0], *filler], 4)
    trained = gibbs_monitor.monitor(corpus, 2, n_sweeps=5, seed=0)
    claimed = trained.column("word printed")[-1]
    lost = gibbs_monitor.exact_loss(corpus, trained.topics, trained.priors, 1, 0)
    assert claimed < 0.05
    assert lost > 2
    assert gibbs_monitor.worst_loss(trained, corpus) > claimed
    assert "not a guarantee" in gibbs_monitor.DIAGNOSTIC


def test_without_words_to_tell_apart_there_is_nothing_to_monitor() -> None:
    with pytest.raises(InputError, match="expected words and sweeps, got 0 words"):
        gibbs_monitor.monitor(corpus_of([[]], 3), 2)
    with pytest.raises(InputError, match="at least 2 words was expected, got 1"):
        gibbs_monitor.monitor(corpus_of([[0, 0]], 1), 2)
