"""Plain LDA on one corpus, from the first sweep to topics: what `fedtopics.LDA` and the choice of K run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.corpus import Corpus
from fedtopics.sampling import lda
from fedtopics.sampling.guidance import Guidance

N_SAMPLES = 10


@dataclass(frozen=True, eq=False)
class Trained:
    """What sampling found.

    word_topic  tokens of each word in each topic, mean of the last sweeps, shape (n_words, n_topics)
    priors      those given, or optimized
    """

    word_topic: NDArray[np.float64]
    priors: lda.Priors


def train(
    corpus: Corpus,
    priors: lda.Priors,
    *,
    seed: int,
    n_sweeps: int,
    sampler: str = "auto",
    n_threads: int = 1,
    others: ArrayLike | None = None,
    weights: NDArray[np.float64] | None = None,
    guidance: Guidance | None = None,
    on_sweep: Callable[[], None] = lambda: None,
) -> Trained:
    """Topics of a corpus after `n_sweeps` sweeps (arguments as those of `lda.sweep`).

    The mean over the last sweeps predicts better than the last sweep alone: 1 to 2 % lower perplexity on KOS.
    """
    state = lda.start(corpus, priors.n_topics, seed)
    if guidance is not None:
        state = guidance.applied(corpus, state)
        size = corpus.n_tokens if weights is None else float(weights.sum())
        seeds = guidance.pseudo_counts(priors.n_topics, size)
        others = seeds if others is None else np.add(others, seeds)
    n_samples = max(1, min(N_SAMPLES, n_sweeps // N_SAMPLES))
    total = np.zeros((corpus.n_words, priors.n_topics))
    for number in range(n_sweeps):
        state = lda.sweep(
            corpus,
            state,
            priors,
            seed=seed,
            sampler=sampler,
            n_threads=n_threads,
            others=others,
            weights=weights,
        )
        if guidance is not None:
            state = guidance.applied(corpus, state)
        if number >= n_sweeps - n_samples:
            total += word_topic(corpus, state.topics, priors.n_topics, weights)
        on_sweep()
    return Trained(total / n_samples, priors)


def word_topic(
    corpus: Corpus, topics: NDArray[np.uint16], n_topics: int, weights: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Weight of the tokens of each word in each topic, shape (n_words, n_topics)."""
    if weights is None:
        return lda.word_topic_counts(corpus, topics, n_topics).astype(np.float64)
    cells = corpus.words.astype(np.int64) * n_topics + topics
    sums = np.bincount(cells, weights, corpus.n_words * n_topics).astype(np.float64)
    return sums.reshape(corpus.n_words, n_topics)
