r"""Discrete Gaussian noise on word counts of units (PC-TD), in full or only what reaches a threshold.

    y_w = N_w + Z_w / grid,   Pr[Z = z] ~ exp(-z^2 / (2 (sigma grid)^2)),   for every unit and word.

A word added changes one count by one, a word replaced two counts; n words of one document change the counts
by at most n (replaced: sqrt 2 n) in Euclidean norm, which is n^2 / (2 sigma^2)-zCDP (Canonne, Kamath,
Steinke, NeurIPS 2020). PC-TD draws fresh noise in every round, on zeros too: every round must be
paid. grid > 1 comes close to the paper's continuous noise, grid = 1 is the integer mechanism.

That a word added changes one count needs all others to stay in their units. In n-grams, cut by place, they do
not (`shifting`): a word more pushes all behind it on, changes counts in every later unit and may make a unit
more. Then a word replaced is all that has a bound.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import (
    UNBOUNDED,
    Bounds,
    check_documents,
    check_offsets,
    check_size,
    cut_units,
    report_price,
    words_only,
)
from fedtopics.privacy.mechanisms.mechanism import Mechanism, cell_by_cell, kept_counts
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.cost import Claim, Cost, NoiseSource
from fedtopics.privacy.price.events import DiscreteGaussian, ZeroConcentrated, check_number
from fedtopics.privacy.price.release import Release

LARGEST = 8  # count and value of the law that is listed; larger values are one with it
LARGEST_THRESHOLDED = 1000.0  # in steps of the grid; with more noise half of all entries survive anyway


@dataclass(frozen=True)
class GaussianCounts:
    """Counts of `n_words` with Gaussian noise of deviation `sigma`, from `threshold` on, within `bounds`.

    Released integers are steps of 1/`grid`. `claims` are a paper's; `shifting`: units are cut by place, and a
    word more moves those behind it to other units.
    """

    sigma: float
    n_words: int
    threshold: int = 1
    grid: int = 1
    bounds: Bounds = UNBOUNDED
    claims: tuple[Claim, ...] = ()
    shifting: bool = False

    def __post_init__(self) -> None:
        check_size("number of words", self.n_words)
        check_size("threshold", self.threshold)
        check_size("grid", self.grid)
        check_number("sigma", self.sigma, open_minimum=True)
        exact.dyadic_variance(self.sigma * self.grid)

    @property
    def variance(self) -> Fraction:
        """Variance parameter of the noise in steps of the grid, not below what was asked and is paid for."""
        return exact.dyadic_variance(self.sigma * self.grid)

    def __call__(
        self,
        words: NDArray[Any],
        offsets: NDArray[Any],
        noise: Noise,
        unit_offsets: NDArray[Any] | None = None,
    ) -> Release[SparseRows]:
        """Release the counts of each document, or of its units, that reach the threshold (in steps)."""
        if self.sigma * self.grid > LARGEST_THRESHOLDED:
            raise InputError(f"thresholded noise needs sigma * grid <= 1000, got {self.sigma * self.grid:g}")
        words, offsets = check_documents(words, offsets, self.n_words)
        units = offsets if unit_offsets is None else check_offsets(unit_offsets, len(words))
        words, units = cut_units(words, offsets, units, self.bounds.max_length)
        rows = noise.gaussian_rows(
            words, units, self.n_words, variance=self.variance, threshold=self.threshold, step=self.grid
        )
        return Release(rows, self.price(noise.source))

    def add_to(self, counts: NDArray[Any], noise: Noise) -> Release[NDArray[np.int64]]:
        """Release all `counts`, zeros too, with `noise`: integers in steps of the grid, of the same shape.

        Counts do not say how long documents are: only words are priced.
        """
        counts = np.asarray(counts)
        if not np.issubdtype(counts.dtype, np.integer) or counts.min(initial=0) < 0:
            raise InputError(f"counts must be integers from 0 up, got {counts.dtype} from {counts.min()!r}")
        drawn = noise.gaussian(self.variance, counts.size).reshape(counts.shape)
        return Release(counts.astype(np.int64) * self.grid + drawn, words_only(self.price(noise.source)))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What one release costs."""
        # The deviation that is drawn: the delta of discrete noise can grow with sigma between two steps.
        step = DiscreteGaussian(float(exact.dyadic_sigma(self.sigma * self.grid)), self.grid)
        if self.shifting:
            return report_price(step, noise, self.claims, count=2)
        return self.bounds.price(
            noise,
            add_remove=lambda n: (step if n == 1 else ZeroConcentrated(n**2 / (2 * self.sigma**2)), 1),
            replace=lambda n: (step, 2) if n == 1 else (ZeroConcentrated(2 * n**2 / (2 * self.sigma**2)), 1),
            claims=self.claims,
        )

    def channel(self, max_count: int, max_value: int) -> NDArray[np.float64]:
        """Pr[value | count] for counts up to `max_count`; column 0: nothing, last: `max_value` or more."""
        variance = float(self.variance)
        reach = int(20 * variance**0.5) + 20 + max_value + self.grid * max_count
        steps = np.arange(-reach, reach + 1)
        table = np.zeros((max_count + 1, max_value + 1))
        for count in range(max_count + 1):
            weights = np.exp(-((steps - self.grid * count) ** 2) / (2 * variance))
            value = np.where(steps >= self.threshold, np.minimum(steps, max_value), 0)
            table[count] = np.bincount(value, weights / weights.sum(), minlength=max_value + 1)
        return table

    def likelihood_ratio(self, values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.float64]:
        """Pr[value | count] / Pr[value | 0] for released `values` in steps and true `counts`."""
        shift = self.grid * np.asarray(counts, dtype=np.float64)
        ratio: NDArray[np.float64] = np.exp(shift * (2 * values - shift) / (2 * float(self.variance)))
        return ratio


MECHANISM = Mechanism(
    "gaussian counts",
    GaussianCounts,
    takes="documents",
    gives="rows",
    examples=(
        {"sigma": 1.1, "n_words": 2},
        {"sigma": 2.0, "n_words": 2, "grid": 2, "bounds": Bounds(max_length=2, max_documents=2)},
        {"sigma": 1.5, "n_words": 2, "shifting": True},
    ),
    parameter="sigma",
    quiet=1e4,
    loud=0.12,
    law=cell_by_cell(lambda made: made.channel(LARGEST, LARGEST * made.grid), kept_counts),
)
