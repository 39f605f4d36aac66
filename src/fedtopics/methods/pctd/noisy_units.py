"""What a party of PC-TD releases once: noisy counts of its units or documents, those that reach 1.

There is one sparse vector per document or unit, read with the law of its noise ever after. At epsilon 0 the
noise would be infinite: a mechanism that releases nothing takes its place.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.methods.pctd import semantic_units
from fedtopics.methods.pctd.semantic_units import SemanticUnits
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import private_mh
from fedtopics.sampling.histograms import Histograms

ROWS = ("offsets", "words", "values", "documents", "lengths")


@dataclass(frozen=True)
class NoisyUnits:
    """How units are cut and noise is drawn, and how the vectors are read afterwards."""

    mechanism: GaussianCounts | Histogram
    unit: str
    words_of_unit: int
    documents: bool  # a vector covers a document, not a unit
    burstiness: float = 0.0

    def release(self, party: Party, turn: Turn) -> Release[Arrays]:
        """The party's sparse vectors: drawn the first time, free ever after."""
        if party.memory:
            return reuse({name: party.memory[name] for name in ROWS})
        corpus = party.corpus
        units = semantic_units.cut(corpus, self.unit, self.words_of_unit)
        if self.documents:
            units = SemanticUnits(corpus.offsets, np.arange(corpus.n_docs + 1))
        drawn = self._draw(corpus, units.offsets, turn.noise())
        return drawn.map(lambda rows: self._arrays(rows, units.documents))

    def view(self, rows: Arrays) -> Histograms:
        """Vectors as the E step reads them, with the law of their noise."""
        silent = isinstance(self.mechanism, Histogram)
        return Histograms(
            rows["offsets"],
            rows["words"],
            rows["values"],
            self.mechanism.n_words,
            decay=1.0 if silent else 0.0,
            burstiness=self.burstiness if self.documents else 0.0,
            sigma=0.0 if isinstance(self.mechanism, Histogram) else float(self.mechanism.variance) ** 0.5,
        )

    def _draw(self, corpus: Corpus, units: NDArray[np.int64], noise: Noise) -> Release[SparseRows]:
        if isinstance(self.mechanism, GaussianCounts):
            return self.mechanism(corpus.words, corpus.offsets, noise, units)
        nothing = np.zeros(0, np.int32)
        return self.mechanism(nothing, np.zeros(len(units), np.int64), noise)

    def _arrays(self, rows: SparseRows, documents: NDArray[np.int64]) -> Arrays:
        """Released vectors and, for units of unknown length, how long they seem to be."""
        arrays: Arrays = {"offsets": rows.offsets, "words": rows.words, "values": rows.values}
        arrays["documents"] = documents
        lengths = np.full(rows.n_rows, float(self.words_of_unit))
        if not self.documents and self.unit != "ngram":
            lengths = private_mh.expected_lengths(self.view(arrays))
        return arrays | {"lengths": lengths}
