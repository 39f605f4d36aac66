"""Noisy word counts of each unit (sentence, n-gram, paragraph), only those that reach a threshold.

As `histogram`, with one noise vector per unit: a token belongs to one unit, so a word costs epsilon, and the
units of a document of n tokens together differ by at most n. How many units a document has is public, so
documents are compared with those of equally many units; how long units are is not public.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds, check_documents, check_offsets, cut_units
from fedtopics.privacy.mechanisms.histogram import LARGEST, Histogram
from fedtopics.privacy.mechanisms.mechanism import Mechanism, cell_by_cell, counts_of
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.cost import Cost, NoiseSource
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class UnitHistogram:
    """Thresholded discrete Laplace histograms of the units of each document, by one `histogram` each."""

    histogram: Histogram

    @property
    def n_words(self) -> int:
        return self.histogram.n_words

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What one release costs: as much as the histograms of whole documents."""
        return self.histogram.price(noise)

    def __call__(
        self, words: NDArray[Any], offsets: NDArray[Any], unit_offsets: NDArray[Any], noise: Noise
    ) -> Release[SparseRows]:
        """Release one row per unit; units do not cross documents, and are cut with them."""
        words, offsets = check_documents(words, offsets, self.n_words)
        units = check_offsets(unit_offsets, len(words))
        kept, units = cut_units(words, offsets, units, self.histogram.bounds.max_length)
        unbounded = Histogram(self.histogram.epsilon, self.histogram.n_words, self.histogram.threshold)
        return Release(unbounded(kept, units, noise).value, self.price(noise.source))


def unit_histogram(epsilon: float, n_words: int, bounds: Bounds = UNBOUNDED) -> UnitHistogram:
    """Units at the usual threshold; `epsilon`, `n_words` and `bounds` are those of `Histogram`."""
    return UnitHistogram(Histogram(epsilon, n_words, bounds=bounds))


def _counts(made: UnitHistogram, words: Any, offsets: Any, units: Any) -> NDArray[np.int64]:
    return counts_of(*cut_units(words, offsets, units, made.histogram.bounds.max_length), made.n_words)


MECHANISM = Mechanism(
    "unit histogram",
    unit_histogram,
    takes="units",
    gives="rows",
    examples=(
        {"epsilon": 1.0, "n_words": 2},
        {"epsilon": 0.6, "n_words": 2, "bounds": Bounds(max_length=2, max_documents=2)},
    ),
    loud=4096.0,
    law=cell_by_cell(lambda made: made.histogram.channel(LARGEST, LARGEST), _counts),
)
