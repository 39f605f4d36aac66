"""What users report once: some `Words` of a document, or `Bits`, one for every word.

made     [party]   what leaves its users: words and lengths, or a table of words
read     [server]  what reports of so many documents say that named each word so often
hearing  [anyone]  what a listener (`audit/listener.py`) hears
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.hearing import TYPICAL_WORDS, Hearing
from fedtopics.protocol.turn import Arrays

ALL_NOISE = 1e6  # background where the reports say nothing


@dataclass(frozen=True)
class Law:
    """What the reports say of the words: their frequencies, and the weight of noise against a true word."""

    unigram: NDArray[np.float64]
    background: float


@dataclass(frozen=True)
class Words:
    """Some words of a document, each true or any word at all."""

    mechanism: SampledResponse
    n_words: int

    def made(self, corpus: Corpus, noise: Noise) -> Release[Arrays]:
        words = self.mechanism(corpus.words, corpus.offsets, noise)
        return words.map(lambda found: {"words": small(found, self.n_words)})

    def read(self, counts: NDArray[Any], n_docs: int) -> Law:
        """Some reports fill slots that had no word: p(v) ~ phi_v + 1 / (e^epsilon - 1)."""
        response, n_slots = self.mechanism.response, n_docs * self.mechanism.n_reports
        if not (n_slots and response.gamma):
            return Law(np.full(len(counts), 1 / len(counts)), ALL_NOISE)
        true = response.debias(np.append(counts, n_slots - counts.sum()))
        filled = float(np.clip(1 - true[-1] / n_slots, 1 / n_slots, 1.0))
        false = (1 - response.gamma) / response.n_words
        return Law(_frequencies(true[:-1]), false / (response.gamma * filled))

    def hearing(self) -> Hearing:
        response, n_reports = self.mechanism.response, self.mechanism.n_reports
        false = n_reports * (1 - response.gamma) / response.n_words

        def right(lengths: NDArray[Any], distinct: NDArray[Any]) -> NDArray[np.float64]:
            return np.asarray(np.minimum(lengths, n_reports) * response.gamma + false * distinct)

        hits = response.gamma * min(1.0, n_reports / TYPICAL_WORDS)
        return Hearing(hits, np.full(self.n_words, false), senders, right=right)


@dataclass(frozen=True)
class Bits:
    """A bit for every word."""

    mechanism: UnaryEncoding
    n_words: int

    def made(self, corpus: Corpus, noise: Noise) -> Release[Arrays]:
        return self.mechanism(corpus.words, corpus.offsets, noise, shuffle=True).map(packed)

    def read(self, counts: NDArray[Any], n_docs: int) -> Law:
        """Documents have s different words: p(v) ~ phi_v + q / ((p - q) s)."""
        made = self.mechanism
        if not (n_docs and made.added_chance):
            return Law(np.full(len(counts), 1 / len(counts)), ALL_NOISE)
        true = made.debias(counts, n_docs)
        n_distinct = max(float(true.sum()) / n_docs, 1e-3)
        return Law(_frequencies(true), made.q / ((made.p - made.q) * n_distinct))

    def hearing(self) -> Hearing:
        p, q, most = self.mechanism.p, self.mechanism.q, self.mechanism.bounds.max_length

        def right(lengths: NDArray[Any], distinct: NDArray[Any]) -> NDArray[np.float64]:
            told = distinct if most is None else np.minimum(distinct, most)
            return np.asarray(told * p + (distinct - told) * q)

        share = 1.0 if most is None else min(1.0, most / TYPICAL_WORDS)
        return Hearing(share * (p - q), np.full(self.n_words, q), senders, right=right)


Reported: TypeAlias = Words | Bits


def in_the_clear(n_words: int) -> Hearing:
    """Of the documents themselves."""
    return Hearing(1.0, np.zeros(n_words), senders)


def senders(sent: Arrays) -> NDArray[np.int64]:
    """The user of each reported word."""
    lengths = row_lengths(sent)
    return np.repeat(np.arange(len(lengths)), lengths)


def row_lengths(arrays: Arrays) -> NDArray[np.int64]:
    """Reports of each user: rows of one table, or of the lengths that were sent with them."""
    words = arrays["words"]
    if words.ndim == 2:
        return np.full(len(words), words.shape[1])
    return arrays["lengths"].astype(np.int64)


def small(numbers: NDArray[Any], largest: int) -> NDArray[Any]:
    """The numbers in the smallest kind that holds `largest`, which must be public."""
    return numbers.astype(np.min_scalar_type(largest))


def packed(rows: SparseRows) -> Arrays:
    """Bits as they travel: the words set, and how many in each row."""
    return {"words": small(rows.words, rows.n_words), "lengths": small(np.diff(rows.offsets), rows.n_words)}


def _frequencies(estimate: NDArray[np.float64]) -> NDArray[np.float64]:
    """From estimated counts, one added to each."""
    positive = np.maximum(estimate, 0.0) + 1.0
    return np.asarray(positive / positive.sum())
