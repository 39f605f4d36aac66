"""The exact samplers leave the posterior unchanged, on a corpus small enough to enumerate."""

from __future__ import annotations

import numpy as np
import pytest
from enumerated import EVERY_Z, PRIORS, TINY, assert_drawn_from, number_of, posterior, seed_of
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


def test_start_is_uniform():
    seeds = np.random.default_rng(seed_of(2)).integers(2**63, size=10_000)
    counts = np.zeros(len(EVERY_Z), np.int64)
    for seed in seeds:
        counts[number_of(lda.start(TINY, 3, int(seed)).topics)] += 1
    assert_drawn_from(counts, np.ones(len(EVERY_Z)))
