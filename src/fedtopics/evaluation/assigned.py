"""Which topic each word of the documents is in, by groups of documents: what topics say, and when.

A token of word w in document d is in topic k with chance r_dwk ~ theta_dk phi_kw. Of a group of documents,

    N_kw = sum over tokens of w in the group of r_dwk

With p the shares of words in a group's text of topic k, and q those in all text of it, the words with the
largest p_kw log(p_kw / q_kw), their parts in the divergence of p from q, tell what sets the group apart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus

Floats = NDArray[np.float64]
CELLS_AT_ONCE = 1 << 21
LEAST = 1.0  # expected tokens of a word, below which it says nothing


@dataclass(frozen=True, eq=False)
class Assigned:
    """The tokens of a `corpus` in topics.

    theta      mixtures of the documents, shape (n_docs, n_topics)
    topic_word (n_topics, n_words)
    group_of   number of the group of each document, of `n_groups`
    """

    corpus: Corpus
    theta: NDArray[np.float32]
    topic_word: Floats
    group_of: NDArray[np.int64]
    n_groups: int

    def by_group(self) -> Iterator[Floats]:
        """Expected tokens N of each topic and word (n_topics, n_words), group by group."""
        groups = self.group_of[self.corpus.docs]
        order = np.argsort(groups, kind="stable")
        bounds = np.searchsorted(groups[order], np.arange(self.n_groups + 1))
        for first, last in pairwise(bounds.tolist()):
            yield self._counts(order[first:last])

    def amounts(self, words: NDArray[np.int64]) -> Floats:
        """Expected tokens of some `words` together, of each group in each topic (n_groups, n_topics)."""
        found = np.zeros((self.n_groups, self.theta.shape[1]))
        tokens = np.flatnonzero(np.isin(self.corpus.words, words))
        for part in _parts(tokens, self.theta.shape[1]):
            np.add.at(found, self.group_of[self.corpus.docs[part]], self._chances(part))
        return found

    def sayings(self, n_words: int) -> list[list[list[int]]]:
        """The `n_words` words that set each group's text in each topic apart: by group, by topic."""
        total = np.zeros(self.topic_word.shape)
        for counts in self.by_group():
            total += counts
        usual = _shares(total)
        return [_apart(counts, usual, n_words) for counts in self.by_group()]

    def _counts(self, tokens: NDArray[np.int64]) -> Floats:
        from scipy.sparse import csr_array

        n_words, n_topics = self.topic_word.shape[1], self.theta.shape[1]
        found = np.zeros((n_words, n_topics))
        for part in _parts(tokens, n_topics):
            words = self.corpus.words[part]
            picked = csr_array((np.ones(len(part)), words, np.arange(len(part) + 1)), (len(part), n_words))
            found += picked.T @ self._chances(part)
        return found.T

    def _chances(self, tokens: NDArray[np.int64]) -> Floats:
        given = self.theta[self.corpus.docs[tokens]] * self.topic_word.T[self.corpus.words[tokens]]
        return np.asarray(given / np.maximum(given.sum(axis=1, keepdims=True), 1e-300))


def _parts(tokens: NDArray[np.int64], n_topics: int) -> list[NDArray[np.int64]]:
    """The `tokens` in stretches of which none takes much memory."""
    most = max(CELLS_AT_ONCE // n_topics, 1)
    return [tokens[start : start + most] for start in range(0, len(tokens), most)]


def _shares(counts: Floats) -> Floats:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300))


def _apart(counts: Floats, usual: Floats, n_words: int) -> list[list[int]]:
    """Words of each topic by p log(p / q), as many as are above zero and have an expected token at least."""
    own = _shares(counts)
    scores = own * np.log(np.maximum(own, 1e-300) / np.maximum(usual, 1e-300))
    scores[(counts < LEAST) | (scores <= 0)] = -np.inf
    order = np.argsort(-scores, axis=1, kind="stable")[:, :n_words]
    return [
        [int(word) for word in words if scores[topic, word] > -np.inf] for topic, words in enumerate(order)
    ]
