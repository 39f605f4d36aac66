r"""Noisy word counts of each document, only those that reach a threshold (the release of CALM).

    y_w = N_w + Z_w,   Pr[Z = z] = (1 - a) / (1 + a) a^|z|,   a = e^-epsilon,   for every word w;
    released where y_w >= threshold, else nothing.

A token changes one count by one, and Pr[Z = z] / Pr[Z = z + 1] <= e^epsilon: epsilon for a word added or
removed, 2 epsilon for one replaced, n epsilon for a document of n tokens (Ghosh, Roughgarden, Sundararajan,
STOC 2009). The threshold is post-processing. The number of documents is public, their lengths are not.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds, check_documents, check_size, cut
from fedtopics.privacy.mechanisms.mechanism import Mechanism, cell_by_cell, kept_counts
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows, empty_rows
from fedtopics.privacy.price.cost import Cost, NoiseSource
from fedtopics.privacy.price.events import DiscreteLaplace, Pure
from fedtopics.privacy.price.release import Release

LARGEST = 8  # count and value of the law that is listed; larger values are one with it


@dataclass(frozen=True)
class Histogram:
    """Discrete Laplace histograms of `n_words` from `threshold` on, within `bounds`; nothing at `epsilon` 0.

    >>> release = Histogram(6.0, n_words=1000)(np.array([3, 3, 7]), np.array([0, 3]), Noise.simulated(0))
    >>> release.value.words.tolist(), release.value.values.tolist()
    ([3, 7, 306, 307, 345, 962], [2, 1, 1, 1, 1, 1])
    """

    epsilon: float
    n_words: int
    threshold: int = 1
    bounds: Bounds = UNBOUNDED

    def __post_init__(self) -> None:
        exact.dyadic_epsilon(self.epsilon)
        check_size("number of words", self.n_words)
        check_size("threshold", self.threshold)

    @property
    def rate(self) -> Fraction:
        """The epsilon that is used: a fraction just below the one that was asked and is paid for."""
        return exact.dyadic_epsilon(self.epsilon)

    @property
    def decay(self) -> float:
        """a = e^-epsilon."""
        return exp(-float(self.rate))

    def __call__(self, words: NDArray[Any], offsets: NDArray[Any], noise: Noise) -> Release[SparseRows]:
        """Release the histogram of each document, whose tokens are words[offsets[d]:offsets[d+1]]."""
        words, offsets = cut(*check_documents(words, offsets, self.n_words), self.bounds.max_length)
        if self.rate == 0:
            return Release(empty_rows(len(offsets) - 1, self.n_words), self.price(noise.source))
        rows = noise.laplace_rows(words, offsets, self.n_words, epsilon=self.rate, threshold=self.threshold)
        return Release(rows, self.price(noise.source))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What one release costs, at every level that the public bounds allow."""
        one = DiscreteLaplace(self.epsilon)
        return self.bounds.price(
            noise,
            add_remove=lambda n: (one if n == 1 else Pure(n * self.epsilon), 1),
            replace=lambda n: (one, 2) if n == 1 else (Pure(2 * n * self.epsilon), 1),
        )

    def channel(self, max_count: int, max_value: int) -> NDArray[np.float64]:
        """Pr[value | count] for counts up to `max_count`; column 0: nothing, last: `max_value` or more."""
        if max_value < self.threshold:
            raise InputError(f"values must reach the threshold {self.threshold}, got up to {max_value}")
        a, gaps = self.decay, np.arange(max_value + 1) - np.arange(max_count + 1)[:, None]
        table: NDArray[np.float64] = (1 - a) / (1 + a) * a ** np.abs(gaps)
        table[:, -1] = upper_tail(a, gaps[:, -1])
        table[:, : self.threshold] = 0
        table[:, 0] = upper_tail(a, 1 - self.threshold - gaps[:, 0])  # Pr[-Z > count - threshold]
        return table

    def likelihood_ratio(self, values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
        """Pr[value | count] / Pr[value | 0] for released `values` and true `counts`."""
        ratio: NDArray[np.float64] = np.exp(float(self.rate) * (values - np.abs(values - counts)))
        return ratio

    def debias(self, rows: SparseRows) -> NDArray[np.float64]:
        """Unbiased total count of every word in all documents from their `rows`.

        A released value counts as itself and an entry that was not released as -a / (1 - a): then the
        expectation of an entry is its true count N for every N >= 0, because f(m) = max(m, 0) - a/(1-a) [m <=
        0] solves sum_m Pr[m | N] f(m) = N. For threshold 1 only.
        """
        if self.threshold != 1:
            raise InputError(f"totals can be debiased at threshold 1 only, got threshold {self.threshold}")
        if self.rate == 0:
            raise InputError("nothing was released at epsilon 0, so there is nothing to debias")
        totals = np.bincount(rows.words, rows.values, minlength=self.n_words).astype(np.float64)
        n_released = np.bincount(rows.words, minlength=self.n_words)
        totals -= (rows.n_rows - n_released) * self.decay / (1 - self.decay)
        return totals


def upper_tail(a: float, threshold: NDArray[Any]) -> NDArray[np.float64]:
    """Pr[Z >= `threshold`] of discrete Laplace noise, by its `a`."""
    above = a ** np.maximum(threshold, 1) / (1 + a)
    below = a ** np.maximum(1 - threshold, 0) / (1 + a)
    return np.asarray(np.where(threshold >= 1, above, 1 - below), dtype=np.float64)


MECHANISM = Mechanism(
    "histogram",
    Histogram,
    takes="documents",
    gives="rows",
    examples=(
        {"epsilon": 1.0, "n_words": 2},
        {"epsilon": 0.6, "n_words": 2, "threshold": 2, "bounds": Bounds(max_length=2, max_documents=2)},
    ),
    loud=4096.0,
    law=cell_by_cell(lambda made: made.channel(LARGEST, LARGEST), kept_counts),
)
