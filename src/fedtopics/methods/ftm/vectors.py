"""What a party of FTM releases once: noisy vectors of its tokens, sentences or documents.

    OneHot      one vector per token; how many tokens each sentence and document has is public
    Histogram   one vector per document, or per sentence; how long these are is hidden

How many documents there are, and sentences in each, is public: every one of them is a row, even one without a
word. From then on the party works on `Arrays` alone: the vectors, and how they make up sentences and
documents.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import cut, cut_units
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.mechanisms.unit_histogram import UnitHistogram
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import private_mh
from fedtopics.sampling.histograms import Histograms
from fedtopics.sampling.private_mh import Evidence, Units
from fedtopics.sampling.report_em import Reports

NAMES = ("documents", "units", "rows", "words", "values", "unit_lengths")


@dataclass(frozen=True)
class Vectors:
    """How vectors are drawn, and how they are read afterwards."""

    mechanism: Histogram | OneHot
    sentences: bool  # a topic for each sentence, not for each token
    burstiness: float = 0.0  # how much a word that is in a document tends to come again

    def release(self, party: Party, turn: Turn) -> Release[Arrays]:
        """The party's vectors: drawn the first time, free ever after."""
        if party.memory:
            return reuse({name: party.memory[name] for name in NAMES})
        corpus = party.require_documents()
        if isinstance(self.mechanism, OneHot):
            return self._tokens(_cut(corpus, self.mechanism.bounds.max_length), self.mechanism, turn)
        if not self.sentences:
            histograms = self.mechanism(corpus.words, corpus.offsets, turn.noise())
            return histograms.map(lambda rows: _arrays(rows, np.arange(rows.n_rows + 1)))
        sentences, documents = _sentences(corpus)
        draw = UnitHistogram(self.mechanism)
        released = draw(corpus.words, corpus.offsets, sentences, turn.noise())
        vectors = released.map(lambda rows: _arrays(rows, documents))
        lengths = private_mh.expected_lengths(self.histograms(vectors.value))
        return vectors.map(lambda arrays: arrays | {"unit_lengths": lengths})

    def histograms(self, vectors: Arrays) -> Histograms:
        """Vectors of documents (or sentences) as counts seen through noise."""
        if not isinstance(self.mechanism, Histogram):
            raise TypeError("vectors of tokens are no histograms")
        words, values = vectors["words"], vectors["values"].astype(np.int32)
        return Histograms(
            vectors["rows"], words, values, self.mechanism.n_words, self.mechanism.decay, self.burstiness
        )

    def reports(self, vectors: Arrays) -> Reports:
        """Vectors of tokens as reports of their words."""
        times = np.ones(len(vectors["rows"]) - 1, np.float32)
        gains = self._gains(vectors["values"]).astype(np.float32)
        return Reports(
            vectors["documents"], vectors["rows"], times, vectors["words"], gains, self.mechanism.n_words
        )

    def _gains(self, steps: NDArray[Any]) -> NDArray[np.float64]:
        """Likelihood of each entry if its word is the token, over that of an entry left out, less one."""
        if not isinstance(self.mechanism, OneHot):
            raise TypeError("histograms are no vectors of tokens")
        ratios = self.mechanism.likelihood_ratio(steps.astype(np.float64)) / self.mechanism.silence_ratio
        return np.asarray(ratios - 1)

    def units(self, vectors: Arrays) -> Units:
        """Vectors of tokens or sentences as evidence on their topics, through the law of their noise."""
        if isinstance(self.mechanism, OneHot):
            return self.as_units(vectors, self._gains(vectors["values"]), "one_hot")
        return self.as_units(vectors, vectors["values"], "counts", self.mechanism.decay)

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

    def _tokens(self, corpus: Corpus, mechanism: OneHot, turn: Turn) -> Release[Arrays]:
        """Vectors of tokens, with the lengths of documents (or sentences): those are public here."""
        lengths: Arrays = {"documents": corpus.offsets}
        if self.sentences:
            sentences, documents = _sentences(corpus)
            lengths = {"documents": documents, "units": sentences}
        drawn = mechanism(corpus.words, turn.noise())
        return drawn.map(lambda rows: _arrays(rows, lengths["documents"]) | lengths)


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
