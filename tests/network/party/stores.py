"""Stores of a party as several tests need them."""

from __future__ import annotations

from pathlib import Path

from fedtopics.network.party.store import PartyStore
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.ledger import Ledger

WORD = "word add/remove"


def cost(epsilon: float, noise: str = "secure") -> Cost:
    return Cost((Loss(WORD, Pure(epsilon)),), noise=noise)  # type: ignore[arg-type]


def opened(folder: Path, epsilon: float = 10.0) -> PartyStore:
    return PartyStore(folder, "north", [Budget(WORD, epsilon)])


def spent(folder: Path) -> float:
    with opened(folder) as store:
        return sum(
            float(row["epsilon"])
            for row in Ledger(entries=store.entries).statements()
            if row["relation"] == WORD
        )
