"""How much may be spent, and what has been.

A budget is the one statement of a relation, an epsilon and a delta: a plan promises one, a party's policy
allows some, a ledger keeps them, a leaderboard compares at one. An account is kept up as releases come: each
is looked at once, however many there are.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING

from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import FREE, Cost, Relation, check_relation, total_of
from fedtopics.privacy.price.events import check_delta, check_number

if TYPE_CHECKING:
    from fedtopics.privacy.price.ledger import Entry


def in_json(epsilon: float) -> float | str:
    """An epsilon as JSON has it, which knows no infinity.

    >>> in_json(6.0), in_json(float("inf"))
    (6.0, 'inf')
    """
    return "inf" if isinf(epsilon) else epsilon


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


class Account:
    """The costs of a party, equal ones counted once, and for each budget the sums that show it to be kept."""

    def __init__(self) -> None:
        self._times: Counter[Cost] = Counter()
        self._total: Cost | None = None
        self._sums: dict[Budget, accounting.Sums] = {}

    def add(self, cost: Cost) -> None:
        """Take in one more release."""
        if cost == FREE:
            return
        self._times[cost] += 1
        self._total = None
        for budget, sums in self._sums.items():
            for loss in cost.losses_of(budget.relation):
                sums.add(loss)

    @property
    def total(self) -> Cost:
        """All releases as one cost."""
        if self._total is None:
            self._total = total_of(self._times)
        return self._total

    def exceeded(self, budget: Budget, more: Cost) -> float | None:
        """The epsilon of all releases and `more`, where it is above the budget; None where it is within."""
        losses = more.losses_of(budget.relation)
        if budget not in self._sums:
            self._sums[budget] = accounting.Sums(budget.delta, self.total.losses_of(budget.relation))
        if self._sums[budget].surely_within(budget.epsilon, accounting.Sums(budget.delta, losses)):
            return None
        epsilon = budget.epsilon_of(self.total + more)
        return None if epsilon <= budget.epsilon else epsilon


class Accounts:
    """The account of every party, and every release by its key, from a list that is only ever appended to."""

    def __init__(self) -> None:
        self.of_party: dict[str, Account] = {}
        self.of_key: dict[tuple[str, int, str], Entry] = {}
        self._n_seen = 0

    def take(self, entries: "Sequence[Entry]") -> None:
        """Take in what was appended since."""
        for entry in entries[self._n_seen :]:
            self.of_party.setdefault(entry.party, Account()).add(entry.cost)
            self.of_key.setdefault(entry.key, entry)
            self._n_seen += 1
