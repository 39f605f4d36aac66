"""The samplers leave the posterior unchanged, on corpora where it can be written down."""

from __future__ import annotations

import numpy as np
import pytest
from enumerated import EVERY_Z, PRIORS, TINY, assert_drawn_from, number_of, posterior, seed_of
from planted import corpus_of
from scipy.special import gammaln

from fedtopics.sampling import lda

OTHERS = np.array([[2.0, 0.0, 1.5], [0.0, 1.0, 0.5]])


@pytest.mark.parametrize("sampler", ["gibbs", "metropolis"])
@pytest.mark.parametrize("others", [None, OTHERS])
def test_a_sweep_leaves_the_posterior_unchanged(sampler, others):
    """Draw z from the exact posterior, take one sweep: the result is a draw from it again.

    The draws are independent, so there is neither burn-in nor autocorrelation to allow for.
    """
    expected, rng = posterior(others), np.random.default_rng(seed_of(1))
    seeds = rng.integers(2**63, size=20_000)
    counts = np.zeros(len(EVERY_Z), np.int64)
    for i, seed in zip(rng.choice(len(EVERY_Z), size=len(seeds), p=expected), seeds, strict=True):
        state = lda.State(EVERY_Z[i], 0)
        state = lda.sweep(TINY, state, PRIORS, seed=int(seed), sampler=sampler, others=others)
        counts[number_of(state.topics)] += 1
    assert_drawn_from(counts, expected)


@pytest.mark.parametrize("sampler", ["gibbs", "metropolis"])
def test_topics_under_fixed_phi_follow_their_posterior(sampler):
    """Documents are independent given phi: p(z) ~ prod_d Gamma(n_d + alpha) * prod_i phi[z_i, w_i]."""
    phi = np.array([[0.7, 0.3], [0.5, 0.5], [0.2, 0.8]])
    log_p = []
    for z in EVERY_Z:
        n_dk = np.zeros((TINY.n_docs, 3))
        np.add.at(n_dk, (TINY.docs, z), 1)
        log_p.append(gammaln(n_dk + PRIORS.alpha).sum() + np.log(phi[z, TINY.words]).sum())
    expected = np.exp(log_p) / np.exp(log_p).sum()
    rng = np.random.default_rng(seed_of(3))
    counts = np.zeros(len(EVERY_Z), np.int64)
    for i in rng.choice(len(EVERY_Z), size=20_000, p=expected):
        state = lda.State(EVERY_Z[i], 0)
        seed = int(rng.integers(2**63))
        state = lda.assign(TINY, state, phi, PRIORS.alpha, seed=seed, sampler=sampler)
        counts[number_of(state.topics)] += 1
    assert_drawn_from(counts, expected)


def test_a_draw_weighs_tokens_by_their_weights():
    """p(z) ~ (n_dk + alpha_k) (n_wk + beta) / (n_k + V beta), sums of weights of all tokens but the first."""
    weights, z = np.array([0.5, 2.0, 1.5, 3.0]), np.array([0, 1, 2, 1])
    n_dk, n_wk, n_k = (
        np.bincount(z[1:], weights[1:] * chosen[1:], 3)
        for chosen in (TINY.docs == TINY.docs[0], TINY.words == TINY.words[0], np.ones(4))
    )
    expected = (n_dk + PRIORS.alpha) * (n_wk + PRIORS.beta) / (n_k + TINY.n_words * PRIORS.beta)
    state, counts = lda.State(z.astype(np.uint16), 0), np.zeros(3, np.int64)
    for seed in np.random.default_rng(seed_of(6)).integers(2**63, size=10_000):
        after = lda.sweep(TINY, state, PRIORS, seed=int(seed), sampler="gibbs", weights=weights)
        counts[after.topics[0]] += 1
    assert_drawn_from(counts, expected)


@pytest.mark.parametrize("n_topics", [3, 16, 17, 40, 100])
@pytest.mark.parametrize("sampler", ["gibbs", "metropolis"])
def test_draws_among_many_topics_follow_their_weights(sampler, n_topics):
    """Documents of a single token each: p(z) ~ alpha_z phi_zw."""
    rng = np.random.default_rng(seed_of(4))
    corpus = corpus_of([[0]] * 30_000, n_words=2)
    alpha = rng.uniform(0.5, 1.5, n_topics)
    phi = rng.dirichlet([8.0, 8.0], n_topics)
    expected = alpha * phi[:, 0] / (alpha @ phi[:, 0])
    start = rng.choice(n_topics, size=corpus.n_tokens, p=expected).astype(np.uint16)
    seed = int(rng.integers(2**63))
    after = lda.assign(corpus, lda.State(start, 0), phi, alpha, seed=seed, sampler=sampler)
    assert_drawn_from(np.bincount(after.topics, minlength=n_topics), expected)
    assert (after.topics != start).mean() > 0.3


@pytest.mark.parametrize("n_proposals", [1, 2, 3])
@pytest.mark.parametrize("n_topics", [3, 20, 70])
@pytest.mark.parametrize("repeated", [True, False])
def test_delayed_counts_are_exact_where_nothing_is_delayed(n_proposals, n_topics, repeated):
    """The counts of others are so large that phi is fixed, and of two tokens in a document only one can move.

    Then p(z) ~ (alpha_z + [z is the topic of the other]) phi_zw. The words of the tokens that move are one
    long row, or as many short ones: their priors are drawn from in two ways.
    """
    rng = np.random.default_rng(seed_of(5))
    n_docs, total = 30_000, 1e10
    free = np.zeros(n_docs, int) if repeated else np.arange(n_docs)
    pin, rest = free[-1] + 1, free[-1] + 2
    corpus = corpus_of([[word, pin] for word in free], n_words=rest + 1)
    alpha, others = rng.uniform(0.5, 1.5, n_topics), np.zeros((rest + 1, n_topics))
    others[:pin] = rng.uniform(0.5, 1.5, n_topics) * 1e9 / pin
    others[pin, 0] = 1e9  # this word is of topic 0 for sure
    others[rest] = total - others.sum(axis=0)
    phi = others[0] / total
    weights = (alpha + (np.arange(n_topics) == 0)) * phi
    expected = weights / weights.sum()
    topics = np.zeros((n_docs, 2), np.uint16)
    topics[:, 0] = rng.choice(n_topics, size=n_docs, p=expected)
    state = lda.sweep(
        corpus,
        lda.State(topics.reshape(-1), 0),
        lda.Priors(alpha, 0.01),
        seed=int(rng.integers(2**63)),
        sampler="warp",
        n_proposals=n_proposals,
        others=others,
    )
    after = state.topics.reshape(-1, 2)
    assert (after[:, 1] == 0).all()
    assert (after[:, 0] != topics[:, 0]).mean() > 0.2
    assert_drawn_from(np.bincount(after[:, 0], minlength=n_topics), expected)


def test_start_is_uniform():
    seeds = np.random.default_rng(seed_of(2)).integers(2**63, size=10_000)
    counts = np.zeros(len(EVERY_Z), np.int64)
    for seed in seeds:
        counts[number_of(lda.start(TINY, 3, int(seed)).topics)] += 1
    assert_drawn_from(counts, np.ones(len(EVERY_Z)))
