"""LDA with noise in the last sweep of exact Gibbs sampling alone: the document-level private LDA of FDPTM.

N. Manzonelli, W. Zhang, S. Vadhan, Membership inference attacks and privacy in topic modeling, TMLR 2024
(FDPTM, "fully differentially private topic modeling", with the LDA of T. Zhu, G. Li, W. Zhou, P. Xiong, C.
Yuan, Privacy-preserving topic model for tagging recommender systems, KAIS 46, 2016), as its public code does:

    n_sweeps of collapsed Gibbs sampling, without noise
    one more sweep, in which the topic of every token is drawn by noisy counts,
        (n_kw + eta + beta) / (n_k - eta + V beta) (n_dk + eta' + alpha) / (n_d - eta' + K alpha),
        eta, eta' ~ Laplace(2 / epsilon), anew for every token
    phi_kw = (n_kw + beta) / (n_k + V beta), from the counts as they are then

Noise decides in which topic a token is counted, not whether: the sum of n_kw over the topics is the exact
number of tokens of w. So a document with a word that nobody else uses is seen in phi for certain, and no
epsilon holds; drawing words privately before (as FDPTM does) changes nothing for a word that was drawn.
Weights below zero, which noise makes, count as zero here.
"""

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit.guesses import Scored
from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import lda

N_TOPICS, ALPHA, BETA = 3, 0.1, 0.05
N_CANARIES = 20  # documents, each with a word of its own
COMMON = 6  # words that all use, the first of the vocabulary
UNUSED = 1  # word of the public list that nobody uses, the last


def trained(corpus: Corpus, epsilon: float, n_sweeps: int, seed: int) -> NDArray[np.float64]:
    """phi (n_topics, n_words)."""
    state = lda.start(corpus, N_TOPICS, seed)
    priors = lda.Priors.symmetric(N_TOPICS, ALPHA, BETA)
    topics = lda.sweep(corpus, state, priors, seed=seed, n_sweeps=n_sweeps, sampler="gibbs").topics.copy()
    n_kw = lda.word_topic_counts(corpus, topics, N_TOPICS).T.astype(np.float64)
    n_dk = np.zeros((corpus.n_docs, N_TOPICS))
    np.add.at(n_dk, (corpus.docs, topics), 1)
    rng = np.random.default_rng(seed)
    for token, (word, document) in enumerate(zip(corpus.words, corpus.docs, strict=True)):
        n_kw[topics[token], word] -= 1
        n_dk[document, topics[token]] -= 1
        noise, other = rng.laplace(0, 2 / epsilon, 2)
        by_word = (n_kw[:, word] + noise + BETA) / (n_kw.sum(axis=1) - noise + corpus.n_words * BETA)
        by_document = (n_dk[document] + other + ALPHA) / (n_dk[document].sum() - other + N_TOPICS * ALPHA)
        weights = np.maximum(by_word * by_document, 0) + 1e-12
        topics[token] = rng.choice(N_TOPICS, p=weights / weights.sum())
        n_kw[topics[token], word] += 1
        n_dk[document, topics[token]] += 1
    smoothed = n_kw + BETA
    return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))


def attacked(epsilon: float, n_models: int, seed: int) -> Scored:
    """Whether each canary document was there, by the model alone: its word is above the least of a topic."""
    rng = np.random.default_rng(seed)
    scores, tossed = [], []
    for number in range(n_models):
        coins = rng.random(N_CANARIES) < 0.5
        phi = trained(planted(coins, rng), epsilon, 10, seed + number)
        above = (phi / phi.min(axis=1, keepdims=True)).max(axis=0)
        scores.append(above[COMMON : COMMON + N_CANARIES])
        tossed.append(coins)
    return Scored(np.concatenate(scores), np.concatenate(tossed))


def planted(coins: NDArray[np.bool_], rng: np.random.Generator) -> Corpus:
    """Ten documents of common words, and those canaries that are there; the others are empty."""
    texts = [rng.integers(0, COMMON, 8) for _ in range(10)]
    for number, coin in enumerate(coins):
        texts.append(
            np.append(rng.integers(0, COMMON, 4), COMMON + number) if coin else np.zeros(0, np.int64)
        )
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    vocabulary = tuple(f"word{number}" for number in range(COMMON + N_CANARIES + UNUSED))
    return Corpus(np.concatenate(texts).astype(np.int32), offsets, vocabulary)
