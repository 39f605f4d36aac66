"""The CGS privacy monitor (Zhao et al., IJCAI 2019, Algorithms 1 and 2): a diagnostic, not a guarantee.

The paper reads every draw of collapsed Gibbs sampling as an exponential mechanism, bounds how far its
probabilities move when a neighbor lacks one word (N = 1) or one document (N = the longest one's length), and
adds these bounds up over the iterations, token by token; the largest sum is "the privacy of LDA for free".

    printed    Algorithm 1: 2 max{xi_1, ..., xi_K, xi}; no xi_k is ever positive, and the 2 is not needed
    corrected  max_k max{-ln(1 - (1 - p_k) N_k / b_k), ln(1 + p_k N_k / (b_k - N_k))}, as Eq. 2 means, with
               b_k = n_k + V beta and N_k = min(N, n_k): a topic cannot lose more than it has

Neither bounds the privacy loss. Eq. 2 changes the sizes of topics and leaves out that a neighbor changes the
counts of the token's own word (n_k^t) and document (n_m^k) too; and the draws of all tokens read all words:
they compose one after the other and not in parallel. `exact_loss` computes what one draw loses in truth: it
can exceed what the monitor claims for the whole training.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus, require_words
from fedtopics.errors import InputError
from fedtopics.sampling import lda, monitored

COLUMNS = ("word printed", "word corrected", "document printed", "document corrected")
ALPHA, BETA = 0.1, 0.01
N_PAIRS = 200  # of equal words in one document, whose draws are looked at exactly
DIAGNOSTIC = (
    "a diagnostic, not a guarantee: it leaves out what a word changes in its own document and among its own "
    "kind, and adds up the draws of one token where those of all tokens compose"
)


@dataclass(frozen=True, eq=False)
class Monitored:
    """Training with its readings: epsilon after each iteration, shape (n_sweeps, 4), columns as COLUMNS."""

    readings: NDArray[np.float64]
    topics: NDArray[np.uint16]
    priors: lda.Priors

    def column(self, name: str) -> NDArray[np.float64]:
        """One column of the readings by its name."""
        return np.asarray(self.readings[:, COLUMNS.index(name)])


def monitor(corpus: Corpus, n_topics: int, *, n_sweeps: int = 300, seed: int = 0) -> Monitored:
    """Train LDA by collapsed Gibbs sampling and read the monitor after every iteration."""
    if not corpus.n_tokens or n_sweeps < 1:
        raise InputError(f"expected words and sweeps, got {corpus.n_tokens} words and {n_sweeps} sweeps")
    require_words(corpus.n_words)
    priors = lda.Priors.symmetric(n_topics, ALPHA, BETA)
    state = lda.start(corpus, n_topics, seed)
    losses = np.zeros((corpus.n_tokens, len(COLUMNS)), np.float32)
    readings = np.empty((n_sweeps, len(COLUMNS)))
    for sweep in range(n_sweeps):
        state, losses = monitored.sweep(corpus, state, priors, losses, seed=seed)
        readings[sweep] = losses.max(axis=0)
    return Monitored(readings, state.topics, priors)


def draw_probabilities(
    corpus: Corpus, topics: NDArray[Any], priors: lda.Priors, token: int, without: int | None = None
) -> NDArray[np.float64]:
    """The law that the topic of a token is drawn from; in the corpus without another token, where named."""
    others = np.ones(corpus.n_tokens, bool)
    others[[token] if without is None else [token, without]] = False
    same_word = others & (corpus.words == corpus.words[token])
    same_document = others & (corpus.docs == corpus.docs[token])
    n_kw, n_dk, n_k = (
        np.bincount(topics[chosen], minlength=priors.n_topics)
        for chosen in (same_word, same_document, others)
    )
    weights = (n_kw + priors.beta) / (n_k + corpus.n_words * priors.beta) * (n_dk + priors.alpha)
    return np.asarray(weights / weights.sum())


def exact_loss(corpus: Corpus, topics: NDArray[Any], priors: lda.Priors, token: int, without: int) -> float:
    """Privacy loss of one draw between the corpus and the one without another token: max |ln p'_k / p_k|."""
    here = draw_probabilities(corpus, topics, priors, token)
    there = draw_probabilities(corpus, topics, priors, token, without)
    return float(np.abs(np.log(there / here)).max())


def worst_loss(trained: Monitored, corpus: Corpus) -> float:
    """The largest exact loss of one draw among some pairs of equal words in one document."""
    order = np.lexsort((corpus.words, corpus.docs))
    words, docs = corpus.words[order], corpus.docs[order]
    pairs = np.flatnonzero((words[1:] == words[:-1]) & (docs[1:] == docs[:-1]))
    chosen = np.random.default_rng(0).permutation(pairs)[:N_PAIRS]
    losses = [
        exact_loss(corpus, trained.topics, trained.priors, int(order[at]), int(order[at + 1]))
        for at in chosen
    ]
    return max(losses, default=0.0)
