"""LDA on words of which some are noise: exact on a corpus small enough to enumerate."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from enumerated import PRIORS, TINY, assert_drawn_from, seed_of
from scipy.special import gammaln

from fedtopics.errors import InputError
from fedtopics.sampling import lda, noisy_words

BACKGROUND = 0.4
N_TOPICS = 3
OTHERS = np.array([[2.0, 0.0, 1.5], [0.0, 1.0, 0.5]])
EVERY_Z = np.array(list(product(range(N_TOPICS + 1), repeat=TINY.n_tokens)), np.uint16)


def log_joint(z: np.ndarray, others: np.ndarray) -> float:
    """log p(w, z): a word is noise with odds background * V, else it comes from LDA."""
    true = z < N_TOPICS
    n_dk, n_wk = np.zeros((TINY.n_docs, N_TOPICS)), others.copy()
    np.add.at(n_dk, (TINY.docs[true], z[true]), 1)
    np.add.at(n_wk, (TINY.words[true], z[true]), 1)
    mixtures = gammaln(n_dk + PRIORS.alpha).sum() - gammaln((n_dk + PRIORS.alpha).sum(axis=1)).sum()
    words = gammaln(n_wk + PRIORS.beta).sum() - gammaln((n_wk + PRIORS.beta).sum(axis=0)).sum()
    return float(mixtures + words + np.log(BACKGROUND) * np.sum(~true))


@pytest.mark.parametrize("others", [None, OTHERS])
def test_a_sweep_leaves_the_posterior_unchanged(others):
    base = np.zeros((TINY.n_words, N_TOPICS)) if others is None else others
    log_p = np.array([log_joint(z, base) for z in EVERY_Z])
    expected = np.exp(log_p - log_p.max()) / np.exp(log_p - log_p.max()).sum()
    rng = np.random.default_rng(seed_of(4))
    counts = np.zeros(len(EVERY_Z), np.int64)
    for i in rng.choice(len(EVERY_Z), size=20_000, p=expected):
        state = noisy_words.sweep(
            TINY,
            lda.State(EVERY_Z[i], 0),
            PRIORS,
            background=BACKGROUND,
            seed=int(rng.integers(2**63)),
            others=others,
        )
        counts[int(state.topics @ (N_TOPICS + 1) ** np.arange(TINY.n_tokens)[::-1])] += 1
    rare = expected * counts.sum() < 5
    pooled = np.append(counts[~rare], counts[rare].sum()), np.append(expected[~rare], expected[rare].sum())
    assert_drawn_from(*pooled)


def test_without_background_it_is_plain_gibbs():
    state = lda.start(TINY, 3, 1)
    plain = lda.sweep(TINY, state, PRIORS, seed=2, n_sweeps=4, sampler="gibbs")
    noisy = noisy_words.sweep(TINY, state, PRIORS, background=0.0, seed=2, n_sweeps=4)
    np.testing.assert_array_equal(noisy.topics, plain.topics)


def test_noise_is_counted_nowhere():
    topics = np.array([0, 3, 2, 3], np.uint16)
    counts = noisy_words.word_topic_counts(TINY, topics, 3)
    assert counts.tolist() == [[1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("background", [-1.0, float("nan"), float("inf")])
def test_a_background_that_is_no_weight_is_refused(background):
    with pytest.raises(InputError, match="background must be a finite number of at least 0, got"):
        noisy_words.sweep(TINY, lda.start(TINY, 3, 1), PRIORS, background=background, seed=0)
