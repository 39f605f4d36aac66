"""What makes numbers and words a topic model: each broken rule is an error of one line."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import one_line, quoted
from fedtopics.documents.text.words import check_words
from fedtopics.errors import InputError


def check(
    topic_word: NDArray[np.float64],
    alpha: NDArray[np.float64],
    vocabulary: tuple[str, ...],
    labels: tuple[str, ...] | None,
    topic_shares: NDArray[np.float64] | None,
    language: str | None,
) -> None:
    """Refuse what is no topic model (the parts are those of `fedtopics.model.TopicModel`)."""
    _check_topics(topic_word, vocabulary)
    n_topics = len(topic_word)
    if alpha.shape != (n_topics,) or not np.isfinite(alpha).all() or (alpha <= 0).any():
        raise InputError(f"expected {n_topics} positive numbers as alpha, got {alpha}; give one a topic")
    if labels is not None and (len(labels) != n_topics or not _are_texts(labels)):
        raise InputError(
            f"expected {n_topics} texts as labels, got {len(labels)} values; to name some, give a mapping"
        )
    if labels is not None and any(one_line(label) != label for label in labels):
        raise InputError("expected labels that can be printed, got others; leave out control characters")
    if topic_shares is not None and not _are_shares(topic_shares, n_topics):
        raise InputError(f"expected {n_topics} shares of topics, got {topic_shares}; give one a topic")
    if language is not None and not _are_texts((language,)):
        raise InputError(
            f"expected the code of a language, or None, got {quoted(language)}; for example 'en'"
        )


def check_amount(n_tokens: object) -> None:
    """Refuse what is no number of tokens, nor None."""
    known = isinstance(n_tokens, int | float) and not isinstance(n_tokens, bool)
    if n_tokens is not None and not (known and 0 < float(n_tokens) < np.inf):  # type: ignore[arg-type]
        raise InputError(f"expected the number of tokens behind the topics, or None, got {quoted(n_tokens)}")


def checked_company(company: object, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Ids of words of each topic as whole numbers that cannot be written to, if they are that."""
    found = np.asarray(company)
    n_topics, n_words = shape
    fits = found.ndim == 2 and len(found) == n_topics and np.isin(found, np.arange(n_words)).all()
    if not fits or any(len(set(row)) < len(row) for row in found.tolist()):
        raise InputError(
            f"expected different words of {n_topics} topics as company, got others; leave it out"
        )
    ids = found.astype(np.int64)
    ids.flags.writeable = False
    return ids


def _check_topics(topic_word: NDArray[np.float64], vocabulary: tuple[str, ...]) -> None:
    n_words = len(vocabulary)
    if topic_word.ndim != 2 or not topic_word.size or topic_word.shape[1] != n_words:
        raise InputError(
            f"expected topic_word of shape (n_topics, {n_words}), got {topic_word.shape}; match the words"
        )
    if not np.isfinite(topic_word).all() or (topic_word < 0).any():
        raise InputError("expected probabilities in topic_word, got others; numbers from 0 to 1 are")
    if not np.allclose(topic_word.sum(axis=1), 1.0, atol=1e-6):
        raise InputError("expected probabilities in topic_word, got others; divide each row by its sum")
    check_words(vocabulary, "the vocabulary")
    if len(set(vocabulary)) != n_words:
        raise InputError("expected a vocabulary of different words, got a repeat; remove it")


def _are_texts(values: tuple[str, ...]) -> bool:
    return all(isinstance(value, str) for value in values)


def _are_shares(shares: NDArray[np.float64], n_topics: int) -> bool:
    return shares.shape == (n_topics,) and bool(np.isfinite(shares).all() and (shares >= 0).all())


def plain_copy(card: Mapping[str, Any]) -> dict[str, Any]:
    """A model card as it reads after saving and loading; refuses what JSON cannot hold."""
    if not isinstance(card, Mapping):
        raise InputError(f"expected a card of names and values, got {type(card).__name__}; give a mapping")
    try:
        return dict(json.loads(json.dumps(dict(card), allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"expected a card of plain JSON values, got {error}; convert them") from None
