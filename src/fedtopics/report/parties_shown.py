"""The parties as the page shows them: what each writes about, what sets it apart, from what it sent."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.runs.run import Run

Floats = NDArray[np.float64]

MOST_SHOWN = 8  # parties, those with the most text
N_APART = 4
APART = 1.25  # times the share that a topic has on average, from which it sets a party apart


@dataclass(frozen=True)
class Apart:
    """A topic to which a party gives `ratio` times the share of its text that parties give on average."""

    topic: int
    share: float
    ratio: float


@dataclass(frozen=True)
class ShownParty:
    """A party: `shares` of its text in topics, those that set it `apart`, and what the record says."""

    name: str
    shares: Floats
    apart: tuple[Apart, ...]
    facts: dict[str, Any]


def parties_shown(run: Run) -> list[ShownParty]:
    """The parties with the most text, by name; none where nobody knows who writes about what."""
    amounts = {
        name: np.maximum(np.array(row), 0.0) for name, row in run.record.get("party_topics", {}).items()
    }
    known = {name: row for name, row in amounts.items() if len(row) == run.model.n_topics and row.sum() > 0}
    shares = {name: row / row.sum() for name, row in sorted(known.items())}
    mean = np.mean(list(shares.values()), axis=0) if shares else np.zeros(0)
    largest = sorted(known, key=lambda name: (-known[name].sum(), name))[:MOST_SHOWN]
    facts = {party["name"]: party for party in run.record["parties"]}
    return [
        ShownParty(name, row, _apart(row, mean) if len(shares) > 1 else (), facts.get(name, {}))
        for name, row in shares.items()
        if name in largest
    ]


def leading(parties: list[ShownParty]) -> list[int]:
    """The number of the party that gives each topic the largest share of its text."""
    return np.argmax([party.shares for party in parties], axis=0).tolist() if parties else []


def _apart(shares: Floats, mean: Floats) -> tuple[Apart, ...]:
    """Topics that are large in this party and larger than in others, the most telling first."""
    ratio = shares / np.maximum(mean, 1e-12)
    order = np.argsort(-shares * np.log(np.maximum(ratio, 1e-12)), kind="stable")[:N_APART]
    return tuple(
        Apart(int(topic), float(shares[topic]), float(ratio[topic]))
        for topic in order
        if ratio[topic] >= APART
    )
