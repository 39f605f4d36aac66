"""One topic per document: a mixture of unigrams, on exact counts or on histograms whose noise is known.

The model of short texts (K. Nigam et al., Machine Learning 39, 2000; J. Yin, J. Wang, KDD 2014): document d
is of one topic k with chance pi_k and has N_dw tokens of word w, of mean mu = lambda_d phi_kw. With weights
of topics r_dk, expected counts E[n_dw | k] given what was released of the word (`histograms`), and a word
that did not survive the noise worth exp(-silence mu) with hidden counts hidden mu,

    log r_dk = log pi_k + heat * (sum over survivors of log P(Y_dw | k) / P(0 | k) - silence lambda_d) + const
    M_wk     = sum_d r_dk E[n_dw | k]

The noise hides lengths, and a wrong length passes for evidence of a topic. So lambda_d has a prior where the
`typical` length is known, a Gamma of this mean and of shape SURE,

    lambda_d = (SURE + sum_w E[n_dw]) / (SURE / max(typical, 0.1) + 1)

A document takes no part in the evidence about itself: phi of its own E step is without what it gave last
time, as in collapsed Gibbs sampling. `heat` below 1 keeps early rounds from deciding too soon. Results do not
depend on the number of threads, as there is one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling.channel_em import Expectation, Mixtures, SizedTopics, maximize
from fedtopics.sampling.histograms import Histograms

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
CELLS_AT_ONCE = 1 << 21
MOST_SUMMED = 6  # counts above it are taken for what they are: noise of so much is rarer than one in 10^7
FORMED, COOLEST = 20, 0.3  # rounds until all of the evidence counts, and how much does at first
SURE = 10.0  # shape of the prior of lengths
LEAST_LEFT = 0.02  # of a count, where a document is left out of it


def expect(
    histograms: Histograms,
    documents: Mixtures,
    topics: SizedTopics,
    *,
    heat: float = 1.0,
    exclude: bool = True,
    typical: float | None = None,
) -> Expectation:
    """Expected counts of every word and topic, where each document of `histograms` is of one topic.

    documents   weights of topics of each document as they were, and expected lengths
    topics      what they are to be weighed by; a topic is as likely as it is large
    heat        share of the evidence that counts; `exclude`: without each document's own part of it
    typical     expected length of a document, to which unsure lengths are drawn; None: they stand as found
    """
    n_docs, n_topics = documents.theta.shape
    theta, lengths = np.empty((n_docs, n_topics), np.float32), np.empty(n_docs)
    counts = np.zeros(topics.phi.shape)
    likelihood = 0.0
    for first, last in _blocks(histograms.offsets, n_topics):
        block = _Block.of(histograms, documents, topics, first, last, exclude)
        found, score = block.weights(heat)
        theta[first:last], likelihood = found, likelihood + score
        added, lengths[first:last] = block.expected(found)
        counts += added
    hidden = histograms.chances()["hidden"]
    counts += hidden * topics.phi * (documents.lengths @ theta)
    if typical is not None:
        lengths = (SURE + lengths) / (SURE / max(typical, 0.1) + 1)
    return Expectation(Mixtures(theta, lengths), np.maximum(counts, 0).astype(np.float32), likelihood)


def heat_at(number: int) -> float:
    """How much of the evidence counts in round `number`."""
    return min(1.0, COOLEST + (1 - COOLEST) * number / FORMED)


def counted(corpus: Corpus) -> Histograms:
    """The exact counts of the words of each document."""
    cells, counts = np.unique(
        corpus.docs.astype(np.int64) * corpus.n_words + corpus.words, return_counts=True
    )
    rows = np.bincount(cells // corpus.n_words, minlength=corpus.n_docs)
    offsets = np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)
    words = (cells % corpus.n_words).astype(np.int32)
    return Histograms(offsets, words, counts.astype(np.int32), corpus.n_words)


def train(
    corpus: Corpus,
    n_topics: int,
    *,
    beta: float,
    seed: int,
    n_rounds: int,
    earlier: Doubles | None = None,
    on_round: Callable[[int], None] = lambda _: None,
) -> Doubles:
    """Expected counts (n_words, n_topics) of a `corpus` each of whose documents is of one topic.

    beta, seed   prior of words, and of the random start      n_rounds   passes; `on_round` hears of each
    earlier      counts of other documents, to go on from
    """
    histograms = counted(corpus)
    start = np.random.default_rng(seed).gamma(5.0, 1 / 5.0, (corpus.n_words, n_topics))
    start *= np.bincount(corpus.words, minlength=corpus.n_words)[:, None]
    start *= corpus.n_tokens / max(float(start.sum()), 1e-300)
    counts = start if earlier is None else earlier
    even = np.full((corpus.n_docs, n_topics), 1 / n_topics, np.float32)
    documents = Mixtures(even, np.maximum(corpus.lengths.astype(np.float64), 0.1))
    for number in range(n_rounds):
        heat = heat_at(number) if earlier is None else 1.0
        topics = maximize(counts, beta)
        step = expect(histograms, documents, topics, heat=heat, exclude=number > 0)
        documents = Mixtures(step.documents.theta, documents.lengths)
        counts = step.counts.astype(np.float64) + (0 if earlier is None else earlier)
        on_round(1)
    return counts


def chances(corpus: Corpus, topic_word: Doubles, sizes: Doubles) -> Floats:
    """Chance of each topic of each document of a `corpus`, shape (n_docs, n_topics).

    topic_word (n_topics, n_words) and the `sizes` of topics are given.
    """
    topics = SizedTopics(topic_word.T.astype(np.float32), np.asarray(sizes, np.float32))
    even = np.full((corpus.n_docs, len(topic_word)), 1 / len(topic_word), np.float32)
    documents = Mixtures(even, np.maximum(corpus.lengths.astype(np.float64), 0.1))
    return expect(counted(corpus), documents, topics, exclude=False).documents.theta


def _blocks(offsets: NDArray[np.int64], n_topics: int) -> list[tuple[int, int]]:
    """Stretches of documents whose entries times topics are not too many, one document at least."""
    bounds, most = [0], CELLS_AT_ONCE // n_topics
    while bounds[-1] < len(offsets) - 1:
        end = int(np.searchsorted(offsets, offsets[bounds[-1]] + most, side="right")) - 1
        bounds.append(min(max(end, bounds[-1] + 1), len(offsets) - 1))
    return list(pairwise(bounds))


@dataclass(frozen=True, eq=False)
class _Block:
    """Some documents: words, documents, values of their entries, and the means mu (n_entries, n_topics)."""

    histograms: Histograms
    words: NDArray[np.int32]
    rows: NDArray[np.int64]
    values: NDArray[np.int32]
    lengths: NDArray[np.float64]
    mu: Floats
    prior: Floats

    @classmethod
    def of(
        cls,
        histograms: Histograms,
        documents: Mixtures,
        topics: SizedTopics,
        first: int,
        last: int,
        exclude: bool,
    ) -> "_Block":
        """The documents from `first` to `last`, without what each gave to the topics if `exclude`."""
        begin, end = histograms.offsets[first], histograms.offsets[last]
        words, values = histograms.words[begin:end], histograms.values[begin:end]
        rows = np.repeat(np.arange(last - first), np.diff(histograms.offsets[first : last + 1]))
        lengths, before = documents.lengths[first:last], documents.theta[first:last]
        phi = topics.phi[words]
        size = np.broadcast_to(topics.sizes, before.shape)
        if exclude:
            given = before[rows]
            mean = (lengths[rows] * np.einsum("ek,ek->e", given, phi)).astype(np.float32)
            own = _posterior(values, mean[:, None], histograms)[0]
            counted = phi * topics.sizes
            left = np.maximum(counted - given * own, LEAST_LEFT * counted)
            size = np.maximum(topics.sizes - before * lengths[:, None], LEAST_LEFT * topics.sizes)
            phi = left / size[rows]
        mu = (phi * lengths[rows, None]).astype(np.float32)
        return cls(histograms, words, rows, values, lengths, mu, np.log(size).astype(np.float32))

    @cached_property
    def behind(self) -> tuple[Floats, Floats]:
        """Expected counts and log evidence of the entries."""
        return _posterior(self.values, self.mu, self.histograms)

    def weights(self, heat: float) -> tuple[Floats, float]:
        """Chances of the topics of each document, and the log-likelihood of all that was released."""
        if self.histograms.dropping == 0:
            log_evidence = np.log(np.maximum(self.mu, 1e-30)) * self.values[:, None].astype(np.float32)
        else:
            chances = self.histograms.chances()
            log_evidence = self.behind[1] - np.float32(chances["absence"] - chances["silence"]) * self.mu
        scores = heat * self._by_document(log_evidence) + self.prior
        most = scores.max(axis=1, keepdims=True)
        chance = np.exp(scores - most)
        total = chance.sum(axis=1, keepdims=True)
        return (chance / total).astype(np.float32), float((np.log(total) + most).sum())

    def expected(self, theta: Floats) -> tuple[Doubles, Doubles]:
        """Counts of words by topic beyond hidden ones of all words, and the length of each document."""
        from scipy.sparse import csr_array

        hidden = self.histograms.chances()["hidden"]
        own = theta[self.rows] * (self.behind[0] - hidden * self.mu)
        picked = csr_array(
            (np.ones(len(self.words)), self.words, np.arange(len(self.words) + 1)),
            shape=(len(self.words), self.histograms.n_words),
        )
        lengths = self._by_document(own.sum(axis=1)[:, None])[:, 0] + hidden * self.lengths
        return picked.T @ own.astype(np.float64), np.maximum(lengths, 0.1)

    def _by_document(self, cells: NDArray[Any]) -> Doubles:
        starts = np.searchsorted(self.rows, np.arange(len(self.lengths)))
        sums = np.zeros((len(self.lengths), cells.shape[1]))
        filled = np.flatnonzero(np.diff(np.append(starts, len(self.rows))))
        if len(filled):
            sums[filled] = np.add.reduceat(cells, starts[filled], axis=0, dtype=np.float64)
        return sums


def _posterior(values: NDArray[np.int32], mu: Floats, histograms: Histograms) -> tuple[Floats, Floats]:
    """Expected counts and log evidence, relative to none, of released `values` with means `mu` (n, k)."""
    a, q = histograms.dropping, histograms.burstiness
    m = values[:, None].astype(np.float32)
    if a == 0:
        return np.asarray(np.broadcast_to(m, mu.shape)), np.zeros((1, 1), np.float32)
    expected, evidence = _summed(np.ones_like(m), mu, a, q, most=1)
    more = np.flatnonzero(values > 1)  # few are, and a one needs few terms
    if len(more):
        most = min(int(values[more].max()), MOST_SUMMED)
        small = np.minimum(m[more], MOST_SUMMED)
        expected[more], evidence[more] = _summed(small, mu[more], a, q, most=most)
    return np.where(m > MOST_SUMMED, m, expected), evidence


def _summed(m: Floats, mu: Floats, a: float, q: float, *, most: int) -> tuple[Floats, Floats]:
    """The sums over true counts up to `most` + 2, each noise weight over that of the likeliest count, m.

    Of a true count n it is a^|m - n|, that of none a^m.
    """
    term = np.broadcast_to(np.float64(a) ** m, mu.shape).astype(np.float64)
    evidence, mean = term.copy(), np.zeros(mu.shape)
    for n in range(1, most + 3):
        noise = np.where(n <= m, 1 / a, a)
        term = term * (((1 - q) * mu + (n - 1) * q) * (noise / n))
        evidence += term
        mean += n * term
    expected = (mean / evidence).astype(np.float32)
    return expected, (np.log(evidence) - m * np.log(a)).astype(np.float32)
