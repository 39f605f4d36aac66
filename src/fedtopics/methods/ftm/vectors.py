"""What a party of FTM releases once: noisy vectors of its tokens, sentences or documents.

    TokenVectors       one vector per token; how many tokens each sentence and document has is public
    HistogramVectors   one vector per document, or per sentence; how long these are is hidden

How many documents there are, and sentences in each, is public: every one of them is a row, even one without a
word. From then on the party works on `Arrays` alone: the vectors, and how they make up sentences and
documents.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.methods.ftm import local_topics
from fedtopics.methods.ftm.unit_chain import Training
from fedtopics.privacy.mechanisms.bounds import cut, cut_units
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.mechanisms.unit_histogram import UnitHistogram
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import private_mh
from fedtopics.sampling.histograms import Histograms
from fedtopics.sampling.private_mh import Evidence, Floats, Units
from fedtopics.sampling.report_em import Reports

NAMES = ("documents", "units", "rows", "words", "values", "unit_lengths")


@dataclass(frozen=True)
class Vectors(ABC):
    """How vectors are drawn, and how they are read afterwards."""

    mechanism: Histogram | OneHot
    sentences: bool  # a topic for each sentence, not for each token

    def release(self, party: Party, turn: Turn) -> Release[Arrays]:
        """The party's vectors: drawn the first time, free ever after."""
        if party.memory:
            return reuse({name: party.memory[name] for name in NAMES})
        return self.drawn(party.require_documents(), turn)

    @abstractmethod
    def drawn(self, corpus: Corpus, turn: Turn) -> Release[Arrays]:
        """New vectors of the documents."""

    @abstractmethod
    def units(self, vectors: Arrays) -> Units:
        """Vectors of tokens or sentences as evidence on their topics, through the law of their noise."""

    @abstractmethod
    def by_em(
        self, vectors: Arrays, memory: Arrays, others: Floats | None, settings: Training, turn: Turn
    ) -> Arrays:
        """Topics of tokens, by channel-aware EM."""

    def as_units(
        self, vectors: Arrays, values: NDArray[Any], evidence: Evidence, decay: float = 0.0
    ) -> Units:
        """Vectors whose entries say of the topics what `evidence` makes of these values."""
        return Units(
            vectors["documents"],
            vectors["units"],
            vectors["rows"],
            vectors["words"],
            values.astype(np.float32, copy=False),
            self.mechanism.n_words,
            evidence,
            decay,
            vectors["unit_lengths"],
        )


@dataclass(frozen=True)
class TokenVectors(Vectors):
    """Vectors of tokens, with the lengths of documents (or sentences): those are public here."""

    mechanism: OneHot

    def drawn(self, corpus: Corpus, turn: Turn) -> Release[Arrays]:
        corpus = _cut(corpus, self.mechanism.bounds.max_length)
        lengths: Arrays = {"documents": corpus.offsets}
        if self.sentences:
            sentences, documents = _sentences(corpus)
            lengths = {"documents": documents, "units": sentences}
        drawn = self.mechanism(corpus.words, turn.noise())
        return drawn.map(lambda rows: _arrays(rows, lengths["documents"]) | lengths)

    def units(self, vectors: Arrays) -> Units:
        return self.as_units(vectors, self._gains(vectors["values"]), "one_hot")

    def by_em(
        self, vectors: Arrays, memory: Arrays, others: Floats | None, settings: Training, turn: Turn
    ) -> Arrays:
        return local_topics.by_reports(self.reports(vectors), memory, others, settings, turn)

    def reports(self, vectors: Arrays) -> Reports:
        """The vectors as reports of their words."""
        times = np.ones(len(vectors["rows"]) - 1, np.float32)
        gains = self._gains(vectors["values"]).astype(np.float32)
        return Reports(
            vectors["documents"], vectors["rows"], times, vectors["words"], gains, self.mechanism.n_words
        )

    def _gains(self, steps: NDArray[Any]) -> NDArray[np.float64]:
        """Likelihood of each entry if its word is the token, over that of an entry left out, less one."""
        ratios = self.mechanism.likelihood_ratio(steps.astype(np.float64)) / self.mechanism.silence_ratio
        return np.asarray(ratios - 1)


@dataclass(frozen=True)
class HistogramVectors(Vectors):
    """Noisy counts of the words of documents (or sentences)."""

    mechanism: Histogram
    burstiness: float = 0.0  # how much a word that is in a document tends to come again

    def drawn(self, corpus: Corpus, turn: Turn) -> Release[Arrays]:
        if not self.sentences:
            histograms = self.mechanism(corpus.words, corpus.offsets, turn.noise())
            return histograms.map(lambda rows: _arrays(rows, np.arange(rows.n_rows + 1)))
        sentences, documents = _sentences(corpus)
        draw = UnitHistogram(self.mechanism)
        released = draw(corpus.words, corpus.offsets, sentences, turn.noise())
        vectors = released.map(lambda rows: _arrays(rows, documents))
        lengths = private_mh.expected_lengths(self.histograms(vectors.value))
        return vectors.map(lambda arrays: arrays | {"unit_lengths": lengths})

    def units(self, vectors: Arrays) -> Units:
        return self.as_units(vectors, vectors["values"], "counts", self.mechanism.decay)

    def by_em(
        self, vectors: Arrays, memory: Arrays, others: Floats | None, settings: Training, turn: Turn
    ) -> Arrays:
        return local_topics.by_histograms(self.histograms(vectors), memory, others, settings, turn)

    def histograms(self, vectors: Arrays) -> Histograms:
        """The vectors as counts seen through noise."""
        words, values = vectors["words"], vectors["values"].astype(np.int32)
        return Histograms(
            vectors["rows"], words, values, self.mechanism.n_words, self.mechanism.decay, self.burstiness
        )


def _arrays(rows: SparseRows, documents: NDArray[Any]) -> Arrays:
    """Released rows, each a unit of its own."""
    return {
        "documents": documents.astype(np.int64),
        "units": np.arange(rows.n_rows + 1),
        "rows": rows.offsets,
        "words": rows.words,
        "values": rows.values,
        "unit_lengths": np.zeros(0),
    }


def _sentences(corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Offsets of sentences in tokens, and of documents in sentences."""
    if corpus.sentence_offsets is None or corpus.document_sentences is None:
        raise InputError('topics of sentences need sentences, got documents without; use unit="word"')
    return corpus.sentence_offsets, corpus.document_sentences


def _cut(corpus: Corpus, max_length: int | None) -> Corpus:
    """The first max_length tokens of each document; sentences are cut with them, and none is left out."""
    words, offsets = cut(corpus.words, corpus.offsets, max_length)
    sentences = corpus.sentence_offsets
    if sentences is not None and len(words) < corpus.n_tokens:
        _, sentences = cut_units(corpus.words, corpus.offsets, sentences, max_length)
    return replace(corpus, words=words, offsets=offsets, sentence_offsets=sentences)
