"""A method that is watched while it is trained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Turn


@dataclass
class Watched:
    """Scores the model every so many rounds; all else is the method's own."""

    method: Method
    test: Corpus
    every: int = 1  # rounds
    perplexities: list[float] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        state = self.method.combine(state, sent, turn)
        due = (turn.round + 1) % self.every == 0
        if due and (model := self.method.model(state, self.test.vocabulary)) is not None:
            self.perplexities.append(perplexity(model, self.test))
        return state
