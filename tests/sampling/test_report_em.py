"""EM on reports of tokens against enumeration of what each token may have been, and what it must achieve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.mechanisms.subset_selection import SubsetSelection
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.sampling import channel_em, report_em
from fedtopics.sampling.channel_em import Mixtures, SizedTopics
from fedtopics.sampling.report_em import Reports

N_WORDS, FLOOR = 5, 0.02
CORPUS = Corpus(
    np.array([0, 1, 1, 4, 2, 2, 3], np.int32), np.array([0, 4, 4, 7]), tuple("abcde"), language=None
)


def one_word(words: np.ndarray, offsets: np.ndarray, n_words: int, keep: float) -> Reports:
    """Reports of randomized response: one word for each token of the documents, true with `keep` to spare."""
    docs = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    keys, times = np.unique(docs * n_words + words, return_counts=True)
    documents = np.searchsorted(keys, np.arange(len(offsets)) * n_words).astype(np.int64)
    gains = np.full(len(keys), keep * n_words / (1 - keep), np.float32)
    return Reports(
        documents,
        np.arange(len(keys) + 1, dtype=np.int64),
        times.astype(np.float32),
        (keys % n_words).astype(np.int32),
        gains,
        n_words,
    )


def bits(
    words: np.ndarray, rows: np.ndarray, offsets: np.ndarray, n_words: int, p: float, q: float
) -> Reports:
    """Reports of unary encoding: the ones of each token's bits, token t owning words[rows[t]:rows[t+1]]."""
    gains = np.full(len(words), p * (1 - q) / (q * (1 - p)) - 1, np.float32)
    times = np.ones(len(rows) - 1, np.float32)
    return Reports(offsets.astype(np.int64), rows.astype(np.int64), times, words, gains, n_words)


def krr(epsilon: float) -> tuple[Reports, np.ndarray]:
    """Reports of every token, and Pr[report | word] of each, (tokens, words)."""
    mechanism = RandomizedResponse(epsilon, N_WORDS)
    reported = mechanism(CORPUS.words, Noise.simulated(1)).value
    reports = one_word(reported, CORPUS.offsets, N_WORDS, mechanism.gamma)
    return reports, mechanism.channel()[:, reported].T


def unary(epsilon: float) -> tuple[Reports, np.ndarray]:
    mechanism = UnaryEncoding.optimized(epsilon, N_WORDS)
    rows = mechanism.each(CORPUS.words, Noise.simulated(1)).value
    reports = bits(rows.words, rows.offsets, CORPUS.offsets, N_WORDS, mechanism.p, mechanism.q)
    bit, chances = rows.dense(), mechanism.channel()
    likelihood = [
        np.prod([chances[int(w == x), b[w]] for w in range(N_WORDS)]) for b in bit for x in range(N_WORDS)
    ]
    return reports, np.reshape(likelihood, (-1, N_WORDS))


def subsets(epsilon: float) -> tuple[Reports, np.ndarray]:
    mechanism = SubsetSelection(epsilon, N_WORDS, size=2)
    rows = mechanism(CORPUS.words, Noise.simulated(1)).value
    inside = rows.dense() > 0
    channel = mechanism.channel()
    gain = channel[0].max() / channel[0].min() - 1
    reports = Reports(
        CORPUS.offsets,
        rows.offsets,
        np.ones(len(CORPUS.words), np.float32),
        rows.words,
        np.full(len(rows.words), gain, np.float32),
        N_WORDS,
    )
    return reports, np.where(inside, channel[0].max(), channel[0].min())


def problem(n_topics: int) -> tuple[Mixtures, SizedTopics, np.ndarray]:
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.ones(N_WORDS), n_topics).T.astype(np.float32)
    theta = rng.dirichlet(np.ones(n_topics), 3).astype(np.float32)
    alpha = rng.uniform(0.05, 0.3, n_topics).astype(np.float32)
    topics = SizedTopics(np.ascontiguousarray(phi), rng.uniform(5, 9, n_topics).astype(np.float32))
    return Mixtures(theta, CORPUS.lengths.astype(float)), topics, alpha


@pytest.mark.parametrize("draw", [krr, unary, subsets])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("n_topics", [1, 3, 17])
def test_counts_are_those_of_every_word_and_topic(draw: Any, epsilon: float, n_topics: int) -> None:
    reports, likelihood = draw(epsilon)
    documents, topics, alpha = problem(n_topics)
    step = report_em.expect(reports, documents, topics, alpha, n_steps=0, exclude=False)
    joint = likelihood[:, :, None] * topics.phi[None] * documents.theta[CORPUS.docs][:, None, :]
    evidence = joint.sum(axis=(1, 2))
    np.testing.assert_allclose(step.counts, (joint / evidence[:, None, None]).sum(0), rtol=1e-4, atol=1e-6)
    flat = Mixtures(np.full_like(documents.theta, 1 / n_topics), documents.lengths)
    other = report_em.expect(reports, flat, topics, alpha, n_steps=0, exclude=False)
    even = (likelihood[:, :, None] * topics.phi[None] / n_topics).sum(axis=(1, 2))
    gained = np.log(evidence).sum() - np.log(even).sum()
    assert step.log_likelihood - other.log_likelihood == pytest.approx(gained, abs=1e-4)


@pytest.mark.parametrize("draw", [krr, unary])
def test_a_step_of_the_mixtures_is_that_of_every_topic_listed(draw: Any) -> None:
    reports, likelihood = draw(2.0)
    documents, topics, alpha = problem(3)
    step = report_em.expect(reports, documents, topics, alpha, n_steps=1, exclude=False)
    joint = likelihood @ topics.phi * documents.theta[CORPUS.docs]
    share = joint / joint.sum(axis=1, keepdims=True)
    for d, length in enumerate(CORPUS.lengths):
        mixture = (alpha + share[CORPUS.docs == d].sum(0)) / (length + alpha.sum())
        np.testing.assert_allclose(step.documents.theta[d], mixture, rtol=1e-5)


def test_each_token_is_left_out_of_its_own_evidence() -> None:
    reports, _ = unary(3.0)
    documents, topics, alpha = problem(4)
    counts = np.zeros((N_WORDS, 4))
    for t, d in enumerate(CORPUS.docs):
        words = reports.words[reports.reports[t] : reports.reports[t + 1]]
        gain, theta = reports.gains[0], documents.theta[d].astype(float)
        g = 1 + gain * topics.phi[words].sum(0)
        evidence = theta @ g
        mass = CORPUS.lengths[d] + alpha.sum()
        theta_left = theta * np.maximum(1 - g / (evidence * mass), FLOOR)
        phi_left = topics.phi[words] * np.maximum(1 - (1 + gain) * theta / (evidence * topics.sizes), FLOOR)
        own = theta_left * gain * phi_left
        scale = own.sum() + theta_left.sum()
        counts[words] += own / scale
        counts += theta_left / scale * topics.phi
    step = report_em.expect(reports, documents, topics, alpha, n_steps=0)
    np.testing.assert_allclose(step.counts, counts, rtol=1e-4)


def test_same_bits_for_every_thread_count() -> None:
    topics = planted_topics(3, 20)
    corpus = drawn_corpus(topics, n_docs=900, length=30, seed=0)
    reports = one_word(corpus.words, corpus.offsets, 60, 0.5)
    start = report_em.start(reports, 21)
    phi = channel_em.maximize(np.random.default_rng(0).gamma(1, size=(60, 21)), 0.1)
    alpha = np.full(21, 0.1, np.float32)
    outcomes = set()
    for n_threads in (1, 3):
        step = report_em.expect(reports, start, phi, alpha, n_threads=n_threads)
        outcomes.add((step.documents.theta.tobytes(), step.counts.tobytes(), step.log_likelihood))
    assert len(reports.times) > 2 * 8192, "the data must span several blocks"
    assert len(outcomes) == 1


@pytest.mark.parametrize("unary_reports", [False, True])
def test_planted_topics_are_found_behind_the_reports(unary_reports: bool) -> None:
    truth = planted_topics(3, 8)
    corpus = drawn_corpus(truth, n_docs=400, length=40, seed=2)
    if unary_reports:
        encoding = UnaryEncoding.optimized(2.5, 24)
        rows = encoding.each(corpus.words, Noise.simulated(3)).value
        reports = bits(rows.words, rows.offsets, corpus.offsets, 24, encoding.p, encoding.q)
    else:
        response = RandomizedResponse(2.5, 24)
        drawn = response(corpus.words, Noise.simulated(3)).value
        reports = one_word(drawn, corpus.offsets, 24, response.gamma)
    topics = channel_em.maximize(np.random.default_rng(1).gamma(5, size=(24, 3)), 0.05)
    documents, alpha = report_em.start(reports, 3), np.full(3, 0.1, np.float32)
    for number in range(60):
        step = report_em.expect(reports, documents, topics, alpha, exclude=number > 0)
        documents, topics = step.documents, channel_em.maximize(step.counts, 0.05)
    overlap = np.minimum(truth[:, None], topics.phi.T[None]).sum(-1)
    assert overlap.max(axis=1).min() > 0.85
    assert len(set(overlap.argmax(axis=1))) == 3


def test_bad_reports_are_refused() -> None:
    offsets = np.array([0, 2])
    with pytest.raises(InputError, match="word ids below 3"):
        bits(np.array([0, 3], np.int32), np.arange(3), offsets, 3, 0.6, 0.4)
    reports = one_word(np.array([0, 1]), offsets, 3, 0.5)
    start, alpha = report_em.start(reports, 2), np.ones(2, np.float32)
    with pytest.raises(InputError, match="of one size"):
        report_em.expect(reports, start, channel_em.maximize(np.ones((4, 2)), 0.1), alpha)
    with pytest.raises(InputError, match="n_threads"):
        report_em.expect(reports, start, channel_em.maximize(np.ones((3, 2)), 0.1), alpha, n_threads=0)
