"""Small corpora with known topics, and the formulas of the package in plain NumPy: oracles for many tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling.histograms import Histograms


def corpus_of(documents: list[list[int]], n_words: int) -> Corpus:
    """A corpus from word ids; word w reads `w<id>`."""
    lengths = [len(document) for document in documents]
    return Corpus(
        words=np.array([word for document in documents for word in document], np.int32),
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]),
        vocabulary=tuple(f"w{word}" for word in range(n_words)),
    )


def with_sentences(corpus: Corpus, length: int) -> Corpus:
    """The corpus with a sentence of every `length` tokens, of which each document has whole ones."""
    starts = np.arange(0, corpus.n_tokens + 1, length)
    return replace(corpus, sentence_offsets=starts, document_sentences=corpus.offsets // length)


def corpus_of_sentences(words: Sequence[int], lengths: Sequence[Sequence[int]], n_words: int) -> Corpus:
    """The words in documents whose sentences have these lengths."""
    return Corpus(
        words=np.array(words, np.int32),
        offsets=np.cumsum([0, *map(sum, lengths)]),
        vocabulary=tuple(f"w{word}" for word in range(n_words)),
        sentence_offsets=np.cumsum([0, *(length for document in lengths for length in document)]),
        document_sentences=np.cumsum([0, *map(len, lengths)]),
    )


def planted_topics(n_topics: int, words_per_topic: int, noise: float = 0.02) -> NDArray[np.float64]:
    """Topics that share no word but for some noise, shape (n_topics, n_topics * words_per_topic)."""
    n_words = n_topics * words_per_topic
    topics = np.full((n_topics, n_words), noise / n_words)
    words = np.arange(n_words)
    topics[words // words_per_topic, words] += (1 - noise) / words_per_topic
    return topics


def drawn_corpus(
    topics: NDArray[np.float64], n_docs: int, length: int, seed: int, alpha: float = 0.2
) -> Corpus:
    """Documents drawn by latent Dirichlet allocation."""
    rng = np.random.default_rng(seed)
    n_topics, n_words = topics.shape
    mixtures = rng.dirichlet(np.full(n_topics, alpha), n_docs) @ topics
    mixtures /= mixtures.sum(axis=1, keepdims=True)
    return corpus_of([list(rng.choice(n_words, length, p=mixture)) for mixture in mixtures], n_words)


def count_words(corpus: Corpus) -> Histograms:
    """The exact histogram of every document of a corpus."""
    keys, values = np.unique(corpus.docs.astype(np.int64) * corpus.n_words + corpus.words, return_counts=True)
    docs, words = np.divmod(keys, max(corpus.n_words, 1))
    offsets = np.searchsorted(docs, np.arange(corpus.n_docs + 1))
    return Histograms(offsets, words.astype(np.int32), values.astype(np.int32), corpus.n_words)


def fold_in_reference(
    corpus: Corpus, topics: NDArray[np.float64], alpha: NDArray[np.float64], n_iterations: int
) -> NDArray[np.float64]:
    """theta_k ~ alpha_k + sum_w n_w r_wk with r_wk = theta_k phi_kw / sum_k, from the uniform mixture."""
    mixtures = np.full((corpus.n_docs, len(topics)), 1.0 / len(topics))
    for doc, theta in enumerate(mixtures):
        phi = topics[:, corpus.words[corpus.offsets[doc] : corpus.offsets[doc + 1]]]
        for _ in range(n_iterations):
            joint = theta[:, None] * phi
            theta[:] = alpha + (joint / joint.sum(axis=0)).sum(axis=1)
            theta /= theta.sum()
    return mixtures
