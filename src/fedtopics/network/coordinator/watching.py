"""A run as its coordinator may watch it: from its folder alone, changing nothing.

All of it was released, is in the plan, or is about messages: who answered, how long that took, how many
bytes. Topics are those that the coordinator has made of what parties released.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from fedtopics.errors import InputError
from fedtopics.network.coordinator.checkpoint import FILE as CHECKPOINT
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.desk import CONNECTED, MISSING
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder, RunFolder, Status
from fedtopics.network.coordinator.result import planned_ledger
from fedtopics.network.phases import phase, round_name
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.terms import Terms, terms_of
from fedtopics.network.pulse import present
from fedtopics.privacy.price.budget import in_json

N_TOPICS, N_WORDS, N_LINES = 24, 8, 40
AWAY = "not connected"
Json = dict[str, Any]


@dataclass
class RunWatch:
    """Looks at one run of a coordinator again and again; what has not changed is not computed anew."""

    hub: CoordinatorFolder
    run: RunFolder
    _known: tuple[int, Json] = field(default=(-1, {}), init=False)  # of the checkpoint, by its time

    @cached_property
    def plan(self) -> Plan:
        """The plan of the run."""
        return self.hub.plan

    @cached_property
    def terms(self) -> Terms:
        """The terms of the run."""
        return terms_of(self.plan, self.hub.path, self.run.name)

    def look(self) -> Json:
        """Where the run stands now, as JSON values."""
        status, told = self.run.status(), present(self.hub.path)
        asked = told.get("asked", {}) if told.get("asked", {}).get("run") == self.run.name else {}
        known, lines = self._from_checkpoint(), self.run.lines()
        return {
            "kind": "coordinator",
            "federation": self._federation(),
            "run": {
                "name": self.run.name,
                "state": status.state,
                "reason": status.reason,
                "round": status.round,
                "n_rounds": status.n_rounds,
                "phase": self._phase(status, asked, alive=bool(told)),
                "alive": bool(told),
                "seconds": _seconds(lines, status.state in OPEN),
            },
            "parties": self._parties(status, told, asked, known),
            "log": lines[-N_LINES:],
            **{name: known.get(name) for name in ("rounds", "topics", "n_words", "privacy", "measure")},
        }

    def _federation(self) -> Json:
        method = self.plan.method()
        return {
            "name": self.plan.name,
            "address": self.plan.coordinator,
            "plan": self.plan.digest,
            "method": self.plan.method_name,
            "n_topics": method.n_topics,
            "simulated": self.plan.simulation_seed is not None,
            "sums": self.plan.secure_sum is not None,
            "agrees": self.plan.agreement() is not None,
        }

    def _phase(self, status: Status, asked: Mapping[str, Any], *, alive: bool) -> str:
        if status.state not in OPEN:
            return f"{status.state}: {status.reason}" if status.reason else status.state
        if not alive:
            return "the coordinator is not running"
        if status.state != "running":
            return f"waiting for parties: {status.reason}" if status.reason else "about to begin"
        return phase(asked, status.n_rounds)

    def _parties(
        self, status: Status, told: Mapping[str, Any], asked: Mapping[str, Any], known: Mapping[str, Any]
    ) -> list[Json]:
        states = told.get("parties", {})
        spent, answered = known.get("spent", {}), known.get("answered", {})
        return [
            {
                "name": name,
                "state": self._state(name, status, states, asked),
                "answers": len(answered.get(name, [])),
                "last": None if not answered.get(name) else round_name(max(answered[name])),
                "spent": spent.get(name, 0.0),
            }
            for name in sorted(self.plan.parties)
        ]

    def _state(self, name: str, status: Status, states: Mapping[str, str], asked: Mapping[str, Any]) -> str:
        found = states.get(name, AWAY)
        if found == AWAY and status.state == "running":
            return MISSING
        return CONNECTED if found not in (AWAY, MISSING) and not asked else found

    def _from_checkpoint(self) -> Json:
        """What the last checkpoint tells: rounds, topics, and what the plan says that these have cost."""
        path = self.run.path / CHECKPOINT
        with suppress(FileNotFoundError):  # there is none yet, or it is just being changed for the next one
            changed = path.stat().st_mtime_ns
            if changed != self._known[0]:
                found = Checkpoint.load(self.run.path, self.run.name, self.plan.digest)
                self._known = changed, self._told(found)
        return self._known[1] or self._told(None)

    def _told(self, found: Checkpoint | None) -> Json:
        if found is None:
            return {"rounds": [], "topics": [], "privacy": self._privacy({}), "measure": ""}
        spent = self._spent(found)
        measures = [name for line in found.rounds for name in line.measures]
        return {
            "rounds": [
                {
                    "round": line.round,
                    "name": round_name(line.round),
                    "seconds": round(line.seconds, 3),
                    "up": line.bytes_up,
                    "down": line.bytes_down,
                    "value": next(iter(line.measures.values()), None),
                    "missing": list(line.missing),
                }
                for line in found.rounds
            ],
            "measure": measures[0] if measures else "",
            "n_words": None if found.words is None else len(found.words),
            "answered": found.answered,
            "topics": self._topics(found),
            "spent": spent,
            "privacy": self._privacy(spent),
        }

    def _topics(self, found: Checkpoint) -> list[Json]:
        """The largest topics so far, by their most probable words; none before there are any."""
        if found.next_round <= 0 or found.words is None:
            return []
        try:
            model = self.terms.served(found.words).model(found.state, found.words)
        except InputError:
            return []
        if model is None:
            return []
        shares = model.topic_shares
        order = range(model.n_topics) if shares is None else (-shares).argsort(kind="stable")
        words = model.top_words(N_WORDS)
        return [
            {"topic": int(k), "words": words[k], "share": None if shares is None else float(shares[k])}
            for k in list(order)[:N_TOPICS]
        ]

    def _spent(self, found: Checkpoint) -> dict[str, float | str]:
        """What each party has paid for what it was heard to release, by the plan's relation and delta."""
        ledger = planned_ledger(self.terms, found)
        heard = set(ledger.parties)
        budget = self.plan.privacy
        costs = {name: budget.epsilon_of(ledger.spent(name)) for name in self.plan.parties if name in heard}
        return {name: in_json(cost) for name, cost in costs.items()}

    def _privacy(self, spent: Mapping[str, float | str]) -> Json:
        promise = self.plan.privacy
        return {
            "relation": promise.relation,
            "delta": promise.delta,
            "promised": promise.epsilon,
            "spent": max(spent.values(), key=float, default=0.0),
        }


def _seconds(lines: list[str], is_open: bool) -> float | None:
    """How long a run has taken so far, or took."""
    try:
        began, last = (datetime.strptime(line[:19], "%Y-%m-%d %H:%M:%S") for line in (lines[0], lines[-1]))
    except (IndexError, ValueError):
        return None
    end = datetime.now(UTC).replace(tzinfo=None) if is_open else last
    return max(0.0, round((end - began).total_seconds()))
