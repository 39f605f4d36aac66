"""The result of every method: topics as distributions over words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics import model_files
from fedtopics.errors import InputError

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TopicModel:
    """Topics over a vocabulary.

    topic_word    probability of each word in each topic, shape (n_topics, n_words); rows sum to one
    alpha         Dirichlet prior of a document's topics, shape (n_topics,)
    vocabulary    the word behind each column
    labels        a name for each topic, None before they are given
    topic_shares  share of the training tokens in each topic, None where unknown
    card          what a reader of the model should know, as plain JSON values: what it was trained on (in
                  aggregate terms), method, privacy statement; never a document

    >>> model = TopicModel.from_counts([[3, 1, 0], [0, 1, 4]], ["tax", "law", "war"], alpha=0.5, beta=0.1)
    >>> model.top_words(2)
    [['tax', 'law'], ['war', 'law']]
    """

    topic_word: Floats
    alpha: Floats
    vocabulary: tuple[str, ...]
    labels: tuple[str, ...] | None = None
    topic_shares: Floats | None = None
    card: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "topic_word", _frozen(self.topic_word))
        object.__setattr__(self, "alpha", _frozen(self.alpha))
        object.__setattr__(self, "vocabulary", tuple(self.vocabulary))
        if self.topic_shares is not None:
            object.__setattr__(self, "topic_shares", _frozen(self.topic_shares))
        _check(self)

    @classmethod
    def from_counts(
        cls,
        topic_word_counts: ArrayLike,
        vocabulary: Sequence[str],
        *,
        alpha: ArrayLike = 0.1,
        beta: ArrayLike = 0.01,
        card: Mapping[str, Any] | None = None,
    ) -> TopicModel:
        """Posterior mean of the topics given counts (n_topics, n_words); noise below zero counts as zero."""
        counts = np.maximum(np.asarray(topic_word_counts, np.float64), 0.0)
        smoothed = counts + np.asarray(beta, np.float64)
        sums = smoothed.sum(axis=1, keepdims=True)
        total = counts.sum()
        return cls(
            topic_word=smoothed / sums,
            alpha=np.broadcast_to(np.asarray(alpha, np.float64), counts.shape[:1]),
            vocabulary=tuple(vocabulary),
            topic_shares=counts.sum(axis=1) / total if total > 0 else None,
            card=card or {},
        )

    @property
    def n_topics(self) -> int:
        return len(self.topic_word)

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.vocabulary)

    def top_words(self, n: int = 10) -> list[list[str]]:
        """The n most probable words of each topic, the most probable first."""
        return [[self.vocabulary[word] for word in row] for row in self.top_word_ids(n)]

    def top_word_ids(self, n: int = 10) -> NDArray[np.int64]:
        """Ids of the n most probable words of each topic, shape (n_topics, n); equals go by word id."""
        return np.argsort(-self.topic_word, axis=1, kind="stable")[:, :n].astype(np.int64)

    def set_topic_labels(self, labels: Sequence[str] | Mapping[int, str]) -> TopicModel:
        """The same model with new names: one for each topic, or for the topics named in a mapping."""
        if isinstance(labels, Mapping):
            unknown = [topic for topic in labels if topic not in range(self.n_topics)]
            if unknown:
                raise InputError(
                    f"expected topics 0 to {self.n_topics - 1}, got {unknown[0]!r}; see top_words()"
                )
            labels = [labels.get(topic, self.label(topic)) for topic in range(self.n_topics)]
        return replace(self, labels=tuple(labels))

    def label(self, topic: int) -> str:
        """Name of a topic: its own if it has one, else its number."""
        return self.labels[topic] if self.labels is not None else f"topic {topic}"

    def save(self, directory: str | Path, *, overwrite: bool = False) -> None:
        """Write `model.safetensors` and `model.json` into a directory."""
        arrays = {"topic_word": self.topic_word, "alpha": self.alpha}
        if self.topic_shares is not None:
            arrays["topic_shares"] = self.topic_shares
        description = {
            "n_topics": self.n_topics,
            "n_words": self.n_words,
            "card": dict(self.card),
            "labels": self.labels,
            "vocabulary": self.vocabulary,
        }
        model_files.write(Path(directory), arrays, description, overwrite=overwrite)

    @classmethod
    def load(cls, directory: str | Path) -> TopicModel:
        """The model that `save` wrote; a file changed since is an InputError."""
        arrays, description = model_files.read(Path(directory))
        try:
            labels = description["labels"]
            return cls(
                topic_word=arrays["topic_word"],
                alpha=arrays["alpha"],
                vocabulary=tuple(description["vocabulary"]),
                labels=None if labels is None else tuple(labels),
                topic_shares=arrays.get("topic_shares"),
                card=description["card"],
            )
        except (KeyError, TypeError) as error:
            raise InputError(
                f"model files in {directory} are incomplete ({error}); save the model anew"
            ) from None


def _frozen(values: ArrayLike) -> Floats:
    """Float64 copy that cannot be written to."""
    array = np.array(values, np.float64, order="C")
    array.flags.writeable = False
    return array


def _check(model: TopicModel) -> None:
    topics, words = model.topic_word, len(model.vocabulary)
    if topics.ndim != 2 or not topics.size or topics.shape[1] != words:
        raise InputError(
            f"expected topic_word of shape (n_topics, {words}), got {topics.shape}; match the vocabulary"
        )
    if (
        not np.isfinite(topics).all()
        or (topics < 0).any()
        or not np.allclose(topics.sum(axis=1), 1.0, atol=1e-6)
    ):
        raise InputError(
            "expected rows of topic_word to be probabilities, got others; divide each row by its sum"
        )
    if model.alpha.shape != (len(topics),) or not np.isfinite(model.alpha).all() or (model.alpha <= 0).any():
        raise InputError(
            f"expected {len(topics)} positive numbers as alpha, got {model.alpha}; one for each topic"
        )
    if len(set(model.vocabulary)) != words or not all(isinstance(word, str) for word in model.vocabulary):
        raise InputError(
            "expected a vocabulary of different words, got a repeated one or no text; remove repeats"
        )
    if model.labels is not None and len(model.labels) != len(topics):
        raise InputError(
            f"expected {len(topics)} labels, got {len(model.labels)}; name some with a mapping instead"
        )
    _check_shares(model.topic_shares, len(topics))
    _check_card(model.card)


def _check_shares(shares: Floats | None, n_topics: int) -> None:
    if shares is not None and (
        shares.shape != (n_topics,) or not np.isfinite(shares).all() or (shares < 0).any()
    ):
        raise InputError(
            f"expected {n_topics} shares of topics, got {shares}; one number from 0 to 1 for each"
        )


def _check_card(card: Mapping[str, Any]) -> None:
    try:
        json.dumps(dict(card), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"expected a card of plain JSON values, got {error}; convert them") from None
