"""Any method whose server tells topics, with a server that draws related words together first.

After each round p'(w|k) of Eq. 13 (`related_words`) takes the place of p(w|k) in what the parties are
told and in the final model. Parties do nothing else than before and nothing more leaves them, so the price is
that of the method, as long as the relation is public.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.release import Cost, Release
from fedtopics.protocol.method import (
    About,
    Method,
    ToldTopics,
    measures,
    model_sizes,
    name_of,
    party_topics,
    shows,
)
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.related_words import TAU, RelatedWords, check_tau


@dataclass(frozen=True, eq=False)
class Consistent:
    """A method with semantic consistency at its server; all else is the method's own."""

    method: Method
    relation: RelatedWords
    tau: float = TAU

    def __post_init__(self) -> None:
        check(self.method, self.tau)

    @property
    def about(self) -> About:
        return self.method.about

    @property
    def n_topics(self) -> int:
        return self.method.n_topics

    @property
    def n_rounds(self) -> int:
        return self.method.n_rounds

    def prices(self, n_words: int) -> list[Cost]:
        return self.method.prices(n_words)

    def start(self, n_words: int, turn: Turn) -> Arrays:
        if n_words != self.relation.n_words:
            raise InputError(
                f"expected a relation of the {n_words} words of the vocabulary, "
                f"got one of {self.relation.n_words}; load it for this vocabulary"
            )
        return self.method.start(n_words, turn)

    def broadcast(self, state: Arrays, party: str) -> Arrays:
        told = self.method.broadcast(state, party)
        where = cast(ToldTopics, told_topics(self.method))
        if where.name not in told:
            return told
        rows = np.moveaxis(told[where.name], where.word_axis, 1)
        drawn = self.relation.draw_together(rows, self.tau).astype(rows.dtype)
        return told | {where.name: np.ascontiguousarray(np.moveaxis(drawn, 1, where.word_axis))}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return self.method.may_be_told(n_words, party)

    def model_sizes(self, parties: tuple[str, ...]) -> range:
        return model_sizes(self.method, parties)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        return self.method.contribute(party, told, turn)

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return self.method.combine(state, sent, turn)

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel | None:
        model = self.method.model(state, vocabulary)
        if model is None:
            return None
        drawn = self.relation.draw_together(model.topic_word, self.tau)
        return replace(model, topic_word=drawn.astype(model.topic_word.dtype))

    def local_model(self, party: Party) -> TopicModel | None:
        return self.method.local_model(party)

    def measures(self, state: Arrays) -> dict[str, float]:
        return measures(self.method, state)

    def shows(self) -> tuple[str, ...]:
        return shows(self.method)

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        return party_topics(self.method, state)


def with_consistency(method: Method, relation: RelatedWords, tau: float = TAU) -> Method:
    """The method, whose server draws topics towards the relation."""
    return cast(Method, Consistent(method, relation, tau))


def check(method: Method, tau: float) -> None:
    """Refuse a method whose server tells no topics, and a tau below 0, before any document is read."""
    check_tau(tau)
    if told_topics(method) is None:
        raise InputError(
            f"consistency needs a server that tells topics, got {name_of(method)}; use calm, ftm or pctd"
        )


def told_topics(method: Method) -> ToldTopics | None:
    """Where a method's server puts the topics that it tells; None where it tells none."""
    return getattr(method, "told_topics", None)
