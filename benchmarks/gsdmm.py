"""GSDMM: collapsed Gibbs sampling of a mixture of unigrams, as a reference for short texts.

After J. Yin, J. Wang: A Dirichlet multinomial mixture model-based approach for short text clustering, KDD
2014: each document leaves its cluster and takes one by

    p(z = k) ~ (m_k + alpha) prod_w prod_{j=1..N_dw} (n_kw + beta + j - 1)
                             / prod_{i=1..N_d} (n_k + V beta + i - 1)

with m_k documents, n_k tokens, n_kw tokens of word w in cluster k, all without the document.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus


def clusters(
    corpus: Corpus, n_clusters: int, *, alpha: float = 0.1, beta: float = 0.1, n_sweeps: int = 15, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The cluster of each document after `n_sweeps`, and the tokens of each word in each cluster."""
    random = np.random.default_rng(seed)
    chosen = random.integers(0, n_clusters, corpus.n_docs)
    n_kw = np.zeros((corpus.n_words, n_clusters))
    np.add.at(n_kw, (corpus.words, chosen[corpus.docs]), 1)
    n_k, m_k = n_kw.sum(axis=0), np.bincount(chosen, minlength=n_clusters).astype(float)
    held = [corpus.words[start:end] for start, end in zip(corpus.offsets, corpus.offsets[1:], strict=False)]
    again = [_earlier(words) for words in held]
    for _ in range(n_sweeps):
        noise = random.gumbel(size=(corpus.n_docs, n_clusters))
        for document, words in enumerate(held):
            old = chosen[document]
            np.subtract.at(n_kw[:, old], words, 1)
            n_k[old] -= len(words)
            m_k[old] -= 1
            below = n_k + corpus.n_words * beta + np.arange(len(words))[:, None]
            above = n_kw[words] + (beta + again[document])[:, None]
            new = int(np.argmax(np.log(m_k + alpha) + np.log(above / below).sum(axis=0) + noise[document]))
            chosen[document] = new
            np.add.at(n_kw[:, new], words, 1)
            n_k[new] += len(words)
            m_k[new] += 1
    return chosen, n_kw


def _earlier(words: NDArray[np.int32]) -> NDArray[np.int64]:
    """How often each word of a document was there before."""
    return np.array([np.count_nonzero(words[:place] == word) for place, word in enumerate(words)], np.int64)
