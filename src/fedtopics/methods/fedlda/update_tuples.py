"""FedLDA's update tuples: which of a user's tokens are sent in a round, and what the server counts.

A user is a document. Its tuples (word, topic before, topic now) are padded to M with dummies, whose word is
one more symbol, and l of the M are drawn. `before` is the topic last *reported* of a token, n_topics where
there was none. A dummy carries the topics of random tokens of its document, so that its topics do not show
what it is. Everything here is the raw material: words have yet to go through a channel.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.mechanisms.bounds import cut

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tuples:
    """One round's tuples, shape (n_users, l) each; the word n_words is a dummy's. `tokens` -1: a dummy."""

    words: NDArray[np.int32]
    before: NDArray[np.uint16]
    now: NDArray[np.uint16]
    tokens: Ints


def first_tokens(corpus: Corpus, most: int) -> Corpus:
    """The first `most` tokens of each document."""
    if corpus.lengths.max(initial=0) <= most:
        return corpus
    words, offsets = cut(corpus.words, corpus.offsets, most, warn=False)
    return replace(corpus, words=words, offsets=offsets, sentence_offsets=None, document_sentences=None)


def drawn(
    corpus: Corpus,
    topics: NDArray[np.uint16],
    reported: NDArray[np.uint16],
    sizes: tuple[int, int],
    generator: np.random.Generator,
    *,
    only_changes: bool,
) -> Tuples:
    """l of M tuples of every user, (l, M) being `sizes`: of all tokens, or of those whose topic changed."""
    n_sent, n_slots = sizes
    slots = np.full((corpus.n_docs, n_slots), -1, np.int64)
    tokens = np.flatnonzero(topics != reported) if only_changes else np.arange(corpus.n_tokens)
    docs = corpus.docs[tokens]
    first = np.searchsorted(docs, np.arange(corpus.n_docs))
    slots[docs, np.arange(len(tokens)) - first[docs]] = tokens
    if n_sent < n_slots:
        keys = generator.random(slots.shape, dtype=np.float32)
        slots = np.take_along_axis(slots, np.argpartition(keys, n_sent - 1, axis=1)[:, :n_sent], axis=1)
    real = slots >= 0
    words = np.full(slots.shape, corpus.n_words, np.int32)
    words[real] = corpus.words[slots[real]]
    before, now = (_lent(labels, corpus, slots, generator) for labels in (reported, topics))
    return Tuples(words, before, now, slots)


def _lent(
    labels: NDArray[np.uint16], corpus: Corpus, slots: Ints, generator: np.random.Generator
) -> NDArray[np.uint16]:
    """The labels of the tokens in the slots; a dummy borrows that of a random token of its document."""
    users, places = np.nonzero(slots < 0)
    lengths = corpus.lengths[users]
    borrowed = corpus.offsets[users] + (generator.random(len(users)) * lengths).astype(np.int64)
    tokens = slots.copy()
    tokens[users, places] = np.where(lengths > 0, borrowed, len(labels))
    return np.append(labels, np.uint16(0))[tokens]  # topic 0 where there is no token to borrow from


def mixtures(corpus: Corpus, topics: NDArray[np.uint16], n_topics: int, alpha: float) -> NDArray[np.float64]:
    """Topic mixture of every user, n_ik + alpha in proportion."""
    cells = corpus.docs.astype(np.int64) * n_topics + topics
    counts = np.bincount(cells, minlength=corpus.n_docs * n_topics).reshape(-1, n_topics) + alpha
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def counted(words: NDArray[Any], topics: NDArray[Any], n_symbols: int, n_topics: int) -> NDArray[np.float64]:
    """How often each symbol came with each topic, shape (n_topics, n_symbols); a topic beyond is none."""
    known = topics < n_topics
    cells = topics[known].astype(np.int64) * n_symbols + words[known]
    return np.bincount(cells, minlength=n_topics * n_symbols).reshape(n_topics, n_symbols).astype(np.float64)
