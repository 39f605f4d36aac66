"""Noisy word counts of each unit (sentence, n-gram, paragraph), only those that reach a threshold.

As `histogram`, with one noise vector per unit: a token belongs to one unit, so a word costs epsilon, and the
units of a document of n tokens together differ by at most n. How many units a document has is public, so
documents are compared with those of equally many units; how long units are is not public.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fedtopics.privacy.mechanisms.bounds import check_offsets, check_words, cut_units
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class UnitHistogram:
    """Thresholded discrete Laplace histograms of the units of each document."""

    histogram: Histogram

    def __call__(
        self, words: NDArray[Any], offsets: NDArray[Any], unit_offsets: NDArray[Any], noise: Noise
    ) -> Release[SparseRows]:
        """Release one row per unit; units do not cross documents, and are cut with them."""
        words = check_words(words, self.histogram.n_words)
        offsets = check_offsets(offsets, len(words))
        units = check_offsets(unit_offsets, len(words))
        kept, units = cut_units(words, offsets, units, self.histogram.bounds.max_length)
        unbounded = Histogram(self.histogram.epsilon, self.histogram.n_words, self.histogram.threshold)
        return Release(unbounded(kept, units, noise).value, self.histogram.price(noise.source))
