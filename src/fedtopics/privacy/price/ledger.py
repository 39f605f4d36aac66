"""What each party has spent: an append-only list of releases, chained by hash, that refuses to overspend.

How an engine uses it (the contract with methods):

1. A method declares what it is going to spend from its hyper-parameters and public facts alone:
   `Method.prices() -> list[Cost]`, one cost per release of one party, in round order. Mechanisms help: every
   one has `price(...) -> Cost`, which touches no data.
2. Before any data is read the engine calls `ledger.require(party, method.prices())` for every party: it
   raises `BudgetError` when these do not fit into what is left.
3. For every release that is about to leave, the engine calls `ledger.charge(party, round, release.cost)` and
   sends only when that returns. What would overspend is refused and the ledger stays as it was, so a method
   that announced too little is stopped here.

A retry of the same (run, round, party) is charged once. It must send the *same* value again (fresh noise
would be a second release): pass `content`, a digest of what is sent. A different value is refused, and so is
one without a digest, unless it is free.

The chain begins with the settings and shows any of them, and any entry, that was changed, removed or
reordered; who cuts entries off the end is caught only by someone who kept `head`, so parties and coordinator
each keep it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import isinf
from threading import RLock
from typing import Any

import numpy as np

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Account, Accounts, Budget, BudgetError, in_json
from fedtopics.privacy.price.cost import FREE, RELATIONS, SOURCES, Cost, NoiseSource, Relation, total
from fedtopics.privacy.price.events import check_delta

ALWAYS_SHOWN: tuple[Relation, ...] = ("word add/remove", "document add/remove")


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
        return {
            "run": self.run,
            "round": self.round,
            "party": self.party,
            "cost": self.cost.to_dict(),
            "content": self.content,
            "previous": self.previous,
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the entry and, through `previous`, of all before it."""
        return _digest(self.to_dict())


@dataclass
class Ledger:
    """Charges of every party in one `run` (or, reopened, in several from `first_run` on); safe under threads.

    budgets      of every party; `budgets_of` names those of single parties
    delta        at which `statements` are made
    secure_only  set by a deployment: releases with simulated noise are refused
    entries      is only ever appended to: what was taken into the accounts is not looked at again

    A release is of a `party` in a `round`, at a `cost`; its `content` is a digest of what is sent.

    >>> from fedtopics.privacy.price.release import reuse, disclose
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
    first_run: str = ""
    budgets_of: Mapping[str, tuple[Budget, ...]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock, init=False, repr=False, compare=False)
    _accounts: Accounts = field(default_factory=Accounts, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_delta(self.delta)
        self.first_run = self.first_run or self.run

    def __getstate__(self) -> dict[str, Any]:
        """What copies are made of: accounts follow from the entries, and each has a lock of its own."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    @property
    def settings(self) -> dict[str, Any]:
        """What the chain begins with, as JSON data."""
        own = {name: [vars(budget) for budget in budgets] for name, budgets in self.budgets_of.items()}
        return {
            "run": self.first_run,
            "delta": self.delta,
            "secure_only": self.secure_only,
            "budgets": [vars(budget) for budget in self.budgets],
            **({"budgets_of": own} if own else {}),
        }

    @property
    def head(self) -> str:
        """Digest of the last entry (at first, of the settings): keep it to notice a shortened ledger."""
        return self.entries[-1].digest if self.entries else _digest(self.settings)

    @property
    def parties(self) -> tuple[str, ...]:
        return tuple(sorted(self._known().of_party))

    @property
    def noise(self) -> NoiseSource:
        """The least trustworthy source of noise among all releases."""
        known = (account.total.noise for account in self._known().of_party.values())
        return max(known, key=SOURCES.index, default="none")

    def check_parties(self, parties: Iterable[str]) -> None:
        """Refuse budgets of others than these `parties`: a misspelled name would protect nobody."""
        strangers = set(self.budgets_of) - set(parties)
        if strangers:
            raise InputError(f"budgets must name parties of the run, got {', '.join(sorted(strangers))}")

    def require(self, party: str, prices: Iterable[Cost]) -> None:
        """Raise `BudgetError` unless the party can afford all of the `prices`; charges nothing."""
        self._refuse_overspending(party, total(prices))

    def charge(self, party: str, round: int, cost: Cost, *, content: str = "") -> None:  # noqa: A002
        """Record a release before it leaves. Refusal raises and leaves the ledger unchanged."""
        with self._lock:
            entry = self.priced(party, round, cost, content)
            if entry is not None:
                self.entries.append(entry)

    def priced(self, party: str, round: int, cost: Cost, content: str) -> Entry | None:  # noqa: A002
        """The entry that `charge` would append, None for a retry; what it would refuse raises."""
        if not isinstance(cost, Cost):
            raise InputError(f"expected the Cost of a release, got {type(cost).__name__}")
        if self.secure_only and cost.noise == "simulated":
            raise InputError("this ledger takes secure noise only, got simulated noise; use Noise.secure()")
        if isinstance(round, bool) or not isinstance(round, int | np.integer):
            raise InputError(f"round must be a whole number, got {quoted(round)}")
        entry = Entry(self.run, int(round), str(party), cost, content, self.head)
        if self._is_retry(entry):
            return None
        self._refuse_overspending(entry.party, cost)
        return entry

    def charged(self, run: str, number: int, party: str) -> Entry | None:
        """The entry of a party in round `number` of a run, None where there is none."""
        return self._known().of_key.get((run, number, party))

    def _known(self) -> Accounts:
        with self._lock:
            self._accounts.take(self.entries)
            return self._accounts

    def _is_retry(self, entry: Entry) -> bool:
        """Whether the same value was charged before; another value in its place is refused."""
        known = self.charged(*entry.key)
        if known is None:
            return False
        shown = entry.content != "" or entry.cost == FREE
        if not shown or (known.cost, known.content) != (entry.cost, entry.content):
            raise InputError(
                f"round {entry.round} of party {entry.party!r} was already charged for another release; "
                "a retry must send the same value again, and show it by its digest"
            )
        return True

    def spent(self, party: str) -> Cost:
        """All charges of a party as one cost."""
        return self._known().of_party.get(party, Account()).total

    def _refuse_overspending(self, party: str, more: Cost) -> None:
        account = self._known().of_party.get(party, Account())
        for budget in (*self.budgets, *self.budgets_of.get(party, ())):
            epsilon = account.exceeded(budget, more)
            if epsilon is not None:
                advice = "lower epsilon or the number of rounds, or raise the budget"
                if isinf(epsilon):
                    advice = "at this delta it has no bound: raise the budget's delta, or release no more"
                raise BudgetError(
                    f"party {party!r} allows {budget.relation} epsilon {budget.epsilon:g} at delta "
                    f"{budget.delta:g}, got a total of {epsilon:g}; nothing was released: {advice}"
                )

    def statements(self, *, alone: bool = False) -> list[dict[str, float | str]]:
        """What holds for each party and relation, then what the papers would claim; ready for JSON.

        Word and document add/remove are always shown. An infinite epsilon is the string "inf", basis "none".
        Where parties draw noise together, `alone` is what holds before a coordinator whom no party helps.
        """
        return [row for party in self.parties for row in self._statements_of(party, alone)]

    def _statements_of(self, party: str, alone: bool) -> list[dict[str, float | str]]:
        spent = self.spent(party).before_one() if alone else self.spent(party)
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
            **self.settings,
            "entries": [{**entry.to_dict(), "digest": entry.digest} for entry in self.entries],
            "statements": self.statements(),
            "head": self.head,
        }
        return json.dumps(data, indent=1, allow_nan=False)

    @classmethod
    def from_json(cls, text: str, run: str | None = None) -> "Ledger":
        """The ledger that `to_json` wrote as `text`, continued as `run` if one is named; checks the chain."""
        try:
            data = json.loads(text)
            own = {name: _budgets(rows) for name, rows in data.get("budgets_of", {}).items()}
            settings = data["delta"], data["secure_only"]
            ledger = cls(data["run"], _budgets(data["budgets"]), *settings, budgets_of=own)
            for row in data["entries"]:
                _append_verified(ledger, row)
            if data["head"] != ledger.head:
                raise InputError("ledger was changed: its head is not the digest of the last entry")
            ledger.run = run or (ledger.entries[-1].run if ledger.entries else ledger.run)
        except InputError:
            raise
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"not a privacy ledger: {error}") from error
        return ledger

    def table(self) -> str:
        """The statements as lines of text, with the source of the noise."""
        rows = [("party", "relation", "epsilon", "delta", "basis", "noise")]
        for row in self.statements():
            epsilon = row["epsilon"] if row["epsilon"] == "inf" else f"{row['epsilon']:.4g}"
            noise = self.spent(str(row["party"])).noise
            party, relation, basis = (str(row[name]) for name in ("party", "relation", "basis"))
            rows.append((party, relation, str(epsilon), f"{row['delta']:.2g}", basis, noise))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(_line(row, widths) for row in rows)


def _row(party: str, relation: str, epsilon: float, delta: float, basis: str) -> dict[str, float | str]:
    shown = {"epsilon": in_json(epsilon), "delta": delta}
    return {"party": party, "relation": relation, **shown, "basis": basis}


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _budgets(rows: Iterable[dict[str, Any]]) -> tuple[Budget, ...]:
    return tuple(Budget(**row) for row in rows)


def _digest(data: dict[str, Any]) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


def _append_verified(ledger: Ledger, row: dict[str, Any]) -> None:
    digest = row["digest"]
    told = {name: value for name, value in row.items() if name not in ("digest", "cost", "round")}
    if not all(isinstance(value, str) for value in told.values()) or type(row["round"]) is not int:
        raise InputError("not a privacy ledger: an entry names its run, round, party and content")
    entry = Entry(**told, round=row["round"], cost=Cost.from_dict(row["cost"]))
    if entry.previous != ledger.head or entry.digest != digest:
        raise InputError(f"ledger was changed at round {entry.round} of {entry.party!r}: hash chain broken")
    ledger.entries.append(entry)
