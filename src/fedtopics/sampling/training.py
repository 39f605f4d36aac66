"""Plain LDA on one corpus, from the first sweep to topics: what `fedtopics.LDA` and the choice of K run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import lda
from fedtopics.sampling.guidance import Guidance

N_SAMPLES = 10  # last sweeps that the result is the mean of
SWEEPS_AT_ONCE = 10  # sweeps between two looks at the priors


@dataclass(frozen=True)
class Schedule:
    """How to train: sweeps over all tokens, the sampler, threads, and which priors to fit to the data."""

    n_sweeps: int = 200
    sampler: str = "auto"
    n_threads: int = 1
    optimize_alpha: bool = False
    optimize_beta: bool = False


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
    schedule: Schedule,
    *,
    seed: int,
    others: NDArray[np.float64] | None = None,
    weights: NDArray[np.float64] | None = None,
    guidance: Guidance | None = None,
    on_sweeps: Callable[[int], None] = lambda _: None,
) -> Trained:
    """Topics of a corpus; `others` and `weights` are those of `lda.sweep`, `on_sweeps` hears of sweeps done.

    The mean over the last sweeps predicts better than the last sweep alone: 1 to 2 % lower perplexity on KOS.
    """
    if priors.n_topics == 1:  # nothing to choose
        return Trained(word_topic(corpus, np.zeros(corpus.n_tokens, np.uint16), 1, weights), priors)
    state = lda.start(corpus, priors.n_topics, seed)
    if guidance is not None:
        state = guidance.applied(corpus, state)
        size = corpus.n_tokens if weights is None else float(weights.sum())
        seeds = guidance.pseudo_counts(priors.n_topics, size)
        others = seeds if others is None else others + seeds
    n_samples = max(1, min(N_SAMPLES, schedule.n_sweeps // N_SAMPLES))
    total = np.zeros((corpus.n_words, priors.n_topics))
    options: dict[str, Any] = {
        "sampler": schedule.sampler,
        "n_threads": schedule.n_threads,
        "others": others,
        "weights": weights,
    }
    for n_sweeps, is_sample in _steps(schedule.n_sweeps, n_samples, one_by_one=guidance is not None):
        state = lda.sweep(corpus, state, priors, seed=seed, n_sweeps=n_sweeps, **options)
        if guidance is not None:
            state = guidance.applied(corpus, state)
        if is_sample:
            total += word_topic(corpus, state.topics, priors.n_topics, weights)
        elif state.n_sweeps % SWEEPS_AT_ONCE == 0:
            priors = _optimized(corpus, state, priors, schedule)
        on_sweeps(n_sweeps)
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


def _steps(n_sweeps: int, n_samples: int, *, one_by_one: bool) -> Iterator[tuple[int, bool]]:
    """Numbers of sweeps to make at once, and whether the state after them is a sample."""
    left, at_once = n_sweeps - n_samples, 1 if one_by_one else SWEEPS_AT_ONCE
    for start in range(0, left, at_once):
        yield min(at_once, left - start), False
    for _ in range(n_samples):
        yield 1, True


def _optimized(corpus: Corpus, state: lda.State, priors: lda.Priors, schedule: Schedule) -> lda.Priors:
    if schedule.optimize_alpha:
        priors = lda.optimize_alpha(corpus, state, priors, n_threads=schedule.n_threads)
    if schedule.optimize_beta:
        priors = lda.optimize_beta(corpus, state, priors, n_threads=schedule.n_threads)
    return priors
