"""The E step of units against sums over every count, and noise that is hardly there against none."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from planted import count_words, drawn_corpus, planted_topics
from scipy.special import gammaln

from fedtopics.errors import InputError
from fedtopics.sampling import unit_em
from fedtopics.sampling.histograms import Histograms


def problem(sigma: float, seed: int = 0):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((9, 14)) < 0.3, rng.integers(1, 4, (9, 14)), 0)
    unit, words = np.nonzero(dense)
    values = dense[unit, words].astype(np.int32)
    offsets = np.concatenate([[0], np.cumsum((dense > 0).sum(1))])
    units = Histograms(offsets, words.astype(np.int32), values, 14, sigma=sigma)
    phi = rng.dirichlet(np.full(14, 0.5), 4).T.astype(np.float32) + np.float32(1e-4)
    theta = rng.dirichlet(np.ones(4), 3).astype(np.float32)
    return units, np.array([0, 2, 5, 9]), rng.uniform(2, 6, 9), theta, phi, dense


def reference(units: Histograms, documents, lengths, theta, phi, dense):
    """Mixtures after one update, and counts, summed over true counts 0..40 of every word."""
    n = np.arange(41)
    document = np.repeat(np.arange(len(documents) - 1), np.diff(documents))
    n_topics = phi.shape[1]
    evidence = np.zeros((len(dense), n_topics))
    expected = np.zeros((len(dense), *phi.shape))
    for u, row in enumerate(dense):
        for w, m in enumerate(row):
            for k in range(n_topics):
                mu = lengths[u] * float(phi[w, k])
                chances = n * np.log(mu) - mu - gammaln(n + 1)
                seen = -((m - n) ** 2) / (2 * units.sigma**2) if m else n * np.log(units.dropping)
                weights = np.exp(chances + seen)
                evidence[u, k] += np.log(weights.sum())
                expected[u, w, k] = weights @ n / weights.sum()

    def chances(mixture):
        scores = np.exp(evidence - evidence.max(1, keepdims=True)) * mixture[document]
        return scores / scores.sum(1, keepdims=True)

    r = chances(theta)
    moved = np.array([r[a:b].sum(0) + 0.1 for a, b in pairwise(documents)])
    moved /= moved.sum(1, keepdims=True)
    return moved, np.einsum("uwk,uk->wk", expected, chances(moved))


@pytest.mark.parametrize("sigma", [0.3, 0.56, 1.5])
@pytest.mark.parametrize("at_once", [3, 1 << 16])
def test_it_agrees_with_sums_over_all_counts(
    sigma: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unit_em, "ENTRIES_AT_ONCE", at_once)
    *given, dense = problem(sigma)
    phi = given[4] / given[4].sum(axis=0)
    step = unit_em.expect(*given[:4], phi, 0.1, n_steps=1)
    theta, counts = reference(*given[:4], phi, dense)
    np.testing.assert_allclose(step.theta, theta, rtol=1e-4)
    np.testing.assert_allclose(step.counts, counts, rtol=1e-4, atol=1e-6)


def test_hardly_any_noise_is_none() -> None:
    *given, _ = problem(0.12)
    little = unit_em.expect(*given, 0.1)
    none = unit_em.expect(replace(given[0], sigma=0.0), *given[1:], 0.1)
    np.testing.assert_allclose(little.theta, none.theta, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(little.counts, none.counts, rtol=1e-3, atol=1e-4)


def test_exact_counts_are_the_responsibilities_of_the_paper() -> None:
    *given, dense = problem(0.0)
    units, documents, lengths, theta, phi = given
    step = unit_em.expect(units, documents, lengths, theta, phi, 0.1, n_steps=0)
    evidence = unit_em.plug_in(dense.astype(float), np.log(phi))
    document = np.repeat(np.arange(3), np.diff(documents))
    r = unit_em.responsibilities(evidence, theta[document])
    np.testing.assert_allclose(step.counts, dense.T @ r, rtol=1e-4, atol=1e-5)


def test_em_finds_the_topics_of_units() -> None:
    topics = planted_topics(3, 8)
    units = count_words(drawn_corpus(topics, n_docs=300, length=4, seed=0, alpha=0.01))
    rng = np.random.default_rng(1)
    phi = rng.dirichlet(np.full(24, 5.0), 3).T.astype(np.float32)
    theta = np.full((100, 3), 1 / 3, np.float32)
    for _ in range(30):
        step = unit_em.expect(units, np.arange(0, 301, 3), np.full(300, 4.0), theta, phi, 0.1)
        theta, phi = step.theta, ((step.counts + 0.01) / (step.counts + 0.01).sum(0)).astype(np.float32)
    found = {frozenset(np.argsort(-phi[:, k])[:8].tolist()) for k in range(3)}
    assert found == {frozenset(range(8 * k, 8 * k + 8)) for k in range(3)}


def test_units_that_are_not_in_documents_are_refused() -> None:
    units, _, lengths, theta, phi, _ = problem(0.5)
    with pytest.raises(InputError, match="expected 9 units in documents, got 8"):
        unit_em.expect(units, np.array([0, 2, 5, 8]), lengths, theta, phi, 0.1)


@pytest.mark.parametrize(("sigma", "decay"), [(-1.0, 0.0), (0.01, 0.0), (1e4, 0.0), (0.5, 0.5)])
def test_a_bad_law_of_noise_is_refused(sigma: float, decay: float) -> None:
    with pytest.raises(InputError, match="one law of noise, got sigma"):
        replace(problem(0.5)[0], sigma=sigma, decay=decay)


def test_sums_over_noisy_counts_are_the_same_bits_in_any_order():
    rng = np.random.default_rng(0)
    noisy = rng.integers(-800, 900, (300, 700)) / 64
    log_phi = np.log(rng.dirichlet(np.full(700, 0.1), 5).T + 1e-9).astype(np.float32)
    chances = rng.dirichlet(np.ones(5), 300)
    words, rows = rng.permutation(700), rng.permutation(300)
    evidence, counts = unit_em.plug_in(noisy, log_phi), unit_em.plug_in_counts(noisy, chances)
    assert (unit_em.plug_in(noisy[:, words], log_phi[words]) == evidence).all()
    assert (unit_em.plug_in_counts(noisy[rows], chances[rows]) == counts).all()
    halves = [unit_em.plug_in_counts(noisy[part], chances[part]) for part in (slice(99), slice(99, None))]
    assert (halves[0] + halves[1] == counts).all()
    assert evidence == pytest.approx(noisy @ log_phi.astype(float), abs=0.01)
    assert counts == pytest.approx(noisy.T @ chances, abs=2e-3)
