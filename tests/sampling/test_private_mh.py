"""Private Metropolis-Hastings: exact where it can be enumerated, and the printed ratio is not."""

from __future__ import annotations

import tracemalloc
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln
from statistics_ import SEED, assert_drawn_from

from fedtopics.errors import InputError
from fedtopics.sampling import private_mh
from fedtopics.sampling.private_mh import Units

K, V, ALPHA = 3, 5, 0.4
PHI = np.array([[0.5, 0.3, 0.1, 0.05, 0.05], [0.1, 0.1, 0.6, 0.1, 0.1], [0.05, 0.15, 0.1, 0.3, 0.4]])
LOG_PHI = np.log(PHI)
N_COPIES, N_SWEEPS = 100_000, 15
# Entries of three tokens (or sentences) of one document: words, and a number for each.
WORDS = [[0, 2], [2, 3, 4], [1]]
VALUES = {
    "plug_in": [[1.2, 0.3], [0.4, 0.9, 0.2], [1.1]],
    "one_hot": [[30.0, -0.5], [4.0, 9.0, 2.0], [6.0]],
    "counts": [[2.0, 1.0], [1.0, 3.0, 1.0], [1.0]],
}
LENGTHS, DECAY = np.array([3.0, 4.0, 1.5]), 0.2
STATES = np.array(list(product(range(K), repeat=3)))


def copies(evidence: Any, n: int, rows_of_units: tuple[int, ...] = (1, 1, 1)) -> Units:
    """The document n times; its units have these numbers of tokens."""
    words = np.concatenate([np.array(w, np.int32) for w in WORDS])
    values = np.concatenate([np.array(v, np.float32) for v in VALUES[evidence]])
    lengths = np.cumsum([len(w) for w in WORDS] * n)
    n_units = len(rows_of_units)
    units = np.append(0, np.cumsum(rows_of_units * n))
    return Units(
        documents=np.arange(n + 1) * n_units,
        units=units.astype(np.int64),
        rows=np.append(0, lengths).astype(np.int64),
        words=np.tile(words, n),
        values=np.tile(values, n),
        n_words=V,
        evidence=evidence,
        decay=DECAY,
        lengths=np.tile(LENGTHS[:n_units], n),
    )


def log_evidence(value: float, mu: float) -> float:
    """log sum_n mu^n/n! LR(n), by summing."""
    n = np.arange(60)
    ratio = np.where(n <= value, DECAY ** -n.astype(float), DECAY ** -(2 * value - n))
    return float(np.log((mu**n / np.exp(gammaln(n + 1)) * ratio).sum()) - DECAY * mu)


def likelihood(evidence: str, row: int, topic: int) -> float:
    phi, words, values = PHI[topic], WORDS[row], VALUES[evidence][row]
    if evidence == "plug_in":
        return float(sum(x * np.log(phi[w]) for w, x in zip(words, values, strict=True)))
    if evidence == "one_hot":
        return float(np.log(1 + sum(x * phi[w] for w, x in zip(words, values, strict=True))))
    return sum(log_evidence(m, LENGTHS[row] * phi[w]) for w, m in zip(words, values, strict=True))


def posterior(table: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Probability of every assignment of topics to units, given log-likelihoods (n_units, K)."""
    log_p = []
    for z in states:
        counts = np.bincount(z, minlength=K)
        log_p.append(gammaln(counts + ALPHA).sum() + table[np.arange(len(z)), z].sum())
    p = np.exp(np.array(log_p) - max(log_p))
    return p / p.sum()


def numbers(topics: np.ndarray, n_units: int) -> np.ndarray:
    return topics.reshape(-1, n_units).astype(int) @ K ** np.arange(n_units)[::-1]


def total_variation(drawn: np.ndarray, expected: np.ndarray) -> float:
    found = np.bincount(drawn, minlength=len(expected)) / len(drawn)
    return float(np.abs(found - expected).sum() / 2)


@pytest.mark.parametrize("evidence", private_mh.KINDS)
def test_the_chain_reaches_the_enumerated_posterior(evidence: str) -> None:
    table = np.array([[likelihood(evidence, row, k) for k in range(K)] for row in range(3)])
    expected = posterior(table, STATES)
    units = copies(evidence, N_COPIES)
    topics = private_mh.start(units, K, SEED)
    for number in range(N_SWEEPS):
        topics = private_mh.sweep(units, topics, LOG_PHI, ALPHA, seed=SEED, number=number, n_threads=2)
    assert total_variation(numbers(topics, 3), expected) < 0.01
    assert_drawn_from(np.bincount(numbers(topics, 3), minlength=len(expected)), expected)


@pytest.mark.parametrize("lengths", [(1, 2), (1, 0, 2), (0, 3)])
def test_a_sentence_moves_as_a_whole_by_the_product_over_its_tokens(lengths: tuple[int, ...]) -> None:
    """One without a token follows the others of its document."""
    rows = np.array([[likelihood("one_hot", row, k) for k in range(K)] for row in range(3)])
    table = np.array([part.sum(axis=0) for part in np.split(rows, np.cumsum(lengths)[:-1])])
    states = np.array(list(product(range(K), repeat=len(lengths))))
    units = copies("one_hot", N_COPIES, lengths)
    topics = private_mh.start(units, K, SEED)
    for number in range(N_SWEEPS):
        topics = private_mh.sweep(units, topics, LOG_PHI, ALPHA, seed=SEED, number=number)
    found = np.bincount(numbers(topics, len(lengths)), minlength=len(states))
    assert_drawn_from(found, posterior(table, states))


def printed_sweep(topics: np.ndarray, table: np.ndarray, rng: np.random.Generator, *, inverted: bool) -> None:
    """FTM Algorithm 1 on many copies: the document proposal with the token itself in its table.

    Accepts by Eq. 12, P(z') q(z') / (P(z) q(z)), or by Eq. 13, where the ratio of q is the right way round.
    """
    copies_ = np.arange(len(topics))
    for i in range(topics.shape[1]):
        old = topics[:, i].copy()
        counts = (topics[:, :, None] == np.arange(K)).sum(axis=1)
        proposal_law = (counts + ALPHA) / (counts + ALPHA).sum(axis=1, keepdims=True)
        new = (rng.random((len(topics), 1)) > proposal_law.cumsum(axis=1)).sum(axis=1).clip(max=K - 1)
        counts[copies_, old] -= 1
        target = np.log(counts + ALPHA) + table[i]
        q = np.log(proposal_law[copies_, new] / proposal_law[copies_, old]) * (1 if inverted else -1)
        accept = np.log(rng.random(len(topics))) < target[copies_, new] - target[copies_, old] + q
        topics[:, i] = np.where(accept, new, old)


@pytest.mark.parametrize(("inverted", "least"), [(True, 0.1), (False, 0.02)])
def test_the_printed_acceptance_fails_the_same_test(inverted: bool, least: float) -> None:
    table = np.array([[likelihood("plug_in", row, k) for k in range(K)] for row in range(3)])
    rng = np.random.default_rng(SEED)
    topics = rng.integers(K, size=(50_000, 3))
    for _ in range(N_SWEEPS):
        printed_sweep(topics, table, rng, inverted=inverted)
    assert total_variation(numbers(topics, 3), posterior(table, STATES)) > least


@pytest.mark.parametrize("evidence", private_mh.KINDS)
def test_the_number_of_threads_changes_nothing(evidence: str) -> None:
    units = copies(evidence, 100)
    first = private_mh.assign(units, LOG_PHI, seed=1)
    one, two = (
        private_mh.sweep(units, first, LOG_PHI, ALPHA, seed=1, n_proposals=3, n_threads=n) for n in (1, 2)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, first)


def test_units_are_assigned_by_the_topics_of_their_hint_words() -> None:
    units = copies("plug_in", N_COPIES)
    topics = private_mh.assign(units, LOG_PHI, seed=SEED).reshape(-1, 3)
    for unit, word in enumerate([0, 3, 1]):  # the largest entry of each
        assert_drawn_from(np.bincount(topics[:, unit], minlength=K), PHI[:, word] / PHI[:, word].sum())


def test_units_without_any_entry_follow_their_document() -> None:
    words, values = np.zeros(0, np.int32), np.zeros(0, np.float32)
    empty = Units(np.array([0, 2]), np.arange(3), np.zeros(3, np.int64), words, values, V, "plug_in")
    topics = private_mh.sweep(empty, private_mh.assign(empty, LOG_PHI, seed=1), LOG_PHI, ALPHA, seed=2)
    assert topics.max() < K


def test_log_dirichlet_draws_have_the_right_mean_and_do_not_underflow() -> None:
    counts = np.tile([[3.0, 1.0, 0.0]], (20_000, 1))
    log_phi = private_mh.draw_topics(counts, 0.01, np.random.default_rng(SEED))
    assert np.isfinite(log_phi).all()
    np.testing.assert_allclose(np.exp(log_phi).sum(axis=1), 1)
    shape = counts[0] + 0.01
    mean, total = shape / shape.sum(), shape.sum()
    error = 5 * np.sqrt(mean * (1 - mean) / (total + 1) / len(counts))  # 5 sigma: 6e-7
    assert (np.abs(np.exp(log_phi).mean(axis=0) - mean) < error).all()


def test_expected_counts_of_one_hot_rows_are_those_of_the_word_behind_them() -> None:
    units, topics = copies("one_hot", 1), np.array([0, 1, 2], np.uint16)
    expected = np.zeros((K, V))
    for row, topic in enumerate(topics):
        weights = PHI[topic].copy()
        weights[WORDS[row]] *= 1 + np.array(VALUES["one_hot"][row])
        expected[topic] += weights / weights.sum()
    np.testing.assert_allclose(private_mh.word_topic_counts(units, topics, LOG_PHI), expected, rtol=1e-6)


def test_expected_counts_of_histograms_are_summed_over_the_hidden_count() -> None:
    units, topics = copies("counts", 1), np.array([0, 1, 2], np.uint16)
    n = np.arange(60)
    expected = np.zeros((K, V))
    for row, topic in enumerate(topics):
        mu = LENGTHS[row] * PHI[topic]
        expected[topic] += DECAY * mu
        for word, value in zip(WORDS[row], VALUES["counts"][row], strict=True):
            ratio = np.where(n <= value, DECAY ** -n.astype(float), DECAY ** -(2 * value - n))
            terms = mu[word] ** n / np.exp(gammaln(n + 1)) * ratio
            expected[topic, word] += (n * terms).sum() / terms.sum() - DECAY * mu[word]
    np.testing.assert_allclose(private_mh.word_topic_counts(units, topics, LOG_PHI), expected, rtol=1e-4)


def test_plug_in_counts_are_the_sums_of_the_noisy_vectors() -> None:
    counts = private_mh.word_topic_counts(copies("plug_in", 2), np.array([0, 1, 0, 0, 2, 0]), LOG_PHI)
    np.testing.assert_allclose(counts[0], [2.4, 2.2, 0.6, 0, 0], rtol=1e-6)
    assert counts.sum() == pytest.approx(2 * 4.1)


def test_units_that_do_not_fit_are_refused() -> None:
    units = copies("counts", 1)
    with pytest.raises(InputError, match="topics over 5 words, got shape"):
        private_mh.sweep(units, np.zeros(3, np.uint16), LOG_PHI[:, :4], ALPHA, seed=0)
    with pytest.raises(InputError, match="3 topics below 3"):
        private_mh.sweep(units, np.full(3, 3, np.uint16), LOG_PHI, ALPHA, seed=0)
    with pytest.raises(InputError, match="expected evidence plug_in"):
        Units(units.documents, units.units, units.rows, units.words, units.values, V, "raw")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="3 lengths, got 0"):
        Units(units.documents, units.units, units.rows, units.words, units.values, V, "counts")
    with pytest.raises(InputError, match="word ids below 4"):
        Units(units.documents, units.units, units.rows, units.words, units.values, 4, "plug_in")


def test_vectors_of_tokens_take_little_memory_beside_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token of the papers has hundreds of entries: a number beside each would be gigabytes."""
    monkeypatch.setattr(private_mh, "AT_ONCE", 2**12)
    rng, n_rows, n_words = np.random.default_rng(0), 2_000, 300
    rows = np.arange(n_rows + 1) * 200
    words = np.tile(np.arange(200, dtype=np.int32), n_rows)
    values = (rng.integers(13, 200, len(words)) / 64).astype(np.float32)
    units = Units(np.array([0, n_rows]), np.arange(n_rows + 1), rows, words, values, n_words, "plug_in")
    topics, log_phi = rng.integers(0, 4, n_rows).astype(np.uint16), np.zeros((4, n_words))
    tracemalloc.start()
    counts = private_mh.word_topic_counts(units, topics, log_phi)
    assert units.hints[1].shape == (n_rows,)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(words)
    plain = np.zeros_like(counts)
    np.add.at(plain, (np.repeat(topics, 200), words), values.astype(np.float64))
    assert np.array_equal(counts, plain)
