"""Words that stand together: which of a topic's words are in the same documents, from released histograms.

    server, before the last round:   tell the N_CANDIDATES words that set each topic apart most
    party, in the last round:        send in how many of its noisy histograms each two of them are
    server:                          take the noise off, compute NPMI of each two, and of each topic drop the
                                     word that goes least with the others until N_KEPT are left

With a the ratio of the noise, a word that is there once survives with s = 1 / (1 + a), one that is not with
f = a / (1 + a); shares x of histograms with a word, or both, give p_i = (x_i - f) / (s - f) and
p_ij = (x_ij - s f (p_i + p_j) - f^2 (1 - p_i - p_j)) / (s - f)^2. A word of place j counts 1 / sqrt(j) among
the others, so that a topic is not taken for its neighbor. Those that are left are shown by the sum of two
places: by how far they set the topic apart, and by how well they go with the others. Words of different
languages ("de:steuer") are in no document together, whatever they mean: their NPMI says nothing and counts 0;
that of one language is among its own histograms, of which there are as many as its share of all counts.
Topics stay as they are: these words are shown first. Histograms are released already, so this is free.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.model.distinctive import ranked
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays
from fedtopics.sampling.histograms import Histograms

N_CANDIDATES, N_KEPT = 20, 10
CANDIDATES, PAIRS, N_PAIRED = "candidates", "pairs", "n_paired"
SMALLEST = 1e-12


def asked(counts: NDArray[Any], beta: float) -> Arrays:
    """[server] The words to be told, of counts (n_words, n_topics)."""
    smooth = np.asarray(counts, np.float64).T + beta
    sizes = smooth.sum(axis=1)
    order = ranked(smooth / sizes[:, None], sizes / sizes.sum(), "distinctive")
    return {CANDIDATES: order[:, :N_CANDIDATES].astype(np.int32)}


def form(n_words: int, n_topics: int) -> Form:
    """The form of them."""
    return {CANDIDATES: Numbers("int32", (n_topics, min(N_CANDIDATES, n_words)), most=n_words - 1)}


def counted(histograms: Histograms, candidates: NDArray[Any]) -> Arrays:
    """[party] In how many histograms each two candidates of a topic are, and how many there are."""
    from scipy.sparse import csr_array

    shape = (histograms.n_docs, histograms.n_words)
    present = csr_array(
        (np.ones(len(histograms.words), np.float32), histograms.words, histograms.offsets), shape
    )
    by_word = present.tocsc()
    pairs = np.zeros((*candidates.shape, candidates.shape[1]))
    for topic, words in enumerate(candidates):
        own = by_word[:, words]
        pairs[topic] = (own.T @ own).toarray()
    return {PAIRS: pairs, N_PAIRED: np.array(float(histograms.n_docs))}


def noted(state: Arrays, total: Arrays) -> Arrays:
    """[server] What is kept of the last round."""
    return (
        {CANDIDATES: state[CANDIDATES], PAIRS: total[PAIRS], N_PAIRED: total[N_PAIRED]}
        if PAIRS in total
        else {}
    )


def chosen(state: Arrays, decay: float, vocabulary: Sequence[str]) -> NDArray[np.int64] | None:
    """[server] Of each topic the words that go together, in the order to be shown, once it is known."""
    if PAIRS not in state:
        return None
    n_docs, languages = max(float(state[N_PAIRED]), 1.0), Languages.of(vocabulary, state["counts"])
    kept = [
        words[_together(pairs / n_docs, decay, languages.select(words))]
        for words, pairs in zip(state[CANDIDATES], state[PAIRS], strict=True)
    ]
    return np.asarray(kept, np.int64)


@dataclass(frozen=True)
class Languages:
    """The language of each word, as a number, and what share of all text is in it."""

    numbers: NDArray[np.int64]
    shares: NDArray[np.float64]

    @classmethod
    def of(cls, vocabulary: Sequence[str], counts: NDArray[Any]) -> "Languages":
        """Of all words, by counts (n_words, n_topics)."""
        _, numbers = np.unique([word.rpartition(":")[0] for word in vocabulary], return_inverse=True)
        amounts = np.maximum(np.bincount(numbers, counts.sum(axis=1)), SMALLEST)
        return cls(numbers, (amounts / amounts.sum())[numbers])

    def select(self, words: NDArray[Any]) -> "Languages":
        """Of these words alone."""
        return Languages(self.numbers[words], self.shares[words])


def _together(seen: NDArray[np.float64], a: float, languages: Languages) -> NDArray[np.int64]:
    """Places of the words to be shown, in order, given shares of noisy histograms with each two."""
    s, f = 1 / (1 + a), a / (1 + a)
    single = np.clip((np.diag(seen) - f) / (s - f), SMALLEST, 1) if s > f else np.diag(seen) + SMALLEST
    either = single[:, None] + single
    joint = (seen - s * f * either - f * f * (1 - either)) / max((s - f) ** 2, SMALLEST)
    joint = np.clip(joint, SMALLEST, np.minimum(single[:, None], single)) / languages.shares
    single = single / languages.shares
    npmi = np.log(joint / np.outer(single, single)) / -np.log(np.minimum(joint, 1 - SMALLEST))
    np.fill_diagonal(npmi, 0.0)
    npmi[languages.numbers[:, None] != languages.numbers] = 0.0
    weights = 1 / np.sqrt(1.0 + np.arange(len(npmi)))
    left = list(range(len(npmi)))
    while len(left) > N_KEPT:
        left.pop(int(np.argmin(npmi[np.ix_(left, left)] @ weights[left])))
    fit = np.argsort(np.argsort(-(npmi[np.ix_(left, left)] @ weights[left]), kind="stable"))
    return np.array(left, np.int64)[np.argsort(fit + np.arange(len(left)), kind="stable")]
