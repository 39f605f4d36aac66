"""Dirichlet priors of LDA, and their maximum-likelihood values given the topics of the tokens."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents import mapped
from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import _native, arguments, word_order
from fedtopics.sampling.arguments import State


@dataclass(frozen=True, eq=False)
class Priors:
    """Dirichlet priors: `alpha` (K,) of a document's topics, `beta` of a topic's words."""

    alpha: NDArray[np.float64]
    beta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", arguments.positive_vector("alpha", self.alpha))
        object.__setattr__(self, "beta", arguments.positive_number("beta", self.beta))

    @classmethod
    def symmetric(cls, n_topics: int, alpha: float = 0.1, beta: float = 0.01) -> "Priors":
        """Priors that favor no topic.

        >>> Priors.symmetric(3).alpha
        array([0.1, 0.1, 0.1])
        """
        return cls(np.full(arguments.topic_count(n_topics), arguments.positive_number("alpha", alpha)), beta)

    @property
    def n_topics(self) -> int:
        return len(self.alpha)


def optimize_alpha(
    corpus: Corpus, state: State, priors: Priors, *, n_iterations: int = 10, n_threads: int = 1
) -> Priors:
    """The priors with `alpha` moved toward the most likely one, different for each topic.

    Minka's fixed point (Estimating a Dirichlet distribution, 2000, eq. 55), n_d tokens in document d:

        alpha *= (psi(n_dk + alpha) - psi(alpha)).sum(axis=0) / (psi(n_d + A) - psi(A)).sum(), A = alpha.sum()

    No alpha falls below 1e-5. The number of threads changes nothing.
    """
    arguments.check_state(corpus, state, priors.n_topics)
    alpha = priors.alpha.copy()
    n_iterations = arguments.natural_number("n_iterations", n_iterations)
    n_threads = arguments.natural_number("n_threads", n_threads, least=1)
    _native.optimize_alpha(corpus.words, corpus.offsets, state.topics, alpha, n_iterations, n_threads)
    return replace(priors, alpha=alpha)


def optimize_beta(
    corpus: Corpus, state: State, priors: Priors, *, n_iterations: int = 10, n_threads: int = 1
) -> Priors:
    """The priors with `beta` moved toward the most likely one, the same for every word.

    Minka's fixed point with all words tied:

        beta *= (psi(n_wk + beta) - psi(beta)).sum() / (V * (psi(n_k + V * beta) - psi(V * beta)).sum())
    """
    arguments.check_state(corpus, state, priors.n_topics)
    by_word = word_order.of(corpus)
    beta = _native.optimize_beta(
        corpus.words,
        corpus.offsets,
        by_word.offsets,
        by_word.order,
        by_word.slots,
        state.topics,
        priors.n_topics,
        priors.beta,
        arguments.natural_number("n_iterations", n_iterations),
        arguments.natural_number("n_threads", n_threads, least=1),
    )
    mapped.forget(by_word.order, by_word.slots)
    return replace(priors, beta=beta)
