"""Optimized priors equal the fixed point written in NumPy, and find the priors that made the data."""

from __future__ import annotations

import numpy as np
import pytest
from planted import corpus_of
from scipy.special import digamma

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import lda

RNG = np.random.default_rng(0)
ALPHA = np.array([0.1, 0.4, 1.5])


def drawn(n_docs: int, n_words: int, beta: float) -> tuple[Corpus, lda.State]:
    """Documents of 5 to 60 tokens with the topics that made them."""
    phi = RNG.dirichlet(np.full(n_words, beta), 3)
    documents, topics = [], []
    for _ in range(n_docs):
        z = RNG.choice(3, RNG.integers(5, 60), p=RNG.dirichlet(ALPHA))
        topics.append(z)
        documents.append([int(RNG.choice(n_words, p=phi[k])) for k in z])
    return corpus_of(documents, n_words), lda.State(np.concatenate(topics).astype(np.uint16), 0)


CORPUS, STATE = drawn(n_docs=400, n_words=50, beta=0.2)
N_DK = np.zeros((CORPUS.n_docs, 3))
np.add.at(N_DK, (CORPUS.docs, STATE.topics), 1)


def test_alpha_takes_the_step_of_the_docstring():
    alpha = np.full(3, 0.3)
    gains = (digamma(N_DK + alpha) - digamma(alpha)).sum(axis=0)
    whole = (digamma(N_DK.sum(axis=1) + alpha.sum()) - digamma(alpha.sum())).sum()
    priors = lda.optimize_alpha(CORPUS, STATE, lda.Priors(alpha, 0.1), n_iterations=1)
    np.testing.assert_allclose(priors.alpha, alpha * gains / whole, rtol=1e-12)
    assert priors.beta == 0.1


def test_beta_takes_the_step_of_the_docstring():
    n_wk, n_words, beta = lda.word_topic_counts(CORPUS, STATE.topics, 3), CORPUS.n_words, 0.1
    gain = (digamma(n_wk + beta) - digamma(beta)).sum()
    whole = n_words * (digamma(n_wk.sum(axis=0) + n_words * beta) - digamma(n_words * beta)).sum()
    priors = lda.optimize_beta(CORPUS, STATE, lda.Priors(np.full(3, 0.3), beta), n_iterations=1)
    np.testing.assert_allclose(priors.beta, beta * gain / whole, rtol=1e-12)


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_nothing(n_threads):
    rng = np.random.default_rng(3)
    words = rng.integers(0, 300, 100_000).astype(np.int32)
    offsets = np.concatenate([[0], np.sort(rng.integers(0, len(words), 500)), [len(words)]])
    corpus = Corpus(words, offsets, tuple(map(str, range(300))))
    state, priors = lda.start(corpus, 40, seed=0), lda.Priors.symmetric(40)
    alone = lda.optimize_alpha(corpus, state, priors).alpha
    assert lda.optimize_alpha(corpus, state, priors, n_threads=n_threads).alpha.tobytes() == alone.tobytes()
    together = lda.optimize_beta(corpus, state, priors, n_threads=n_threads)
    assert together.beta == lda.optimize_beta(corpus, state, priors).beta


def test_the_priors_that_made_the_data_are_found():
    priors = lda.optimize_alpha(CORPUS, STATE, lda.Priors.symmetric(3), n_iterations=200)
    np.testing.assert_allclose(priors.alpha, ALPHA, rtol=0.25)
    priors = lda.optimize_beta(CORPUS, STATE, lda.Priors.symmetric(3), n_iterations=200)
    np.testing.assert_allclose(priors.beta, 0.2, rtol=0.25)


def test_a_topic_that_nobody_uses_keeps_a_prior():
    priors = lda.optimize_alpha(CORPUS, STATE, lda.Priors.symmetric(4))
    assert 0 < priors.alpha[3] < 1e-4


def test_nothing_to_learn_from_changes_nothing():
    nothing, priors = corpus_of([[], []], 5), lda.Priors.symmetric(3)
    state = lda.State(np.zeros(0, np.uint16), 0)
    np.testing.assert_array_equal(lda.optimize_alpha(nothing, state, priors).alpha, priors.alpha)
    assert lda.optimize_beta(nothing, state, priors).beta == priors.beta
