"""A federation without a network: the two sides of the wire, joined by a channel that passes bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from network.identities import authority, identity

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.messages import Request
from fedtopics.network.party.delivery import Delivery
from fedtopics.network.party.side import PartySide
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.terms import Terms
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.coding import NOTHING, Known
from fedtopics.protocol.engine import Engine, Outcome
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party

PLAN = "0" * 64


@dataclass
class Direct:
    """Passes questions to parties in this process; `bend` may change or swallow an answer.

    in_full   parties are not told what the coordinator knows, so that all they send can be read by itself
    """

    sides: dict[str, PartySide]
    bend: Callable[[str, bytes, bytes], bytes | Silence] = lambda name, asked, answer: answer
    heard: list[bytes] = field(default_factory=list)
    in_full: bool = False

    @property
    def parties(self) -> tuple[str, ...]:
        return tuple(self.sides)

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        answers: dict[str, bytes | Silence] = {}
        for name in reversed(list(requests)):
            asked = Request.from_bytes(requests[name])
            asked = replace(asked, known="") if self.in_full else asked
            answers[name] = self.bend(name, requests[name], self.sides[name].answer(asked))
            self.heard += [answer for answer in [answers[name]] if isinstance(answer, bytes)]
        return answers


@dataclass
class Ear:
    """Who hears all messages of one direction, and so knows what each is coded by."""

    known: Known = NOTHING

    def hear(self, body: bytes) -> Arrays:
        arrays = wire.unpack(body, limit=2**20, known=self.known)
        self.known = self.known.after(arrays) if wire.is_relative(body) else Known(arrays)
        return arrays


@dataclass
class Rehearsal:
    """Coordinator and parties with their folders; machines can be restarted."""

    folder: Path
    terms: Terms
    corpora: Mapping[str, Corpus]
    budgets: tuple[Budget, ...] = ()
    budgets_of: Mapping[str, tuple[Budget, ...]] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    kept: dict[str, Delivery] = field(default_factory=dict)
    sides: dict[str, PartySide] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / "run").mkdir(parents=True, exist_ok=True)
        for name in self.corpora:
            self.start(name)

    def start(self, name: str) -> PartySide:
        """Start the party, or start it again: all it knows then is on its disk."""
        if name in self.sides:
            self.sides[name].store.close()
        budgets = (*self.budgets, *self.budgets_of.get(name, ()))
        store = PartyStore(self.folder / name, name, budgets, secure_only=self.terms.secure)

        def keep(run: str, delivery: Delivery) -> None:
            self.kept[name] = delivery

        known = identity(name) if self.terms.summing is not None else None
        self.sides[name] = PartySide(
            name, self.terms, store, lambda: self.corpora[name], keep, identity=known
        )
        return self.sides[name]

    def coordinator(self, **options: Any) -> Coordinator:
        channel = options.pop("channel", None) or Direct(self.sides)
        known = {} if self.terms.summing is None else {"authority": authority(0)[0]}
        folder = self.folder / "run"
        return Coordinator(self.terms, "first", folder, channel, self.lines.append, **known | options)

    def trained(self, **options: Any) -> Checkpoint:
        return self.coordinator(**options).train()


def wired(folder: Path) -> Engine:
    """The two sides of the wire as an engine; every run has a folder of its own, every party its budgets."""
    numbers = count()

    def engine(method: Method, corpora: Mapping[str, Corpus], *, seed: int, ledger: Ledger) -> Outcome:
        if len({corpus.vocabulary for corpus in corpora.values()}) != 1:
            raise InputError("a plan has one word list")
        terms = simulated(method, corpora, seed=seed, min_parties=len(corpora))
        ledger.check_parties(corpora)
        for name in corpora:  # as a party does when it accepts a plan
            ledger.require(name, method.prices(len(terms.words or ())))
        stage = Rehearsal(folder / str(next(numbers)), terms, corpora, ledger.budgets, ledger.budgets_of)
        coordinator = stage.coordinator()
        end = coordinator.train()
        entries = [entry for side in stage.sides.values() for entry in side.store.of_run("first")]
        coordinator.deliver(end.words or (), {})
        local = {name: kept.local_model for name, kept in stage.kept.items() if kept.local_model is not None}
        model = method.model(end.state, end.words or ())
        left = {
            name: kept
            for name, side in stage.sides.items()
            if (kept := method.kept(Party(name, corpora[name], side.store.load_memory("first"))))
        }
        ledger, topics = Ledger(entries=entries), method.party_topics(end.state)
        rounds, remarks = list(end.rounds), method.remarks(end.state)
        return Outcome(model, local, ledger, rounds, topics, remarks, left)

    return engine


def simulated(method: Method, corpora: Mapping[str, Corpus], **given: Any) -> Terms:
    """Terms of a simulation over the vocabulary of the corpora."""
    words = next(iter(corpora.values())).vocabulary
    known: dict[str, Any] = {"plan": PLAN, "parties": tuple(sorted(corpora)), "words": words, "seed": 3}
    return Terms(method=method, secure=False, **known | given)
