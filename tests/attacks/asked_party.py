"""One party, asked as a coordinator of any intention may ask it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party.side import PartySide
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.terms import Terms
from fedtopics.network.private_scores import Score
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays

PLAN = "plan"


@dataclass
class AskedParty:
    """Party north over these words, and what its coordinator sees; its charges are seen here alone."""

    folder: Path
    method: Method
    corpus: Corpus
    words: tuple[str, ...]
    budgets: tuple[Budget, ...] = ()
    score: Score | None = None
    agreement: Agreement | None = None
    side: PartySide = field(init=False)

    def __post_init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Start the party, or start it again: all it knows then is on its disk."""
        if hasattr(self, "side"):
            self.side.store.close()
        store = PartyStore(self.folder, "north", self.budgets, secure_only=False)
        public = self.words if self.agreement is None else None
        terms = Terms(
            PLAN, ("north", "south"), self.method, 1, secure=False, words=public, agreement=self.agreement
        )
        self.side = PartySide(
            "north", terms, store, lambda: self.corpus, lambda *_: None, "nothing", self.score
        )

    def ask(self, operation: str, number: int, told: Arrays, run: str = "first") -> tuple[str, Arrays]:
        """The name of the error and the arrays of the answer."""
        digest = word_digest(self.words)
        asked = Request(operation, run, number, PLAN, digest, body=wire.pack(told))
        reply = Reply.from_bytes(self.side.answer(asked))
        return reply.error, wire.unpack(reply.body, limit=2**30) if reply.body else {}

    def contribute(self, number: int, told: Arrays, run: str = "first") -> tuple[str, Arrays]:
        """The answer of a round of a run, whose words are sent before."""
        error, _ = self.ask("vocabulary", 0, {"words": word_array(self.words)}, run)
        return self.ask("contribute", number, told, run) if not error else (error, {})

    def charges(self, run: str = "first") -> list[tuple[str, int, Cost]]:
        """What was charged for a run: operation, round and price."""
        entries = self.side.store.run_ledger(run).entries
        return [(entry.run.partition("/")[2], entry.round, entry.cost) for entry in entries]
