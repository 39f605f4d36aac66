"""Bootstrap intervals, paired: every system is scored on the same resampled test items."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

N_RESAMPLES = 500
LEVEL = 0.95

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """The `value` of a score on the test items, and what it was when they were `resampled`."""

    value: float
    resampled: Floats

    @property
    def interval(self) -> tuple[float, float]:
        """Percentile interval at 95 % over the resamples that have a score."""
        low, high = np.nanquantile(self.resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return float(low), float(high)

    def minus(self, other: "Score") -> "Score":
        """The difference to the `other` score on the same items; an interval without 0 tells them apart."""
        if len(self.resampled) != len(other.resampled):
            raise InputError(
                f"expected scores of as many resamples, got {len(self.resampled)} and {len(other.resampled)}"
            )
        return Score(self.value - other.value, self.resampled - other.resampled)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.value:.3f} [{low:.3f}, {high:.3f}]"


def resampled(
    score: Callable[[Floats], Floats], n_items: int, *, n_resamples: int = N_RESAMPLES
) -> list[Score]:
    """One `Score` for each number that `score` gives.

    score   from the weight of each item (how often it was drawn; all 1 for the items as they are) to numbers

    >>> values = np.array([1.0, 2.0, 3.0])
    >>> [mean] = resampled(lambda weights: np.array([values @ weights / weights.sum()]), 3)
    >>> mean.value
    2.0
    """
    if n_items < 1 or n_resamples < 1:
        raise InputError(f"expected at least 1 item and 1 resample, got {n_items} and {n_resamples}")
    rng = np.random.default_rng(0)
    draws = np.stack(
        [
            score(np.bincount(rng.integers(n_items, size=n_items), minlength=n_items).astype(float))
            for _ in range(n_resamples)
        ]
    )
    plain = score(np.ones(n_items))
    return [Score(float(value), column) for value, column in zip(plain, draws.T, strict=True)]
