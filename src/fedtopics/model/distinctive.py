"""Which words set a topic apart, and which are everywhere: from a released model, at no cost in privacy.

The most probable words of topics are often the same few. With phi the topics, w their shares, q = w phi the
frequency of each word and K topics, a word is ranked by class-based TF-IDF

    sqrt(phi_kw - min_v phi_kv) log(1 + 1 / (K q_w))

(M. Grootendorst, BERTopic, 2022, with its square root that lowers frequent words): frequent in the topic and
rare elsewhere. What smoothing gave to every word of a topic alike does not count. Of lift, FREX, relevance
and others it was best on three corpora (docs/how-to/model.md). Topics stay as they are.

The background is what all topics have in common: the geometric mean of their words by share.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

Floats: TypeAlias = NDArray[np.float64]
ORDERS = ("distinctive", "probable")
SMALLEST = 1e-300


def ranked(topic_word: Floats, shares: Floats, by: str) -> NDArray[np.int64]:
    """Ids of the words of each topic (n_topics, n_words), `by` one of ORDERS; equals go by probability, id.

    >>> topics = np.array([[0.6, 0.3, 0.1, 0.0], [0.6, 0.0, 0.1, 0.3]])
    >>> ranked(topics, np.array([0.5, 0.5]), "distinctive")[:, 0].tolist()
    [1, 3]
    """
    if by not in ORDERS:
        raise InputError(f"expected words by {' or '.join(ORDERS)}, got {quoted(by)}")
    probable = np.argsort(-topic_word, axis=1, kind="stable")
    if by == "probable":
        return probable.astype(np.int64)
    scores = np.take_along_axis(distinctiveness(topic_word, shares), probable, axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.take_along_axis(probable, order, axis=1).astype(np.int64)


def first(order: NDArray[np.int64], chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those `chosen` of each topic, then the other words of the `order`.

    >>> first(np.array([[0, 1, 2, 3]]), np.array([[3, 1]])).tolist()
    [[3, 1, 0, 2]]
    """
    is_chosen = np.zeros(order.shape, np.bool_)
    np.put_along_axis(is_chosen, chosen, True, axis=1)
    others = order[~np.take_along_axis(is_chosen, order, axis=1)]
    return np.hstack([chosen, others.reshape(len(order), -1)])


def distinctiveness(topic_word: Floats, shares: Floats) -> Floats:
    """How much each word sets each topic apart, from 0 up, shape (n_topics, n_words)."""
    own = np.sqrt(topic_word - topic_word.min(axis=1, keepdims=True))
    frequency = np.maximum(shares @ topic_word, SMALLEST)
    return np.asarray(own * np.log1p(1 / (len(topic_word) * frequency)))


def background(topic_word: Floats, shares: Floats) -> Floats:
    """What all topics have in common, as probabilities of words, shape (n_words,).

    >>> background(np.array([[0.6, 0.4, 0.0], [0.6, 0.0, 0.4]]), np.array([0.5, 0.5])).round(3).tolist()
    [1.0, 0.0, 0.0]
    """
    weights = shares / max(float(shares.sum()), SMALLEST) if shares.any() else np.full(len(shares), 1.0)
    mean = np.exp(weights @ np.log(np.maximum(topic_word, SMALLEST)))
    total = float(mean.sum())
    return np.asarray(mean / total if total > 0 else np.full(len(mean), 1 / len(mean)))
