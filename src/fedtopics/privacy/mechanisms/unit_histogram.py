"""Noisy word counts of each unit (sentence, n-gram, paragraph), only those that reach a threshold.

As `histogram`, with one noise vector per unit: a token belongs to one unit, so a word costs epsilon, and the
units of a document of n tokens together differ by at most n. How many units a document has is public, so
documents are compared with those of equally many units; how long units are is not public.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds, check_offsets, check_words, cut_units
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
        words = check_words(words, self.histogram.n_words)
        offsets = check_offsets(offsets, len(words))
        units = check_offsets(unit_offsets, len(words))
        kept, units = cut_units(words, offsets, units, self.histogram.bounds.max_length)
        unbounded = Histogram(self.histogram.epsilon, self.histogram.n_words, self.histogram.threshold)
        return Release(unbounded(kept, units, noise).value, self.price(noise.source))


def unit_histogram(epsilon: float, n_words: int, bounds: Bounds = UNBOUNDED) -> UnitHistogram:
    """Units at the usual threshold; `epsilon`, `n_words` and `bounds` are those of `Histogram`."""
    return UnitHistogram(Histogram(epsilon, n_words, bounds=bounds))


def _chances(
    made: UnitHistogram, words: NDArray[Any], offsets: NDArray[Any], unit_offsets: NDArray[Any]
) -> NDArray[np.float64]:
    kept = cut_units(words, offsets, unit_offsets, made.histogram.bounds.max_length)
    return made.histogram.channel(LARGEST, LARGEST)[counts_of(*kept, made.n_words).ravel()]


MECHANISM = Mechanism(
    "unit histogram",
    unit_histogram,
    takes="units",
    gives="rows",
    examples=(
        {"epsilon": 1.0, "n_words": 2},
        {"epsilon": 0.6, "n_words": 2, "bounds": Bounds(max_length=2, max_documents=2)},
    ),
    parameter="epsilon",
    quiet=2e-6,
    loud=4096.0,
    law=cell_by_cell(_chances, lambda made: LARGEST),
)
