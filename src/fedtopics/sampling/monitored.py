"""Collapsed Gibbs sampling that adds up, token by token, what the CGS privacy monitor says of each draw.

With p_k the probabilities of a draw, b_k = n_k + V beta and N_k = min(N, n_k) what neighbors could take from
topic k (N = 1: a word; N = the longest document's length: a document), both without the token itself:

    printed    2 max_k ln(1 + p_k N_k / (b_k - N_k))
    corrected  max_k max{-ln(1 - (1 - p_k) N_k / b_k), ln(1 + p_k N_k / (b_k - N_k))}

`audit.gibbs_monitor` says what this is worth.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import _native, arguments, lda
from fedtopics.sampling.arguments import State
from fedtopics.sampling.priors import Priors

Losses: TypeAlias = NDArray[np.float32]


def sweep(
    corpus: Corpus, state: State, priors: Priors, losses: Losses, *, seed: int, n_sweeps: int = 1
) -> tuple[State, Losses]:
    """The state `lda.sweep` would give by gibbs, and the losses (n_tokens, 4) with those of its draws added.

    Columns: word as printed, word corrected, document as printed, document corrected.
    """
    arguments.check_corpus(corpus)
    arguments.check_state(corpus, state, priors.n_topics)
    topics, sums = state.topics.copy(), np.array(losses, np.float32)
    options = lda.for_kernel(corpus, state, priors, topics, seed=seed, n_sweeps=n_sweeps)
    _native.gibbs(**options, n_words=corpus.n_words, losses=sums)
    return State(topics, state.n_sweeps + n_sweeps), sums
