"""Any method whose server tells topics, with a server that draws related words together first.

After each round p'(w|k) of Eq. 13 (`related_words`) takes the place of p(w|k) in what the parties are
told and in the final model. Parties do nothing else than before and nothing more leaves them, so the price is
that of the method, as long as the relation is public.
"""

from dataclasses import fields, replace
from typing import Any, cast

import numpy as np

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.protocol.method import Method, ToldTopics
from fedtopics.protocol.turn import Arrays, Turn
from fedtopics.related_words import TAU, RelatedWords
from fedtopics.related_words.related import check_tau


def with_consistency(method: Method, relation: RelatedWords, tau: float = TAU) -> Method:
    """The `method`, whose server draws topics towards the `relation`, the more the larger `tau`."""
    check(method, tau)
    method = method.telling_topics()
    kind: Any = type(method)

    class Consistent(kind):  # type: ignore[misc]
        """The method, with semantic consistency at its server; all else is the method's own."""

        def start(self, n_words: int, turn: Turn) -> Arrays:
            if n_words != relation.n_words:
                raise InputError(
                    f"expected a relation of the {n_words} words of the vocabulary, "
                    f"got one of {relation.n_words}; load it for this vocabulary"
                )
            return cast(Arrays, super().start(n_words, turn))

        def tell(self, state: Arrays, party: str) -> Arrays:
            return _drawn(super().tell(state, party), told_topics(method), relation, tau)

        @property
        def tells_alike(self) -> bool:
            return method.tells_alike

        def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel | None:
            model: TopicModel | None = super().model(state, vocabulary)
            if model is None:
                return None
            drawn = relation.draw_together(model.topic_word, tau)
            return replace(model, topic_word=drawn.astype(model.topic_word.dtype))

    settings = {field.name: getattr(method, field.name) for field in fields(kind)}
    return cast(Method, Consistent(**settings))


def _drawn(told: Arrays, where: ToldTopics, relation: RelatedWords, tau: float) -> Arrays:
    """What is told, with the topics in it drawn together."""
    if where.name not in told:
        return told
    rows = np.moveaxis(told[where.name], where.word_axis, 1)
    drawn = relation.draw_together(rows, tau).astype(rows.dtype)
    return told | {where.name: np.ascontiguousarray(np.moveaxis(drawn, 1, where.word_axis))}


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
