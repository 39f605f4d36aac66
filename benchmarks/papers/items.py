"""A figure or a table of a paper: what it claims, how it is measured here, and how that is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from benchmarks.case import Steps

HOLDS, IN_PART, NOT = "holds", "holds in part", "does not hold"
SEEDS = (0, 1, 2)

Parts: TypeAlias = Steps  # by name; parts of one name are one measurement, whoever asks for it
Numbers: TypeAlias = Mapping[str, Any]  # what the parts gave, by name


@dataclass(frozen=True)
class Finding:
    """What came out, as the page shows it.

    checks     the parts of the claim, each with whether it came out so, by a rule on the numbers
    measured   the numbers, with seeds and spread
    why        what explains them
    honest     the epsilon that holds in the paper's setting, with its relation
    calm       what CALM reaches at that epsilon
    """

    checks: dict[str, bool]
    measured: str
    why: str
    honest: str
    calm: str

    @property
    def verdict(self) -> str:
        """All parts of the claim, some, or none."""
        parts = self.checks.values()
        return HOLDS if all(parts) else IN_PART if any(parts) else NOT

    @property
    def judged(self) -> str:
        """The verdict and what it rests on."""
        parts = "; ".join(f"{check}: {'yes' if value else 'no'}" for check, value in self.checks.items())
        return f"**{self.verdict}**: {parts}."


@dataclass(frozen=True, eq=False)
class Item:
    """One figure or table."""

    key: str
    paper: str
    title: str
    claim: str
    data: str
    parts: Parts
    judge: Callable[[Numbers], Finding]
    chart: Callable[[Numbers], str] | None = None


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def shown(values: Sequence[float], decimals: int = 0) -> str:
    """The mean, and the spread where there are several."""
    if len(values) == 1:
        return f"{values[0]:.{decimals}f}"
    return f"{mean(values):.{decimals}f} (spread {np.ptp(values):.{decimals}f}, {len(values)} seeds)"


def listed(values: Sequence[float], decimals: int = 0) -> str:
    return ", ".join(f"{value:.{decimals}f}" for value in values)
