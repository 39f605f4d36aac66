"""What each party has spent: an append-only list of releases, chained by hash, that refuses to overspend.

How an engine uses it (the contract with methods):

1. A method declares what it is going to spend from its hyper-parameters and public facts alone:
   `Method.plan() -> list[Cost]`, one cost per release of one party, in round order. Mechanisms help: every
   one has `price(...) -> Cost`, which touches no data.
2. Before any data is read the engine calls `ledger.require(party, method.plan())` for every party: it raises
   `BudgetError` when the plan does not fit into what is left.
3. For every release that is about to leave, the engine calls `ledger.charge(party, round, release.cost)` and
   sends only when that returns. What would overspend is refused and the ledger stays as it was, so a method
   that planned too little is stopped here.

A retry of the same (run, round, party) is charged once. It must send the *same* value again (fresh noise
would be a second release): pass `content`, a digest of what is sent, and a different value is refused.

The chain shows any entry that was changed, removed or reordered; who cuts entries off the end is caught only
by someone who kept `head`, so parties and coordinator each keep it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import inf, isinf
from typing import Any

from fedtopics.errors import InputError
from fedtopics.privacy import accounting
from fedtopics.privacy.cost import FREE, RELATIONS, SOURCES, Cost, NoiseSource, Relation, check_relation
from fedtopics.privacy.events import check_delta, check_number

GENESIS = "0" * 64
ALWAYS_SHOWN: tuple[Relation, ...] = ("word add/remove", "document add/remove")


class BudgetError(InputError):
    """The release would cost more than the party allows; nothing was charged."""


@dataclass(frozen=True)
class Budget:
    """The most that all releases together may cost, for one party or (party None) for each."""

    relation: Relation
    epsilon: float
    delta: float = 0.0
    party: str | None = None

    def __post_init__(self) -> None:
        check_relation(self.relation)
        check_number("budget epsilon", self.epsilon)
        check_delta(self.delta)


@dataclass(frozen=True)
class Entry:
    """One release charged to one party."""

    run: str
    round: int
    party: str
    cost: Cost
    content: str
    previous: str

    @property
    def key(self) -> tuple[str, int, str]:
        return self.run, self.round, self.party

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "cost": self.cost.to_dict()}

    @property
    def digest(self) -> str:
        """SHA-256 of the entry and, through `previous`, of all before it."""
        return sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).hexdigest()


@dataclass
class Ledger:
    """Charges of every party in one run (or, reopened with `from_json`, in several).

    A deployment sets `secure_only`: releases with simulated noise are refused.

    >>> from fedtopics.privacy.release import reuse, disclose
    >>> ledger = Ledger(run="example")
    >>> ledger.charge("a", 0, disclose("raw").cost)
    >>> ledger.statements()[0]
    {'party': 'a', 'relation': 'word add/remove', 'epsilon': 'inf', 'delta': 0.0, 'basis': 'none'}
    """

    run: str = "run"
    budgets: tuple[Budget, ...] = ()
    delta: float = 1e-6
    secure_only: bool = False
    entries: list[Entry] = field(default_factory=list)

    def __post_init__(self) -> None:
        check_delta(self.delta)

    @property
    def head(self) -> str:
        """Digest of the last entry: keep it elsewhere to notice a shortened ledger."""
        return self.entries[-1].digest if self.entries else GENESIS

    @property
    def parties(self) -> tuple[str, ...]:
        return tuple(sorted({entry.party for entry in self.entries}))

    @property
    def noise(self) -> NoiseSource:
        """The least trustworthy source of noise among all releases."""
        return max((entry.cost.noise for entry in self.entries), key=SOURCES.index, default="none")

    def require(self, party: str, plan: Iterable[Cost]) -> None:
        """Raise `BudgetError` unless the party can afford all costs of the plan; charges nothing."""
        self._refuse_overspending(party, sum(plan, start=FREE))

    def charge(self, party: str, round: int, cost: Cost, *, content: str = "") -> None:  # noqa: A002
        """Record a release before it leaves. Refusal raises and leaves the ledger unchanged."""
        if not isinstance(cost, Cost):
            raise InputError(f"expected the Cost of a release, got {type(cost).__name__}")
        if self.secure_only and cost.noise == "simulated":
            raise InputError("this ledger takes secure noise only, got simulated noise; use Noise.secure()")
        entry = Entry(self.run, int(round), str(party), cost, content, self.head)
        known = next((old for old in self.entries if old.key == entry.key), None)
        if known is not None:
            if (known.cost, known.content) != (cost, content):
                raise InputError(
                    f"round {round} of party {party!r} was already charged for another release; "
                    "a retry must send the same value again"
                )
            return
        self._refuse_overspending(entry.party, cost)
        self.entries.append(entry)

    def spent(self, party: str) -> Cost:
        """All charges of a party as one cost."""
        return sum((entry.cost for entry in self.entries if entry.party == party), start=FREE)

    def _refuse_overspending(self, party: str, more: Cost) -> None:
        budgets = [budget for budget in self.budgets if budget.party in (None, party)]
        total = self.spent(party) + more if budgets else FREE
        for budget in budgets:
            epsilon = accounting.epsilon(total.losses_of(budget.relation), budget.delta)
            if not epsilon <= budget.epsilon:
                raise BudgetError(
                    f"party {party!r} allows {budget.relation} epsilon {budget.epsilon:g} at delta "
                    f"{budget.delta:g}, got a total of {epsilon:g}; nothing was released: "
                    "lower epsilon or the number of rounds, or raise the budget"
                )

    def statements(self) -> list[dict[str, float | str]]:
        """What holds for each party and relation, then what the papers would claim; ready for JSON.

        Word and document add/remove are always shown. An infinite epsilon is the string "inf", basis "none".
        """
        return [row for party in self.parties for row in self._statements_of(party)]

    def _statements_of(self, party: str) -> list[dict[str, float | str]]:
        spent = self.spent(party)
        rows: list[dict[str, float | str]] = []
        for relation in RELATIONS:
            if relation in (*ALWAYS_SHOWN, *spent.relations):
                epsilon, delta = accounting.guarantee(spent.losses_of(relation), self.delta)
                rows.append(_row(party, relation, epsilon, delta, "none" if isinf(epsilon) else "proved"))
            claims = [claim for claim in spent.claims if claim.relation == relation]
            if claims:
                largest = max(claims, key=lambda claim: (claim.epsilon, claim.delta))
                rows.append(_row(party, relation, largest.epsilon, largest.delta, "claimed"))
        return rows

    def to_json(self) -> str:
        """The whole ledger: settings, entries with their digests, statements."""
        data = {
            "run": self.run,
            "delta": self.delta,
            "secure_only": self.secure_only,
            "budgets": [vars(budget) for budget in self.budgets],
            "entries": [{**entry.to_dict(), "digest": entry.digest} for entry in self.entries],
            "statements": self.statements(),
            "head": self.head,
        }
        return json.dumps(data, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str, run: str | None = None) -> Ledger:
        """The ledger written by `to_json`, continued under a new run where one is named; checks the chain."""
        try:
            data = json.loads(text)
            budgets = tuple(Budget(**budget) for budget in data["budgets"])
            ledger = cls(run or data["run"], budgets, data["delta"], data["secure_only"])
            for row in data["entries"]:
                _append_verified(ledger, row)
            if data["head"] != ledger.head:
                raise InputError("ledger was changed: its head is not the digest of the last entry")
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise InputError(f"not a privacy ledger: {error}") from error
        return ledger

    def table(self) -> str:
        """The statements as lines of text, with the source of the noise."""
        rows = [("party", "relation", "epsilon", "delta", "basis", "noise")]
        for row in self.statements():
            epsilon = row["epsilon"] if row["epsilon"] == "inf" else f"{row['epsilon']:.4g}"
            noise = self.spent(str(row["party"])).noise
            rows.append(
                (
                    str(row["party"]),
                    str(row["relation"]),
                    str(epsilon),
                    f"{row['delta']:.2g}",
                    str(row["basis"]),
                    noise,
                )
            )
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(_line(row, widths) for row in rows)


def _row(party: str, relation: str, epsilon: float, delta: float, basis: str) -> dict[str, float | str]:
    shown: float | str = "inf" if epsilon == inf else epsilon
    return {"party": party, "relation": relation, "epsilon": shown, "delta": delta, "basis": basis}


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _append_verified(ledger: Ledger, row: dict[str, Any]) -> None:
    digest = row.pop("digest")
    entry = Entry(**{**row, "cost": Cost.from_dict(row["cost"])})
    if entry.previous != ledger.head or entry.digest != digest:
        raise InputError(
            f"ledger was changed at round {entry.round} of party {entry.party!r}: hash chain broken"
        )
    ledger.entries.append(entry)
