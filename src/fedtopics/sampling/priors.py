"""Dirichlet priors of LDA, and their maximum-likelihood values given the topics of the tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fedtopics.corpus import Corpus
from fedtopics.sampling import _native, arguments, word_order
from fedtopics.sampling.state import State

DENSE = 1 << 22  # cells that are counted in place rather than sorted
SMALLEST = 1e-5  # a prior at zero would forbid a topic for ever


@dataclass(frozen=True, eq=False)
class Priors:
    """Dirichlet priors: `alpha` (K,) of a document's topics, `beta` of a topic's words."""

    alpha: NDArray[np.float64]
    beta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", arguments.positive_vector("alpha", self.alpha))
        object.__setattr__(self, "beta", arguments.positive_number("beta", self.beta))

    @classmethod
    def symmetric(cls, n_topics: int, alpha: float = 0.1, beta: float = 0.01) -> Priors:
        """Priors that favor no topic.

        >>> Priors.symmetric(3).alpha
        array([0.1, 0.1, 0.1])
        """
        return cls(np.full(arguments.topic_count(n_topics), arguments.positive_number("alpha", alpha)), beta)

    @property
    def n_topics(self) -> int:
        return len(self.alpha)


def optimize_alpha(corpus: Corpus, state: State, priors: Priors, *, n_iterations: int = 10) -> Priors:
    """The priors with `alpha` moved toward the most likely one, different for each topic.

    Minka's fixed point (Estimating a Dirichlet distribution, 2000, eq. 55), n_d tokens in document d:

        alpha *= (psi(n_dk + alpha) - psi(alpha)).sum(axis=0) / (psi(n_d + A) - psi(A)).sum(), A = alpha.sum()
    """
    from scipy.special import digamma

    arguments.check_state(corpus, state, priors.n_topics)
    arguments.natural_number("n_iterations", n_iterations)
    topics, counts, times = _histogram(corpus.offsets, None, state.topics, priors.n_topics)
    lengths, n_docs = np.unique(corpus.lengths, return_counts=True)
    alpha = priors.alpha
    for _ in range(n_iterations if corpus.n_tokens else 0):
        gains = times * (digamma(counts + alpha[topics]) - digamma(alpha[topics]))
        whole = n_docs @ (digamma(lengths + alpha.sum()) - digamma(alpha.sum()))
        alpha = np.maximum(alpha * np.bincount(topics, gains, priors.n_topics) / whole, SMALLEST)
    return replace(priors, alpha=alpha)


def optimize_beta(corpus: Corpus, state: State, priors: Priors, *, n_iterations: int = 10) -> Priors:
    """The priors with `beta` moved toward the most likely one, the same for every word.

    Minka's fixed point with all words tied:

        beta *= (psi(n_wk + beta) - psi(beta)).sum() / (V * (psi(n_k + V * beta) - psi(V * beta)).sum())
    """
    from scipy.special import digamma

    arguments.check_state(corpus, state, priors.n_topics)
    arguments.natural_number("n_iterations", n_iterations)
    by_word = word_order.of(corpus)
    _, counts, times = _histogram(
        by_word.offsets, by_word.order, state.topics[by_word.slots], priors.n_topics
    )
    totals = np.bincount(state.topics, minlength=priors.n_topics)
    beta, n_words = priors.beta, corpus.n_words
    for _ in range(n_iterations if corpus.n_tokens else 0):
        gain = times @ (digamma(counts + beta) - digamma(beta))
        whole = n_words * (digamma(totals + n_words * beta) - digamma(n_words * beta)).sum()
        beta = max(float(beta * gain / whole), SMALLEST)
    return replace(priors, beta=beta)


def _histogram(
    offsets: NDArray[np.int64], order: NDArray[np.int32] | None, topics: NDArray[np.uint16], n_topics: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Topic k, count n and the number of rows with n tokens in topic k, for all that occur with n > 0."""
    topic, count = np.empty(len(topics), np.uint16), np.empty(len(topics), np.int32)
    n_cells = _native.count_cells(offsets, order, topics, n_topics, topic, count)
    width = int(count[:n_cells].max(initial=0)) + 1
    cells = topic[:n_cells].astype(np.int64) * width + count[:n_cells]
    if n_topics * width <= DENSE:
        times = np.bincount(cells)
        distinct = np.flatnonzero(times)
        return distinct // width, distinct % width, times[distinct]
    distinct, times = np.unique(cells, return_counts=True)
    return distinct // width, distinct % width, times
