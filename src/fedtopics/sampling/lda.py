"""Latent Dirichlet allocation by sampling: the one face of the native kernels.

`start` makes a state, `sweep` returns the next one, `word_topic_counts` reads a model off it, and `fold_in`
gives the topic mixtures of new documents. Notation: z topic of a token, n_dk tokens of document d in topic k,
n_wk tokens of word w in topic k, n_k tokens in topic k, V words, K topics.

Random numbers are addressed by (seed, sweep, row): the same seed gives the same bits whatever the number of
threads and whatever the instruction set. The environment variable FEDTOPICS_ISA (plain, avx2, avx512) forces
an instruction set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.corpus import Corpus
from fedtopics.sampling import _native, arguments

SAMPLERS = ("auto", "gibbs", "warp", "metropolis")


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
        return cls(np.full(arguments.topic_count(n_topics), float(alpha)), beta)

    @property
    def n_topics(self) -> int:
        return len(self.alpha)


@dataclass(frozen=True, eq=False)
class State:
    """The topic of each token, shape (n_tokens,), after `n_sweeps` sweeps."""

    topics: NDArray[np.uint16]
    n_sweeps: int


def start(corpus: Corpus, n_topics: int, seed: int) -> State:
    """Every token in a topic drawn uniformly."""
    arguments.check_corpus(corpus)
    topics = np.empty(corpus.n_tokens, np.uint16)
    _native.start(topics, corpus.offsets, arguments.topic_count(n_topics), arguments.seed_number(seed))
    return State(topics, 0)


def sweep(
    corpus: Corpus,
    state: State,
    priors: Priors,
    *,
    seed: int,
    n_sweeps: int = 1,
    sampler: str = "auto",
    n_threads: int = 1,
    others: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> State:
    """The state after `n_sweeps` more sweeps; the given one is left as it was.

    others    word-topic counts (V, K) added to our own and left unchanged
    weights   how much each token counts, shape (n_tokens,); 1 by default
    """
    arguments.check_corpus(corpus)
    arguments.check_topics("state.topics", state.topics, corpus, priors.n_topics)
    arguments.one_of("sampler", sampler, SAMPLERS)
    topics = state.topics.copy()
    _native.gibbs(
        corpus.words,
        corpus.offsets,
        corpus.n_words,
        topics,
        priors.alpha,
        priors.beta,
        arguments.other_counts(others, corpus.n_words, priors.n_topics),
        arguments.token_weights(weights, corpus.n_tokens),
        arguments.seed_number(seed),
        state.n_sweeps,
        arguments.natural_number("n_sweeps", n_sweeps),
    )
    return State(topics, state.n_sweeps + n_sweeps)


def word_topic_counts(corpus: Corpus, topics: NDArray[np.uint16], n_topics: int) -> NDArray[np.int32]:
    """Tokens of each word in each topic, shape (V, K).

    Equals `np.add.at(np.zeros((V, K), np.int32), (corpus.words, topics), 1)`.
    """
    arguments.check_corpus(corpus)
    arguments.check_topics("topics", topics, corpus, n_topics)
    counts = np.zeros((corpus.n_words, n_topics), np.int32)
    _native.word_topic_counts(corpus.words, topics, counts)
    return counts


def fold_in(
    corpus: Corpus,
    topic_word: ArrayLike,
    alpha: ArrayLike,
    *,
    n_iterations: int = 40,
    n_threads: int = 1,
) -> NDArray[np.float32]:
    """Topic mixtures (n_docs, K) of the documents given the topics (K, V); nothing is random.

    Every document starts uniform and repeats, with n_w the count of word w,

        theta = alpha + sum(n_w * theta * phi[:, w] / (theta @ phi[:, w]) for w in document)
        theta /= theta.sum()
    """
    arguments.check_corpus(corpus)
    alpha = arguments.positive_vector("alpha", alpha)
    topic_word = arguments.topic_word_matrix(topic_word, len(alpha), corpus.n_words)
    theta = np.empty((corpus.n_docs, len(alpha)), np.float32)
    n_iterations = arguments.natural_number("n_iterations", n_iterations, least=1)
    n_threads = arguments.natural_number("n_threads", n_threads, least=1)
    _native.fold_in(corpus.words, corpus.offsets, topic_word, alpha, n_iterations, n_threads, theta)
    return theta
