"""What a party of PC-TD releases: noisy counts of its units or documents, once or anew in every round.

    once    the counts that reach 1, one sparse vector per document or unit (`release`), read with the law of
            their noise ever after
    anew    every count of every unit, zeros too, block by block, each used for one E step and forgotten
            (`fresh_counts`)

At epsilon 0 the noise would be infinite: a mechanism that releases nothing takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import inf

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.methods.pctd import semantic_units
from fedtopics.methods.pctd.semantic_units import SemanticUnits
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.calibration import calibrate
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.release import Release, reuse, side_by_side
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import private_mh, unit_em
from fedtopics.sampling.histograms import Histograms

CELLS_AT_ONCE = 1 << 22
ROWS = ("offsets", "words", "values", "documents", "lengths")


@dataclass(frozen=True)
class NoisyUnits:
    """How units are cut and noise is drawn, and how the vectors are read afterwards."""

    mechanism: GaussianCounts | Histogram
    unit: str
    words_of_unit: int
    documents: bool  # a vector covers a document, not a unit
    burstiness: float = 0.0

    @property
    def shows(self) -> tuple[str, ...]:
        """What becomes public of a document: how many vectors it has, where it has more than one."""
        if self.documents:
            return ()
        lengths = " and so of words" if self.unit == "ngram" else ""
        return (f"the number of {self.unit}s{lengths} of each document",)

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

    def fresh_counts(
        self, corpus: Corpus, theta: NDArray[np.float32], phi: NDArray[np.float32], noise: Noise
    ) -> Release[Arrays]:
        """The paper's E step, on counts with noise of their own: M (Eq. 10) and the mixtures of documents."""
        units = semantic_units.cut(corpus, self.unit, self.words_of_unit)
        document = np.repeat(np.arange(corpus.n_docs), np.diff(units.documents))
        log_phi = np.log(phi)

        def e_step(first: int, last: int) -> Release[Arrays]:
            counts = _dense(corpus.words, units.offsets[first : last + 1], corpus.n_words)
            released = self._noisy(counts, noise)
            chances = unit_em.responsibilities(
                unit_em.plug_in(released.value, log_phi), theta[document[first:last]]
            )
            upload = unit_em.plug_in_counts(released.value, chances)
            return released.map(lambda _: {"counts": upload, "chances": chances})

        n_rows = max(1, CELLS_AT_ONCE // corpus.n_words)
        bounds = [*range(0, max(len(document), 1), n_rows), len(document)]
        parts = (e_step(first, last) for first, last in pairwise(bounds))
        return side_by_side(parts, _added).map(
            lambda found: {
                "counts": found["counts"].astype(np.float32),
                "theta": unit_em.mixtures(found["chances"], units.documents, 0.0),
            }
        )

    def _noisy(self, counts: NDArray[np.int64], noise: Noise) -> Release[NDArray[np.float64]]:
        if isinstance(self.mechanism, Histogram):
            silent = self.mechanism(np.zeros(0, np.int32), np.zeros(1, np.int64), noise)
            return silent.map(lambda _: np.zeros(counts.shape))
        grid = self.mechanism.grid
        return self.mechanism.add_to(counts, noise).map(lambda drawn: drawn / grid)


def _dense(words: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int) -> NDArray[np.int64]:
    """Counts (n_units, n_words) of the units between these offsets."""
    unit = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    cells = unit * n_words + words[offsets[0] : offsets[-1]]
    return np.bincount(cells, minlength=(len(offsets) - 1) * n_words).reshape(-1, n_words)


def _added(one: Arrays, other: Arrays) -> Arrays:
    counts, chances = one["counts"] + other["counts"], np.concatenate([one["chances"], other["chances"]])
    return {"counts": counts, "chances": chances}


@lru_cache
def least_sigma(epsilon: float, delta: float, rounds: int, grid: int, max_length: int | None) -> float:
    """The least deviation that keeps epsilon for a word added or removed; infinite at epsilon 0."""
    if not epsilon:
        return inf
    bounds = Bounds(max_length)
    return calibrate(
        "gaussian counts", "word add/remove", epsilon, delta, rounds, n_words=1, grid=grid, bounds=bounds
    )
