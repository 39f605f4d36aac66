"""Topics of tokens or sentences that are known through privatized vectors only (FTM, iFTM).

A unit (a token for LDA, a sentence for SentenceLDA) has one topic z with Pr[z] ~ (n_dz + alpha) L(z), n_dz
the other units of its document in topic z. What its vectors say of a topic, log L(k), is one of

    plug_in   sum_w x_w log phi_kw                 the papers': the noisy vector taken for the count it hides
    one_hot   sum_rows log(1 + sum_w a_w phi_kw)   a_w = likelihood ratio of entry w, less one; a row a token
    counts    sum_w log f(m_w, length phi_kw)      m_w a noisy count, f as in `_core/channel_posterior.hpp`

and the topics phi are fixed during a sweep, so that documents are independent and the number of threads
changes nothing. The kernel (`_core/private_mh.cpp`) is exact; `docs/methods/ftm.md` says what the printed
ones miss.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.sampling import _native, channel_em
from fedtopics.sampling.histograms import Histograms

Evidence: TypeAlias = Literal["plug_in", "one_hot", "counts"]
AT_ONCE = 2**22  # entries
KINDS: tuple[Evidence, ...] = ("plug_in", "one_hot", "counts")
Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.uint16]
Offsets: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Units:
    """What was released about the units of documents; each level owns offsets[i]:offsets[i+1] of the next.

    documents, units, rows   offsets of documents in units, of units in rows, of rows in entries
    words, values            the entries: a word and its number (see `evidence` above)
    decay, lengths           for `counts` alone: exp(-epsilon), and the expected tokens of each unit
    """

    documents: Offsets
    units: Offsets
    rows: Offsets
    words: NDArray[np.int32]
    values: NDArray[np.float32]
    n_words: int
    evidence: Evidence
    decay: float = 0.0
    lengths: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        if self.evidence not in KINDS:
            raise InputError(f"expected evidence {', '.join(KINDS)}, got {quoted(self.evidence)}")
        ends = (
            (self.documents, self.n_units),
            (self.units, len(self.rows) - 1),
            (self.rows, len(self.words)),
        )
        if any(offsets[0] != 0 or offsets[-1] != n or np.any(np.diff(offsets) < 0) for offsets, n in ends):
            raise InputError("expected offsets that rise from 0 to the size of the next level, got others")
        if len(self.words) and not 0 <= self.words.min() <= self.words.max() < self.n_words:
            raise InputError(f"expected word ids below {self.n_words}, got up to {self.words.max()}")
        if self.evidence == "counts" and len(self.lengths) != self.n_units:
            raise InputError(f"expected {self.n_units} lengths, got {len(self.lengths)}")

    @property
    def n_units(self) -> int:
        return len(self.units) - 1

    @cached_property
    def unit_of_row(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.n_units), np.diff(self.units))

    @cached_property
    def row_of_entry(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.rows) - 1), np.diff(self.rows))

    @cached_property
    def hints(self) -> tuple[Offsets, NDArray[np.int32]]:
        """Words whose topics are proposed to each unit: the largest entry of each row, or all of `counts`."""
        if self.evidence == "counts":
            return self.rows[self.units], self.words
        filled = np.flatnonzero(np.diff(self.rows))
        if not len(filled):
            return np.zeros(self.n_units + 1, np.int64), np.zeros(0, np.int32)
        largest = np.repeat(np.maximum.reduceat(self.values, self.rows[filled]), np.diff(self.rows)[filled])
        at = np.flatnonzero(self.values == largest)
        rows, first = np.unique(np.searchsorted(self.rows, at, "right") - 1, return_index=True)
        return np.searchsorted(rows, self.units).astype(np.int64), self.words[at[first]]


def start(units: Units, n_topics: int, seed: int) -> Labels:
    """Every unit in a uniform topic."""
    return np.random.default_rng(seed).integers(n_topics, size=units.n_units).astype(np.uint16)


def assign(units: Units, log_phi: NDArray[Any], *, seed: int, n_threads: int = 1) -> Labels:
    """Every unit in a topic drawn by one of its hint words; log_phi has shape (n_topics, n_words)."""
    topics = np.zeros(units.n_units, np.uint16)
    return sweep(units, topics, log_phi, 1.0, seed=seed, n_proposals=0, n_threads=n_threads)


def sweep(
    units: Units,
    topics: Labels,
    log_phi: NDArray[Any],
    alpha: float,
    *,
    seed: int,
    number: int = 0,
    n_proposals: int = 1,
    n_threads: int = 1,
) -> Labels:
    """Topics after one pass of `n_proposals` document and word proposals to every unit, phi fixed."""
    topics = topics.copy()
    log_phi = np.ascontiguousarray(log_phi, np.float32)
    if log_phi.ndim != 2 or log_phi.shape[1] != units.n_words:
        raise InputError(f"expected topics over {units.n_words} words, got shape {log_phi.shape}")
    if len(topics) != units.n_units or (len(topics) and topics.max() >= len(log_phi)):
        raise InputError(f"expected {units.n_units} topics below {len(log_phi)}, got others")
    hints, hint_words = units.hints
    _native.private_metropolis(
        units.documents,
        units.units,
        units.rows,
        units.words,
        units.values,
        hints,
        hint_words,
        units.lengths if len(units.lengths) else np.zeros(units.n_units),
        units.decay,
        KINDS.index(units.evidence),
        log_phi,
        np.exp(log_phi),
        np.ascontiguousarray(np.exp(log_phi - log_phi.max(axis=0)).T),
        alpha,
        topics,
        n_proposals,
        seed,
        number,
        n_threads,
    )
    return topics


def draw_topics(counts: Floats, beta: float, generator: np.random.Generator) -> Floats:
    """log phi (n_topics, n_words), each row drawn from Dirichlet(counts + beta).

    In log space: a gamma draw of small shape a underflows, but log gamma(a) = log gamma(a + 1) + log(U) / a.
    """
    shape = counts + beta
    log_gamma = (
        np.log(generator.standard_gamma(shape + 1)) - generator.standard_exponential(shape.shape) / shape
    )
    return normalized_log(log_gamma)


def normalized_log(log_weights: Floats) -> Floats:
    """Rows shifted so that their exponentials sum to one."""
    top = log_weights.max(axis=1, keepdims=True)
    result: Floats = log_weights - top - np.log(np.exp(log_weights - top).sum(axis=1, keepdims=True))
    return result


def word_topic_counts(units: Units, topics: Labels, log_phi: Floats) -> Floats:
    """Expected counts (n_topics, n_words) behind the vectors, given the topic of each unit."""
    if units.evidence == "counts":
        return _counts_behind_histograms(units, topics, log_phi)
    n_topics, n_words = log_phi.shape
    topic = topics[units.unit_of_row].astype(np.int64)
    if units.evidence == "plug_in":
        return _noisy_counts(units, topic, n_topics)
    cells = topic[units.row_of_entry] * n_words + units.words
    phi = np.exp(log_phi)
    weighted = units.values.astype(np.float64) * phi.reshape(-1)[cells]
    inverse = 1 / (1 + np.bincount(units.row_of_entry, weighted, len(topic)))
    kept = _table(cells, weighted * inverse[units.row_of_entry], n_topics, n_words)
    background = np.bincount(topic, inverse, n_topics)
    return np.asarray(kept + background[:, None] * phi)


def _noisy_counts(units: Units, topic_of_row: NDArray[np.int64], n_topics: int) -> Floats:
    """The sum of the vectors of each topic, some rows at a time: a token may have a thousand entries."""
    found, n_words = np.zeros((n_topics, units.n_words)), units.n_words
    steps = np.arange(AT_ONCE, len(units.words), AT_ONCE)
    ends = np.unique([0, *np.searchsorted(units.rows, steps), len(topic_of_row)])
    for first, last in pairwise(ends.tolist()):
        some = slice(units.rows[first], units.rows[last])
        topic = np.repeat(topic_of_row[first:last], np.diff(units.rows[first : last + 1]))
        found += _table(topic * n_words + units.words[some], units.values[some], n_topics, n_words)
    return found


def expected_lengths(histograms: Histograms) -> Floats:
    """Expected tokens behind each histogram."""
    return channel_em.one_topic(histograms, length=10.0).documents.lengths


def _table(cells: Offsets, values: NDArray[Any], n_topics: int, n_words: int) -> Floats:
    return np.asarray(np.bincount(cells, values, n_topics * n_words).reshape(n_topics, n_words), np.float64)


def _counts_behind_histograms(units: Units, topics: Labels, log_phi: Floats) -> Floats:
    n_topics = len(log_phi)
    phi = np.ascontiguousarray(np.exp(log_phi.T), np.float32)
    chosen = (topics[:, None] == np.arange(n_topics)).astype(np.float32)
    values = np.rint(units.values).astype(np.int32)
    histograms = Histograms(units.rows[units.units], units.words, values, units.n_words, units.decay)
    ones = np.ones(n_topics, np.float32)
    documents = channel_em.Mixtures(chosen, units.lengths)
    step = channel_em.expect(
        histograms, documents, channel_em.SizedTopics(phi, ones), ones, n_steps=0, exclude=False
    )
    return np.asarray(step.counts.T, np.float64)
