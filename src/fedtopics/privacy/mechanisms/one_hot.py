r"""Laplace noise on the one-hot vector of each token, where it reaches a threshold (FTM and iFTM).

    x_w = [w is the token] + Z_w,   Z discrete Laplace of scale 1/epsilon on a grid,   for every word w;
    released where x_w >= tau.

On the grid the token's entry is `grid` steps high and a step costs epsilon / grid, so the vector of a token
is 2 epsilon-private against that of another word. The papers draw floating-point Laplace noise, which leaks
(Mironov, CCS 2012); the grid replaces it. There is one vector for each token, so their number shows: a word
that is added or removed, and a document that changes its length, are not hidden at any epsilon.

Di Jiang et al., Federated topic modeling, CIKM 2019; Industrial federated topic modeling, ACM TIST 2021.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds, check_size, check_words, report_price
from fedtopics.privacy.mechanisms.histogram import upper_tail
from fedtopics.privacy.mechanisms.mechanism import Mechanism, cell_by_cell, counts_of
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows, empty_rows
from fedtopics.privacy.price.cost import Claim, Cost, NoiseSource
from fedtopics.privacy.price.events import DiscreteLaplace
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class OneHot:
    """Noisy one-hot vectors of `n_words` at `epsilon`, from `tau` on; integers are steps of 1/`grid`.

    `bounds` are for the caller, who cuts documents: vectors are drawn without knowing where these end.
    """

    epsilon: float
    n_words: int
    tau: float = 0.2
    grid: int = 64
    bounds: Bounds = UNBOUNDED

    def __post_init__(self) -> None:
        exact.dyadic_epsilon(self.epsilon)
        check_size("number of words", self.n_words)
        check_size("grid", self.grid)
        if not 0 < self.tau <= 1:
            raise InputError(f"threshold tau must lie in (0, 1], got {quoted(self.tau)}")

    @property
    def rate(self) -> Fraction:
        """Epsilon of one step of the grid."""
        return exact.dyadic_epsilon(Fraction(self.epsilon) / self.grid)

    @property
    def threshold(self) -> int:
        """tau in steps of the grid."""
        return ceil(self.tau * self.grid)

    def __call__(self, words: NDArray[Any], noise: Noise) -> Release[SparseRows]:
        """Release one row per token."""
        words = check_words(words, self.n_words)
        if self.rate == 0:
            return Release(empty_rows(len(words), self.n_words), self.price(noise.source))
        one_each = np.arange(len(words) + 1, dtype=np.int64)
        rows = noise.laplace_rows(
            words, one_each, self.n_words, epsilon=self.rate, threshold=self.threshold, step=self.grid
        )
        return Release(rows, self.price(noise.source))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What releasing every token once costs. The papers state epsilon per word and stop there."""
        step = DiscreteLaplace(self.epsilon / self.grid, self.grid)
        claim = Claim("word add/remove", self.epsilon, 0.0, "FTM (CIKM 2019)")
        return report_price(step, noise, (claim,), count=2)

    def channel(self, max_value: int) -> NDArray[np.float64]:
        """Pr[value | is the token] in rows 0 (no) and 1 (yes); column 0: nothing, last: from `max_value`."""
        if max_value < self.threshold:
            raise InputError(f"values must reach the threshold {self.threshold}, got up to {max_value}")
        a, centers = exp(-float(self.rate)), np.array([[0], [self.grid]])
        gaps = np.arange(max_value + 1) - centers
        table: NDArray[np.float64] = (1 - a) / (1 + a) * a ** np.abs(gaps)
        table[:, -1] = upper_tail(a, gaps[:, -1])
        table[:, : self.threshold] = 0
        table[:, 0] = upper_tail(a, centers[:, 0] - self.threshold + 1)
        return table

    def likelihood_ratio(self, values: NDArray[Any]) -> NDArray[np.float64]:
        """Pr[value | is the token] / Pr[value | is not] for released `values`."""
        ratio: NDArray[np.float64] = np.exp(float(self.rate) * (values - np.abs(values - self.grid)))
        return ratio

    @property
    def silence_ratio(self) -> float:
        """Pr[nothing | is the token] / Pr[nothing | is not]."""
        nothing = self.channel(self.threshold)[:, 0]
        return float(nothing[1] / nothing[0])


MECHANISM = Mechanism(
    "one-hot",
    OneHot,
    takes="words",
    gives="rows",
    examples=(
        {"epsilon": 1.5, "n_words": 3, "grid": 4},
        {"epsilon": 0.5, "n_words": 2, "tau": 0.7, "grid": 4},
    ),
    quiet=2e-4,
    loud=4096.0,
    law=cell_by_cell(
        lambda made: made.channel(made.threshold + 3 * made.grid),
        lambda made, words: counts_of(words, np.arange(len(words) + 1), made.n_words),
    ),
)
