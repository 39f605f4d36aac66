"""How topics are shown: their words, names, likeness and background, from the topics alone."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.model import distinctive, naming
from fedtopics.model.topic_table import TopicRow, TopicTable
from fedtopics.model.tree import Join, groups, joins

Floats: TypeAlias = NDArray[np.float64]
UNNAMED = re.compile(r"topic \d+")


class Shown:
    """What a `TopicModel` says of its topics; no document is looked at, so none of it costs privacy."""

    topic_word: Floats
    alpha: Floats
    vocabulary: tuple[str, ...]
    labels: tuple[str, ...] | None
    topic_shares: Floats | None
    company: NDArray[np.int64] | None

    def _repr_html_(self) -> str:
        """The topics as notebooks show them."""
        return (
            f"<p>{self.n_topics} topics over {self.n_words:,} words</p>{self.get_topic_info()._repr_html_()}"
        )

    @property
    def n_topics(self) -> int:
        return len(self.topic_word)

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.vocabulary)

    def top_words(self, n: int = 10, by: str = "distinctive") -> list[list[str]]:
        """The `n` first words of each topic: those that set it apart most, or `by` "probable" ones."""
        return [[self.vocabulary[word] for word in row] for row in self.top_word_ids(n, by)]

    def top_word_ids(self, n: int = 10, by: str = "distinctive") -> NDArray[np.int64]:
        """Ids of the `n` first words of each topic, `by` as for `top_words`, shape (n_topics, n)."""
        order = distinctive.ranked(self.topic_word, self._shares, by)
        if by == "distinctive" and self.company is not None:
            order = distinctive.first(order, self.company)
        return order[:, :n]

    @property
    def background(self) -> Floats:
        """What all topics have in common, as probabilities of words, shape (n_words,)."""
        return distinctive.background(self.topic_word, self._shares)

    def common_words(self, n: int = 20) -> list[str]:
        """The `n` first words of the background: stop words of these documents, found at no cost."""
        return [self.vocabulary[word] for word in np.argsort(-self.background, kind="stable")[:n]]

    @property
    def word_frequencies(self) -> Floats:
        """How frequent each word is over all topics, by their shares."""
        return np.asarray(self._shares @ self.topic_word)

    @property
    def _shares(self) -> Floats:
        """Shares of the topics; even ones where they are unknown."""
        return np.full(self.n_topics, 1 / self.n_topics) if self.topic_shares is None else self.topic_shares

    def set_topic_labels(self, labels: Sequence[str] | Mapping[int, str]) -> Self:
        """The same model with new names: one for each topic, or for the topics named in a mapping."""
        if isinstance(labels, Mapping):
            unknown = [topic for topic in labels if topic not in range(self.n_topics)]
            if unknown:
                raise InputError(
                    f"expected a topic below {self.n_topics}, got {quoted(unknown[0])}; see top_words()"
                )
            labels = [labels.get(topic, self.label(topic)) for topic in range(self.n_topics)]
        return self._with(labels=tuple(labels))

    def label(self, topic: int) -> str:
        """Name of the `topic` of this number: its own if it has one, else its number."""
        return self.labels[topic] if self.labels is not None else f"topic {topic}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What to call each topic: its label, or else the words that set it apart."""
        given = self.labels or (None,) * self.n_topics
        return tuple(
            self._named_by_words(topic) if label is None or UNNAMED.fullmatch(label) else label
            for topic, label in enumerate(given)
        )

    def _named_by_words(self, topic: int) -> str:
        row = self.topic_word[topic]
        first = self._first_ids[topic]
        return naming.of_words([self.vocabulary[word] for word in first if row[word] > row.min()], topic)

    @cached_property
    def _first_ids(self) -> NDArray[np.int64]:
        return self.top_word_ids(naming.N_TRIED)

    def name_topics(self, namer: naming.Namer, n: int = 10) -> Self:
        """The same model with the labels that `namer` makes of the `n` top words of each topic."""
        return self._with(labels=naming.by(namer, self.top_words(n)))

    def tree(self) -> tuple[Join, ...]:
        """How topics are joined two by two, the most alike first, until one is left (`model/tree.py`)."""
        return joins(self.topic_word, self._shares)

    def reduce_topics(self, n_topics: int) -> Self:
        """The model with topics that are alike joined until `n_topics` are left; it costs no privacy.

        A joined topic stands where the first of its topics did, with the label of the largest of them.
        """
        if not 2 <= n_topics <= self.n_topics:
            raise InputError(f"expected from 2 to {self.n_topics} topics, got {n_topics}")
        members = np.eye(n_topics)[:, groups(self.tree(), n_topics)]
        weighted = members * self._shares
        empty = weighted.sum(axis=1, keepdims=True) == 0
        weighted = np.where(empty, members, weighted)
        largest = weighted.argmax(axis=1)
        return self._with(
            topic_word=weighted @ self.topic_word / weighted.sum(axis=1, keepdims=True),
            alpha=members @ self.alpha,
            company=None,
            labels=None if self.labels is None else tuple(self.labels[topic] for topic in largest),
            topic_shares=None if self.topic_shares is None else members @ self.topic_shares,
        )

    def get_topic_info(self, n: int = 10) -> TopicTable:
        """Number, label, share and the `n` top words of each topic, as a table."""
        shares = [None] * self.n_topics if self.topic_shares is None else self.topic_shares.tolist()
        rows = zip(shares, self.top_words(n), strict=True)
        return TopicTable(
            tuple(TopicRow(k, self.names[k], share, tuple(words)) for k, (share, words) in enumerate(rows))
        )

    def _with(self, **changes: Any) -> Self:
        return cast(Self, replace(cast(Any, self), **changes))
