"""Any method whose server tells topics, with a server that draws related words together first.

After each round p'(w|k) of Eq. 13 (`related_words`) takes the place of p(w|k) in what the parties are
told and in the final model. Parties do nothing else than before and nothing more leaves them, so the price is
that of the method, as long as the relation is public.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.method import Hearing, Method, ToldTopics
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.related_words import TAU, RelatedWords
from fedtopics.related_words.related import check_tau


@dataclass(frozen=True, eq=False)
class Consistent(Method):
    """A method with semantic consistency at its server; all else is the method's own."""

    method: Method
    relation: RelatedWords
    tau: float = TAU

    def __post_init__(self) -> None:
        check(self.method, self.tau)
        inner = self.method
        own = {"about": inner.about, "variant": inner.variant, "may_be_negative": inner.may_be_negative}
        for name, value in (own | {"told_topics": inner.told_topics}).items():
            object.__setattr__(self, name, value)

    @property
    def n_topics(self) -> int:
        return self.method.n_topics

    @property
    def n_rounds(self) -> int:
        return self.method.n_rounds

    @property
    def privacy_delta(self) -> float | None:
        return self.method.privacy_delta

    def prices(self, n_words: int) -> list[Cost]:
        return self.method.prices(n_words)

    def start(self, n_words: int, turn: Turn) -> Arrays:
        if n_words != self.relation.n_words:
            raise InputError(
                f"expected a relation of the {n_words} words of the vocabulary, "
                f"got one of {self.relation.n_words}; load it for this vocabulary"
            )
        return self.method.start(n_words, turn)

    def broadcast(self, state: Arrays) -> Arrays:
        return self._drawn(self.method.broadcast(state))

    def tell(self, state: Arrays, party: str) -> Arrays:
        return self._drawn(self.method.tell(state, party))

    def _drawn(self, told: Arrays) -> Arrays:
        where = told_topics(self.method)
        if where.name not in told:
            return told
        rows = np.moveaxis(told[where.name], where.word_axis, 1)
        drawn = self.relation.draw_together(rows, self.tau).astype(rows.dtype)
        return told | {where.name: np.ascontiguousarray(np.moveaxis(drawn, 1, where.word_axis))}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return self.method.may_be_told(n_words, party)

    def may_be_sent(self, told: Arrays, number: int) -> Form | None:
        return self.method.may_be_sent(told, number)

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

    def in_force(self, n_words: int) -> dict[str, Any]:
        return self.method.in_force(n_words)

    def notes(self, n_words: int) -> list[str]:
        return self.method.notes(n_words)

    def shows(self) -> tuple[str, ...]:
        return self.method.shows()

    def forecast(self, n_words: int) -> dict[str, float] | None:
        return self.method.forecast(n_words)

    def model_sizes(self, parties: tuple[str, ...]) -> range:
        return self.method.model_sizes(parties)

    def local_model(self, party: Party) -> TopicModel | None:
        return self.method.local_model(party)

    def measures(self, state: Arrays) -> dict[str, float]:
        return self.method.measures(state)

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        return self.method.party_topics(state)

    def hearing(self, model: TopicModel) -> Hearing | None:
        return self.method.hearing(model)


def with_consistency(method: Method, relation: RelatedWords, tau: float = TAU) -> Method:
    """The `method`, whose server draws topics towards the `relation`, the more the larger `tau`."""
    return Consistent(method, relation, tau)


def check(method: Method, tau: float) -> None:
    """Refuse a method whose server tells no topics, and a tau below 0, before any document is read."""
    check_tau(tau)
    told_topics(method)


def told_topics(method: Method) -> ToldTopics:
    """Where a method's server puts the topics that it tells."""
    if method.told_topics is None:
        raise InputError(
            f"consistency needs a server that tells topics, got {method.about.summary}; use calm, ftm or pctd"
        )
    return method.told_topics
