"""A figure or a table of a paper: what it claims, how it is measured here, and how that is judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reproduction.results import Kept

HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"


@dataclass(frozen=True)
class Finding:
    """What came out, as the page shows it.

    verdict    one of `HOLDS`, `IN_PART`, `NOT`, by a rule on the numbers
    measured   the numbers, with seeds and spread
    why        the reason for the verdict
    honest     the epsilon that holds in the paper's setting, with its relation
    calm       what CALM reaches at that epsilon
    """

    verdict: str
    measured: str
    why: str
    honest: str
    calm: str


@dataclass(frozen=True)
class Item:
    """One figure or table."""

    key: str
    paper: str
    title: str
    claim: str
    data: str
    measure: Callable[[Kept], dict[str, Any]]
    judge: Callable[[dict[str, Any]], Finding]
    chart: Callable[[dict[str, Any]], str] | None = None


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def shown(values: Sequence[float], decimals: int = 0) -> str:
    """The mean, and the spread where there are several."""
    if len(values) == 1:
        return f"{values[0]:.{decimals}f}"
    return f"{mean(values):.{decimals}f} (spread {np.ptp(values):.{decimals}f}, {len(values)} seeds)"


def verdict(*parts: bool) -> str:
    """All parts of a claim, some, or none."""
    return HOLDS if all(parts) else IN_PART if any(parts) else NOT
