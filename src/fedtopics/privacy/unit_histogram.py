"""Noisy word counts of each unit (sentence, n-gram, paragraph), only those that reach a threshold.

As `histogram`, with one noise vector per unit: a token belongs to one unit, so a word costs epsilon, and the
units of a document of n tokens together differ by at most n. How many units a document has is public; how
long they are is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.privacy.contribution import check_offsets, check_words, cut
from fedtopics.privacy.histogram import Histogram
from fedtopics.privacy.noise import Noise
from fedtopics.privacy.release import Release
from fedtopics.privacy.rows import SparseRows


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
        if not np.isin(offsets, units).all():
            raise InputError("units must not cross documents; every document must start a unit")
        kept, _ = cut(words, offsets, self.histogram.bounds.max_length)
        if len(kept) < len(words):
            place = np.arange(len(words)) - np.repeat(offsets[:-1], np.diff(offsets))
            stays = place < (self.histogram.bounds.max_length or 0)
            units = np.concatenate([[0], np.cumsum(stays)])[units].astype(np.int64)
        unbounded = Histogram(self.histogram.epsilon, self.histogram.n_words, self.histogram.threshold)
        return Release(unbounded(kept, units, noise).value, self.histogram.price(noise.source))
