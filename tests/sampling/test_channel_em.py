"""The channel E step against a reference in NumPy that sums every term, and what EM with it must achieve."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln

from fedtopics.errors import InputError
from fedtopics.sampling import channel_em
from fedtopics.sampling.channel_em import Mixtures, SizedTopics
from fedtopics.sampling.histograms import Histograms

FLOOR = 0.02


def log_chances(mu: float, q: float, n_most: int) -> np.ndarray:
    """log P(n) of the negative binomial of mean mu (Poisson at q = 0), n = 0..n_most."""
    n = np.arange(n_most + 1)
    if q == 0:
        return n * np.log(mu) - gammaln(n + 1) - mu
    r = mu * (1 - q) / q
    return gammaln(n + r) - gammaln(n + 1) - gammaln(r) + n * np.log(q) + r * np.log(1 - q)


def posterior(m: int, mu: float, h: Histograms) -> tuple[float, float]:
    """E[n] and log likelihood of a released m, up to a constant; m = 0: of a word that did not survive."""
    if h.dropping == 0:
        return float(m), m * np.log(mu)
    chances = log_chances(mu, h.burstiness, m + int(20 * (mu + 10)))
    n = np.arange(len(chances))
    if h.sigma and m:
        terms = chances + n * (2 * m - n) / (2 * h.sigma**2)
    else:
        terms = chances - np.log(h.dropping) * (np.where(n <= m, n, 2 * m - n))
    weights = np.exp(terms - terms.max())
    return float(weights @ n / weights.sum()), float(np.log(weights.sum()) + terms.max())


def reference(
    h: Histograms, docs: Mixtures, topics: SizedTopics, alpha: np.ndarray, n_steps: int, exclude: bool
):
    """The E step in double precision, one document and one entry at a time."""
    a, phi = h.dropping, topics.phi.astype(np.float64)
    counts, all_theta, lengths, likelihood = np.zeros_like(phi), [], [], 0.0
    for d in range(h.n_docs):
        entries = slice(h.offsets[d], h.offsets[d + 1])
        words, values = h.words[entries], h.values[entries]
        others = np.setdiff1d(np.arange(h.n_words), words)
        theta, length = docs.theta[d].astype(np.float64), docs.lengths[d]
        for step in range(n_steps + 1):
            mine = np.zeros_like(phi)
            log_evidence = 0.0
            for w, m in zip(words, values, strict=True):
                share = theta * phi[w]
                s = share.sum()
                n, evidence = posterior(m, length * s, h)
                log_evidence += evidence - (0 if a else m * np.log(length))
                if exclude:
                    share = share * np.maximum(1 - min(1, n) * phi[w] / (s * (length + alpha.sum())), FLOOR)
                    share = share * np.maximum(1 - n * theta / (s * topics.sizes), FLOOR)
                    n, _ = posterior(m, length * share.sum(), h)
                mine[w] = n * share / share.sum()
            for w in others:
                share = theta * phi[w]
                n, evidence = posterior(0, length * share.sum(), h)
                mine[w] = n * share / share.sum()
                log_evidence += evidence
            if step < n_steps:
                theta = (mine.sum(0) + alpha) / (mine.sum() + alpha.sum())
                length = max(1.0, mine.sum())
        counts += mine
        likelihood += log_evidence
        all_theta.append(theta)
        lengths.append(length)
    return np.array(all_theta), np.array(lengths), counts, likelihood


def random_problem(
    n_docs: int, n_words: int, n_topics: int, decay: float, burstiness: float = 0.0, largest: int = 5
) -> tuple[Histograms, Mixtures, SizedTopics, np.ndarray]:
    rng = np.random.default_rng(0)
    present = rng.random((n_docs, n_words)) < 0.4
    words = np.nonzero(present)[1]
    values = np.where(rng.random(len(words)) < 0.7, 1, rng.integers(1, largest + 1, len(words)))
    histograms = Histograms(
        np.concatenate(([0], np.cumsum(present.sum(1)))),
        words.astype(np.int32),
        values.astype(np.int32),
        n_words,
        decay,
        burstiness,
    )
    phi = rng.gamma(0.3, size=(n_words, n_topics)) + 1e-4
    topics = SizedTopics(
        (phi / phi.sum(0)).astype(np.float32), rng.uniform(20, 60, n_topics).astype(np.float32)
    )
    theta = rng.dirichlet(np.ones(n_topics), n_docs).astype(np.float32)
    alpha = rng.uniform(0.05, 0.3, n_topics).astype(np.float32)
    return histograms, Mixtures(theta, rng.uniform(5, 40, n_docs)), topics, alpha


@pytest.mark.parametrize("n_topics", [1, 3, 20, 50])
@pytest.mark.parametrize("exclude", [False, True])
@pytest.mark.parametrize("decay", [0.0, np.exp(-13), np.exp(-8), np.exp(-4), np.exp(-0.5), 1.0])
@pytest.mark.parametrize("burstiness", [0.0, 0.4])
def test_it_agrees_with_the_reference(n_topics: int, exclude: bool, decay: float, burstiness: float) -> None:
    problem = random_problem(6, 37, n_topics, decay, burstiness)
    step = channel_em.expect(*problem, n_steps=2, exclude=exclude)
    theta, lengths, counts, likelihood = reference(*problem, n_steps=2, exclude=exclude)
    np.testing.assert_allclose(step.documents.theta, theta, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(step.documents.lengths, lengths, rtol=1e-4)
    np.testing.assert_allclose(step.counts, counts, rtol=2e-3, atol=2e-4)
    assert step.log_likelihood == pytest.approx(likelihood, rel=1e-5, abs=1e-3)


@pytest.mark.parametrize("exclude", [False, True])
@pytest.mark.parametrize("sigma", [0.12, 0.25, 0.56, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("burstiness", [0.0, 0.4])
def test_it_agrees_with_the_reference_under_gaussian_noise(
    exclude: bool, sigma: float, burstiness: float
) -> None:
    histograms, *others = random_problem(6, 37, 20, 0.0, burstiness, largest=40)
    problem = replace(histograms, sigma=sigma), *others
    step = channel_em.expect(*problem, n_steps=2, exclude=exclude)
    theta, lengths, counts, likelihood = reference(*problem, n_steps=2, exclude=exclude)
    np.testing.assert_allclose(step.documents.theta, theta, rtol=2e-4, atol=2e-5)
    np.testing.assert_allclose(step.documents.lengths, lengths, rtol=1e-4)
    np.testing.assert_allclose(step.counts, counts, rtol=2e-3, atol=2e-4)
    assert step.log_likelihood == pytest.approx(likelihood, rel=1e-5, abs=1e-3)


@pytest.mark.parametrize("decay", [np.exp(-10), np.exp(-3), np.exp(-0.1)])
@pytest.mark.parametrize("burstiness", [0.0, 0.4])
def test_counts_above_a_hundred_do_not_overflow(decay: float, burstiness: float) -> None:
    histograms, documents, topics, alpha = random_problem(4, 30, 5, decay, burstiness, largest=3000)
    phi = topics.phi.copy()
    phi[histograms.words[0]] = 1e-12
    phi /= phi.sum(0)
    problem = histograms, documents, SizedTopics(phi, topics.sizes), alpha
    step = channel_em.expect(*problem, n_steps=1)
    theta, _, counts, likelihood = reference(*problem, n_steps=1, exclude=True)
    np.testing.assert_allclose(step.documents.theta, theta, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(step.counts, counts, rtol=1e-2, atol=1e-2)
    assert step.log_likelihood == pytest.approx(likelihood, rel=1e-5)


@pytest.mark.parametrize("n_topics", [7, 33, 64, 100])
def test_same_bits_for_every_thread_count(n_topics: int) -> None:
    problem = random_problem(400, 200, n_topics, np.exp(-4), 0.3)
    histograms, outcomes = problem[0], set()
    for n_threads in (1, 2, 5):
        step = channel_em.expect(*problem, n_threads=n_threads)
        moved = step.documents
        outcomes.add(
            (moved.theta.tobytes(), moved.lengths.tobytes(), step.counts.tobytes(), step.log_likelihood)
        )
    assert len(histograms.words) > 3 * 8192, "the data must span several blocks"
    assert len(outcomes) == 1


def test_a_length_is_that_of_the_words_that_could_not_be_reported_too() -> None:
    histograms, documents, topics, alpha = random_problem(20, 40, 6, 0.0)
    seen = np.arange(40) % 3 == 0
    half, covered = histograms.restrict(seen), topics.phi[seen].sum(axis=0)
    moved, _ = channel_em._run(
        half, documents, topics, alpha, covered, None, n_steps=3, exclude=False, n_threads=1
    )
    tokens = np.array([half.values[a:b].sum() for a, b in pairwise(half.offsets)])
    expected = np.maximum(tokens / np.maximum(moved.theta @ covered, 0.05), 1)
    np.testing.assert_allclose(moved.lengths, expected, rtol=1e-5)


def test_the_expected_counts_are_a_proper_share_of_the_documents() -> None:
    histograms, documents, topics, alpha = random_problem(20, 40, 6, np.exp(-3))
    step = channel_em.expect(histograms, documents, topics, alpha, n_steps=30, exclude=False)
    assert step.counts.sum() == pytest.approx(step.documents.lengths.sum(), rel=1e-3)
    np.testing.assert_allclose(step.documents.theta.sum(1), 1, rtol=1e-5)


def test_more_steps_without_exclusion_never_lower_the_likelihood() -> None:
    histograms, documents, topics, _ = random_problem(20, 40, 6, np.exp(-3))
    flat = np.full(6, 1e-7, np.float32)
    previous = -np.inf
    for n_steps in range(12):
        step = channel_em.expect(histograms, documents, topics, flat, n_steps=n_steps, exclude=False)
        assert step.log_likelihood >= previous - 1e-3
        previous = step.log_likelihood


def planted(n_docs: int, epsilon: float | None, seed: int) -> tuple[Histograms, np.ndarray]:
    """Documents of five topics of ten words each, and those topics; counts noisy unless epsilon is None."""
    rng = np.random.default_rng(seed)
    topics = np.kron(np.eye(5), np.full(10, 0.1))
    theta = rng.dirichlet(np.full(5, 0.2), n_docs)
    counts = rng.poisson(60 * theta @ topics)
    if epsilon is not None:
        stop = 1 - np.exp(-epsilon)
        counts = counts + rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape)
    docs, words = np.nonzero(counts >= 1)
    offsets = np.searchsorted(docs, np.arange(n_docs + 1))
    values = counts[docs, words].astype(np.int32)
    decay = 0.0 if epsilon is None else float(np.exp(-epsilon))
    return Histograms(offsets, words.astype(np.int32), values, 50, decay), topics


def fit(histograms: Histograms, n_topics: int, n_rounds: int = 40) -> SizedTopics:
    rng = np.random.default_rng(1)
    counts, length = channel_em.unigram(histograms)
    topics = channel_em.maximize(rng.gamma(5, size=(50, n_topics)) / 5 * counts[:, None] / n_topics, 0.01)
    documents, alpha = channel_em.start(histograms, n_topics, length), np.full(n_topics, 0.1, np.float32)
    for i in range(n_rounds):
        step = channel_em.expect(histograms, documents, topics, alpha, exclude=i > 0)
        documents, topics = step.documents, channel_em.maximize(step.counts, 0.05)
    return topics


@pytest.mark.parametrize("epsilon", [None, 4.0, 1.5])
def test_planted_topics_are_found(epsilon: float | None) -> None:
    histograms, truth = planted(400, epsilon, seed=3)
    found = fit(histograms, 5)
    overlap = np.minimum(truth[:, None, :], found.phi.T[None, :, :]).sum(-1)
    assert overlap.max(1).min() > 0.9
    assert len(set(overlap.argmax(1))) == 5


def test_the_unigram_is_recovered_behind_the_noise() -> None:
    noisy, _ = planted(2000, 2.0, seed=4)
    exact, _ = planted(2000, None, seed=4)
    counts, length = channel_em.unigram(noisy)
    truth = np.bincount(exact.words, exact.values, minlength=50)
    np.testing.assert_allclose(counts, truth, rtol=0.1)
    assert length == pytest.approx(exact.values.sum() / 2000, rel=0.05)


def test_better_topics_score_higher_on_noisy_documents() -> None:
    histograms, truth = planted(300, 3.0, seed=5)
    alpha, sizes = np.full(5, 0.1, np.float32), np.ones(5, np.float32)
    scores = []
    for blur in (0.0, 0.2, 0.6):
        phi = (1 - blur) * truth.T + blur / 50 + 1e-6
        topics = SizedTopics((phi / phi.sum(0)).astype(np.float32), sizes)
        scores.append(channel_em.score(histograms, topics, alpha, seed=0))
    assert scores[0] > scores[1] > scores[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"decay": 1.5}, "decay"),
        ({"decay": float("nan")}, "decay"),
        ({"burstiness": 1.0}, "burstiness"),
        ({"words": np.array([0, 3], np.int32)}, "word ids below 3"),
        ({"values": np.array([1, 0], np.int32)}, "at least 1"),
        ({"offsets": np.array([0, 1])}, "offsets"),
        ({"offsets": np.array([0, 3, 2])}, "decrease"),
    ],
)
def test_bad_histograms_are_refused(change: dict[str, object], message: str) -> None:
    good = {
        "offsets": np.array([0, 2]),
        "words": np.array([0, 2], np.int32),
        "values": np.array([1, 4], np.int32),
        "n_words": 3,
    }
    with pytest.raises(InputError, match=message):
        Histograms(**{**good, **change})


def test_topics_of_another_vocabulary_are_refused() -> None:
    histograms, documents, topics, alpha = random_problem(3, 10, 4, 0.1)
    with pytest.raises(InputError, match="shape"):
        channel_em.expect(histograms, documents, SizedTopics(topics.phi[:5], topics.sizes), alpha)
    with pytest.raises(InputError, match="n_threads"):
        channel_em.expect(histograms, documents, topics, alpha, n_threads=0)


def test_topics_in_any_memory_order_give_the_same_counts() -> None:
    histograms, documents, topics, alpha = random_problem(4, 30, 5, np.exp(-4))
    turned = SizedTopics(np.asfortranarray(topics.phi), topics.sizes)
    expected = channel_em.expect(histograms, documents, topics, alpha).counts
    found = channel_em.expect(histograms, documents, turned, alpha).counts
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mean", [3.9, 4.05, 4.1, 4.2, 4.5])
def test_a_value_of_eight_behind_little_noise_does_not_overflow(mean: float) -> None:
    one = Histograms(np.array([0, 1]), np.zeros(1, np.int32), np.full(1, 8, np.int32), 2, 2.1e-5)
    even = SizedTopics(np.full((2, 1), 0.5, np.float32), np.full(1, 50, np.float32))
    documents = Mixtures(np.ones((1, 1), np.float32), np.array([2 * mean]))
    step = channel_em.expect(one, documents, even, np.full(1, 0.1, np.float32), n_steps=0, exclude=False)
    assert 7 < step.counts[0, 0] < 9
