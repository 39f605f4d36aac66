"""How much may be spent: the one statement of a relation, an epsilon and a delta.

A plan promises one, a party's policy allows some, a ledger keeps them, a leaderboard compares at one.
"""

from __future__ import annotations

from dataclasses import dataclass

from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost, Relation, check_relation
from fedtopics.privacy.price.events import check_delta, check_number


class BudgetError(InputError):
    """The release would cost more than the party allows; nothing was charged."""


@dataclass(frozen=True)
class Budget:
    """The most that releases together may cost between neighbors of one `relation`: `epsilon` at `delta`."""

    relation: Relation
    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        check_relation(self.relation)
        check_number("epsilon", self.epsilon)
        check_delta(self.delta)

    def epsilon_of(self, cost: Cost) -> float:
        """What the `cost` comes to, for the relation and delta of this budget."""
        return accounting.epsilon(cost.losses_of(self.relation), self.delta)
