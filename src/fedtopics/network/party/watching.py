"""A party as its owner may watch it: from its own folder alone, on its own machine.

What left is what its ledger says, with the size and the hash of each release; what it may still spend is what
its policy says. Where that policy lets its page do so, the party can be asked to stop.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network.keeper import LOG, STOP
from fedtopics.network.party import ledger_file
from fedtopics.network.party.ledger_file import LedgerFile
from fedtopics.network.party.store import MODELS, release_path
from fedtopics.network.phases import phase, round_name
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy
from fedtopics.network.pulse import present
from fedtopics.privacy.explain import priced
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import in_json
from fedtopics.privacy.price.cost import FREE, Cost, total
from fedtopics.privacy.price.ledger import Entry, Ledger

N_RELEASES, N_LINES, TAIL = 500, 30, 2**15
RELEASES = {"contribute": "contribution", "evaluate": "private scores", "failed": "failed release"}
Json = dict[str, Any]


@dataclass
class PartyWatch:
    """Looks at one party's folder again and again."""

    folder: Path
    _known: tuple[object, Json] = field(default=(None, {}), init=False)  # of the ledger, by what it is from

    def __post_init__(self) -> None:
        if not (self.folder / "policy.toml").is_file():
            raise InputError(f"expected the folder of a party, got {self.folder} without a policy.toml")

    def look(self) -> Json:
        """How the party stands now, as JSON values."""
        told, plan = present(self.folder), Plan.read(self.folder / "plan.toml")
        policy = Policy.read(self.folder / "policy.toml")
        asked = told.get("asked", {})
        return {
            "kind": "party",
            "federation": {"name": plan.name, "address": plan.coordinator, "plan": plan.digest}
            | {"method": plan.method_name, "simulated": plan.simulation_seed is not None},
            "state": _state(told),
            "phase": _phase(told, asked, plan.method().n_rounds),
            "run": asked.get("run", ""),
            "bytes": {"up": told.get("bytes_up", 0), "down": told.get("bytes_down", 0)},
            "stop": {"allowed": policy.stop_button, "asked": (self.folder / STOP).exists()},
            "models": sorted(path.name for path in (self.folder / MODELS).glob("*") if path.is_dir()),
            "log": _tail(self.folder / LOG),
            **self._from_ledger(plan, policy),
        }

    def stop(self) -> None:
        """Ask the party to stop, if its policy lets its page do that."""
        if not Policy.read(self.folder / "policy.toml").stop_button:
            raise InputError("expected stop_button = true in policy.toml, got false; stop it in its terminal")
        files.show(self.folder / STOP, b"")

    def _from_ledger(self, plan: Plan, policy: Policy) -> Json:
        path = self.folder / "store" / ledger_file.LINES
        changed = path.stat().st_mtime_ns if path.is_file() else 0
        now = changed, plan.digest, policy.budget
        if now != self._known[0]:
            self._known = now, self._told(plan, policy, exists=changed > 0)
        return self._known[1]

    def _told(self, plan: Plan, policy: Policy, *, exists: bool) -> Json:
        if not exists:
            return {"party": "", "head": "", "releases": [], "n_releases": 0, "budget": []}
        anchor = self.folder / ledger_file.ANCHOR
        found = ledger_file.read(self.folder / "store", anchor if anchor.is_file() else None)
        return {
            "party": found.party,
            "head": found.head,
            "n_releases": len(found.entries),
            "n_paid": sum(entry.cost != FREE for entry in found.entries),
            "releases": [self._release(entry, plan) for entry in reversed(found.entries[-N_RELEASES:])],
            "budget": _budget(found, plan, policy),
        }

    def _release(self, entry: Entry, plan: Plan) -> Json:
        """One release: what it was, how large, its hash and its price."""
        run, _, operation = entry.run.partition("/")
        path = release_path(self.folder / "store", entry)
        described = len(ledger_file.line(entry))
        stat = path.stat() if path.is_file() else None
        return {
            "run": run,
            "name": f"{RELEASES.get(operation, operation)}, {round_name(entry.round)}",
            "size": None if stat is None else stat.st_size - described,
            "time": None if stat is None else datetime.fromtimestamp(stat.st_mtime, UTC).isoformat(),
            "sha256": entry.content,
            "price": _price(entry.cost, plan),
            "paid": entry.cost != FREE,
        }


def _price(cost: Cost, plan: Plan) -> str:
    """What a release cost, by the relation of the plan where it has a price there."""
    if cost == FREE:
        return "free, already paid for"
    relation = plan.privacy.relation
    chosen = relation if relation in cost.relations else next(iter(cost.relations), relation)
    return priced(chosen, *accounting.guarantee(cost.losses_of(chosen), plan.privacy.delta))


def _budget(found: LedgerFile, plan: Plan, policy: Policy) -> list[Json]:
    """What is spent of each budget over all runs, and what a whole run of the plan takes of it."""
    spent = Ledger(entries=list(found.entries)).spent(found.party) if found.entries else FREE
    whole = total(plan.costs(plan.vocabulary.most_words))
    return [
        {
            "relation": budget.relation,
            "delta": budget.delta,
            "allowed": budget.epsilon,
            "spent": in_json(budget.epsilon_of(spent)),
            "run": in_json(budget.epsilon_of(whole)),
        }
        for budget in policy.budget
    ]


def _state(told: Mapping[str, Any]) -> str:
    if not told:
        return "not running"
    if not told.get("connected"):
        return "calling"
    return "computing" if told.get("asked") else "connected"


def _phase(told: Mapping[str, Any], asked: Mapping[str, Any], n_rounds: int) -> str:
    if not told:
        return "start it with `fedtopics federation party start`"
    if not told.get("connected"):
        return "no connection to the coordinator; it is called again and again"
    return phase(asked, n_rounds) if asked else "waiting for the next question"


def _tail(path: Path) -> list[str]:
    """The last lines of the party's own log."""
    if not path.is_file():
        return []
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        return file.read(TAIL).decode("utf-8", "replace").splitlines()[-N_LINES:]
