"""LDA on words of which some are noise: plain LDA plus one fixed, uniform background topic.

A word v of a document with topics theta was seen with probability ~ sum_k theta_k (phi_kv + background), the
`background` being the weight of uniform noise against that of a true word. So its topic is drawn from

    k       with probability  ~  (n_dk + alpha_k) (n_kv + others_kv + beta) / (n_k + ...)
    none    with probability  ~  background * sum_k (n_dk + alpha_k)

by collapsed Gibbs sampling; a word of topic `none` (numbered n_topics) counts nowhere. Notation as in `lda`.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.sampling import _native, arguments, lda
from fedtopics.sampling.arguments import State
from fedtopics.sampling.priors import Priors


def sweep(
    corpus: Corpus,
    state: State,
    priors: Priors,
    *,
    background: float,
    seed: int,
    n_sweeps: int = 1,
    others: ArrayLike | None = None,
) -> State:
    """The state after `n_sweeps` more sweeps; `others` are counts (V, K) added to our own."""
    if not (np.isfinite(background) and background >= 0):
        raise InputError(f"background must be a finite number of at least 0, got {background}")
    arguments.check_corpus(corpus)
    arguments.check_state(corpus, state, priors.n_topics + 1)
    topics = state.topics.copy()
    options = lda.for_kernel(corpus, state, priors, topics, seed=seed, n_sweeps=n_sweeps, others=others)
    _native.gibbs(**options, n_words=corpus.n_words, background=background)
    return State(topics, state.n_sweeps + n_sweeps)


def word_topic_counts(corpus: Corpus, topics: NDArray[np.uint16], n_topics: int) -> NDArray[np.int32]:
    """True words of each kind in each topic, shape (V, K)."""
    true = topics < n_topics
    cells = corpus.words[true].astype(np.int64) * n_topics + topics[true]
    counts = np.bincount(cells, minlength=corpus.n_words * n_topics).astype(np.int32)
    return counts.reshape(corpus.n_words, n_topics)
