"""Where topics begin: a private basis of frequent words, k-means in it, and public word vectors.

Everything here is the server's: it sees noisy sums and public vectors, never a document.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NEAR, LENT = 10, 0.7  # cosine^NEAR says which words are near; LENT is how much presence a word lends to them
CARRIED = 6  # cosine^CARRIED carries topics to words that are not frequent
SMALL = 0.15  # of an even share: a group below it begins anew beside a large one
APART = 0.3  # how far from it
SHARPNESS = 0.95  # of the first topics; the rest is the unigram


class Basis(NamedTuple):
    """Directions in the space of frequent words: the one that all documents share, and those that differ."""

    common: Floats  # (n_frequent,)
    axes: Floats  # (n_frequent, rank)


def frequent_words(unigram: Floats, n_frequent: int) -> NDArray[np.int64]:
    """The most frequent words, by number."""
    return np.sort(np.argsort(-unigram, kind="stable")[:n_frequent])


def rarity(unigram: Floats, power: float, least: float) -> NDArray[np.float32]:
    """The weight of a word, larger where it is rare: (u V)^-power, u V at least `least`."""
    return np.asarray(np.maximum(unigram * len(unigram), least) ** -power, np.float32)


def nearness(vectors: NDArray[np.int8], frequent: NDArray[np.int64]) -> NDArray[np.float32]:
    """How much each word counts as each frequent one (n_words, n_frequent): itself 1, near ones LENT."""
    cosines = _cosines(vectors, frequent) ** NEAR
    own = np.arange(len(frequent))
    cosines[frequent, own] = 0
    sums = cosines.sum(axis=1, keepdims=True)
    near = np.divide(LENT * cosines, sums, out=np.zeros_like(cosines), where=sums > 1e-9)
    near[frequent, own] = 1
    return np.asarray(near, np.float32)


def basis(products: Floats, n_frequent: int, rank: int) -> Basis:
    """The leading eigenvectors of the noisy second moments, whose diagonal is left out.

    A word's product with itself says nothing about which words come together.
    """
    matrix = np.zeros((n_frequent, n_frequent))
    matrix[np.triu_indices(n_frequent, 1)] = products
    vectors = np.linalg.eigh(matrix + matrix.T)[1][:, ::-1][:, : rank + 1]
    largest = np.abs(vectors).argmax(axis=0)
    vectors *= np.sign(vectors[largest, np.arange(vectors.shape[1])])  # signs are arbitrary: fix them
    return Basis(np.abs(vectors[:, 0]), vectors[:, 1:])


def first_centers(n_topics: int, rank: int, generator: np.random.Generator) -> Floats:
    """Random directions."""
    return unit_rows(generator.normal(size=(n_topics, rank)))


def next_centers(sums: Floats, sizes: Floats, generator: np.random.Generator, settle: bool) -> Floats:
    """Centers of groups from their noisy sums; a small group begins anew unless it is time to `settle`."""
    centers = unit_rows(sums)
    small = np.flatnonzero(sizes < SMALL * max(sizes.sum(), 0) / len(sizes))
    if not settle and len(small):
        large = np.argsort(-sizes, kind="stable")[: len(small)]
        moved = centers[large] + APART * generator.normal(size=(len(small), centers.shape[1]))
        centers[small] = unit_rows(moved)
    return centers


def first_topics(
    unigram: Floats,
    frequent: NDArray[np.int64],
    weights: NDArray[Any],
    found: Basis,
    centers: Floats,
    vectors: NDArray[np.int8],
) -> Floats:
    """Topics (n_words, n_topics) of the groups; words that are not frequent follow near ones that are."""
    lifted = np.maximum(found.common[:, None] + found.axes @ centers.T, 0) / weights[frequent, None]
    shares = lifted / np.maximum(lifted.sum(axis=0), 1e-300)
    mass = unigram[frequent].sum()
    phi = np.repeat(unigram[:, None], len(centers), axis=1)
    phi[frequent] = SHARPNESS * mass * shares + (1 - SHARPNESS) * unigram[frequent, None]
    phi /= phi.sum(axis=0)
    return _carried(phi, unigram, frequent, vectors)


def _carried(phi: Floats, unigram: Floats, frequent: NDArray[np.int64], vectors: NDArray[np.int8]) -> Floats:
    """The topics with rarer words as the frequent words near them: mean logarithm of the lift over u."""
    near = _cosines(vectors, frequent).astype(np.float64) ** CARRIED
    sums = near.sum(axis=1)
    rare = sums > 1e-9
    rare[frequent] = False
    lift = np.log(np.clip(phi[frequent] / unigram[frequent, None], 1e-3, 50))
    phi[rare] = np.exp(near[rare] / sums[rare, None] @ lift) * unigram[rare, None]
    return np.asarray(phi / phi.sum(axis=0))


def _cosines(vectors: NDArray[np.int8], frequent: NDArray[np.int64]) -> NDArray[np.float32]:
    """Cosines of all words with the frequent ones, zero where negative or unknown."""
    from threadpoolctl import threadpool_limits

    units = unit_rows(vectors.astype(np.float32))
    with threadpool_limits(1):  # one order of sums, whatever the number of threads
        return np.asarray(np.maximum(units @ units[frequent].T, 0), np.float32)


def unit_rows(rows: NDArray[Any]) -> NDArray[Any]:
    """Rows scaled to norm 1; what is zero stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0))
