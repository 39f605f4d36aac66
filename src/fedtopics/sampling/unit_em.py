"""Topics of units whose words share one topic: the E step, for exact, noisy and thresholded counts.

A unit u of document d has the topic z_u with Pr[z_u = k] = theta_dk, and its counts are those of words drawn
from phi_k. What its vector says of a topic is one of

    plug_in   sum_w y_w log phi_kw                        PC-TD, Eq. 5: the noisy count taken for the count
    expect    sum_w log sum_n Pr[n | lambda_u phi_kw] Pr[y_w | n]      y_w seen through Gaussian noise, >= 1

In `expect` the words below 1 are together worth exp(-silence lambda_u (1 - sum of phi_k over the others)), as
in `channel_em`. Counts behind the noise are Poisson.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, factorial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.sampling.histograms import Histograms

Floats: TypeAlias = NDArray[np.float64]
ENTRIES_AT_ONCE = 1 << 16
SMALLEST = 1e-12
LOGARITHM_STEPS, CHANCE_STEPS = 1 << 18, 1 << 20


@dataclass(frozen=True, eq=False)
class UnitExpectation:
    """Outcome of one E step: theta (n_docs, n_topics), expected counts (n_words, n_topics)."""

    theta: NDArray[np.float32]
    counts: NDArray[np.float32]


def expect(
    units: Histograms,
    documents: NDArray[np.int64],
    lengths: Floats,
    theta: NDArray[np.float32],
    phi: NDArray[np.float32],
    alpha: float,
    *,
    n_steps: int = 2,
) -> UnitExpectation:
    """Expected counts behind noisy vectors of units, after `n_steps` updates of each document's mixture.

    A row of `units` is a unit of `lengths[u]` words; document d owns the rows documents[d]:documents[d+1].
    """
    if documents[-1] != units.n_docs or len(lengths) != units.n_docs:
        raise InputError(f"expected {units.n_docs} units in documents, got {documents[-1]}")
    document = np.repeat(np.arange(len(documents) - 1), np.diff(documents))
    evidence = _evidence(units, lengths, phi)
    for _ in range(n_steps):
        chances = responsibilities(evidence, theta[document])
        theta = mixtures(chances, documents, alpha)
    chances = responsibilities(evidence, theta[document])
    return UnitExpectation(theta, _counts(units, lengths, phi, chances))


def responsibilities(evidence: Floats, theta: NDArray[Any]) -> Floats:
    """Pr[topic | unit] (Eq. 3) from log-likelihoods and mixtures, both (n_units, n_topics)."""
    scores = evidence + np.log(np.maximum(theta, SMALLEST))
    scores -= scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    result: Floats = weights / weights.sum(axis=1, keepdims=True)
    return result


def mixtures(chances: Floats, documents: NDArray[np.int64], alpha: float) -> NDArray[np.float32]:
    """theta of each document (Eq. 7): the shares of its units' topics, with prior `alpha`; even without."""
    sums = _by_row(chances, documents) + max(alpha, SMALLEST)
    return np.asarray(sums / sums.sum(axis=1, keepdims=True), np.float32)


def plug_in(noisy: Floats, log_phi: NDArray[np.float32]) -> Floats:
    """log-likelihood of each topic (n_units, n_topics) with noisy counts taken for counts (Eq. 5)."""
    return exact_product(noisy, log_phi, LOGARITHM_STEPS)


def plug_in_counts(noisy: Floats, chances: Floats) -> Floats:
    """M (n_words, n_topics), Eq. 10: noisy counts by the topics of their units."""
    return exact_product(noisy.T, chances, CHANCE_STEPS)


def exact_product(noisy: Floats, other: NDArray[Any], steps: int) -> Floats:
    """noisy @ other with `other` rounded to 1 / steps: the same bits in whatever order a library adds up.

    Noisy counts are multiples of a small power of 1/2. So are all terms, and sums that need no more than the
    53 bits of a double are exact.
    """
    return np.asarray(noisy @ np.rint(other.astype(np.float64) * steps) / steps)


def _evidence(units: Histograms, lengths: Floats, phi: NDArray[np.float32]) -> Floats:
    """log-likelihood of every topic for each unit, up to a number of its own."""
    law = units.chances()
    evidence = np.zeros((units.n_docs, phi.shape[1]))
    for rows, mu, sums, _ in _read(units, lengths, phi):
        logs = np.log(sums) - (law["absence"] - law["silence"]) * mu
        evidence[rows] = _by_row(logs, units.offsets[rows.start : rows.stop + 1] - units.offsets[rows.start])
    return evidence


def _counts(
    units: Histograms, lengths: Floats, phi: NDArray[np.float32], chances: Floats
) -> NDArray[np.float32]:
    """sum_u E[n_uw | z_u = k] Pr[z_u = k], words that are not in the vectors included."""
    from scipy.sparse import csr_array

    hidden = units.chances()["hidden"]
    total = (hidden * (lengths @ chances))[None, :] * phi
    for rows, mu, sums, weighted in _read(units, lengths, phi):
        row = np.repeat(np.arange(rows.start, rows.stop), np.diff(units.offsets[rows.start : rows.stop + 1]))
        expected = (weighted / sums - hidden * mu) * chances[row]
        words = units.words[units.offsets[rows.start] : units.offsets[rows.stop]]
        cells = (words, np.arange(len(words)))
        total += csr_array((np.ones(len(words)), cells), shape=(units.n_words, len(words))) @ expected
    return np.maximum(total, 0).astype(np.float32)


def _read(
    units: Histograms, lengths: Floats, phi: NDArray[np.float32]
) -> Iterator[tuple[slice, Floats, Floats, Floats]]:
    """Block by block: its rows and, of each entry, the means by topic and what `_sums` makes of them."""
    for rows, first, last in _blocks(units):
        sizes = np.diff(units.offsets[rows.start : rows.stop + 1])
        means = np.repeat(lengths[rows], sizes)[:, None] * phi[units.words[first:last]].astype(np.float64)
        mu, value = np.maximum(means, SMALLEST), units.values[first:last]
        sums, weighted = np.empty_like(mu), np.empty_like(mu)
        for m in np.unique(value):
            at = value == m
            sums[at], weighted[at] = _sums(mu[at], int(m), units.sigma)
        yield rows, mu, sums, weighted


def _sums(mu: Floats, m: int, sigma: float) -> tuple[Floats, Floats]:
    """sum_n mu^n / n! g(m - n) and sum_n n mu^n / n! g(m - n), g the density of the noise up to a factor."""
    if sigma == 0:
        return mu**m, m * mu**m
    most = m + ceil(6 * sigma) + 2
    weights = [np.exp(-((m - n) ** 2) / (2 * sigma**2)) / factorial(n) for n in range(most + 1)]
    sums, weighted = np.zeros_like(mu), np.zeros_like(mu)
    for n in range(most, -1, -1):
        sums = sums * mu + weights[n]
        weighted = weighted * mu + n * weights[n]
    return sums, weighted


def _blocks(units: Histograms) -> list[tuple[slice, int, int]]:
    """Rows of about ENTRIES_AT_ONCE entries, with their first and last entry."""
    bounds = [0]
    while bounds[-1] < units.n_docs:
        reach = units.offsets[bounds[-1]] + ENTRIES_AT_ONCE
        bounds.append(max(bounds[-1] + 1, int(np.searchsorted(units.offsets, reach, side="right")) - 1))
    return [(slice(a, b), int(units.offsets[a]), int(units.offsets[b])) for a, b in pairwise(bounds)]


def _by_row(values: Floats, offsets: NDArray[np.int64]) -> Floats:
    before = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    return np.asarray(before[offsets[1:]] - before[offsets[:-1]], np.float64)
