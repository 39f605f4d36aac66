"""What a party adds up: one integer vector for each unit (a document, or a person), none longer than agreed.

    totals       capped counts of words, cut to norm `clip`
    moments      presence of words, spread to near ones, as a vector f of norm 1: products f_i f_j, i < j
    groups       f in the private basis, scaled to norm 1, and a mark, at the place of the nearest center
    differences  counts x (responsibility - public expectation), weighted, cut to norm `clip`
    gain         nats by which topics predict the hidden half of a document better than word frequencies do

Every vector is cut first and rounded towards zero afterwards, so rounding never makes it longer. A person's
documents are summed before the cut. Sums of integers are the same in any order and on any number of threads.
"""

from collections.abc import Iterator
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.perplexity import by_document
from fedtopics.sampling import clipped_counts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FINE = 2**16  # steps in the norm of a unit's totals, groups and differences
LENGTH = 2**10  # steps in the norm of f
PRODUCTS = isqrt(LENGTH**4 // 2) + 1  # at least LENGTH^2 / sqrt 2: sum over i < j of (f_i f_j)^2 <= |f|^4 / 2
GAIN = 20.0  # nats: a unit's gain counts as at most so much, up or down
MARK = 0.3  # what a unit adds to the size of its group; less than 1, since sizes need no precision
INSIDE = 1 - 1e-9  # scales, so that rounding of floating-point numbers stays within the norm
AT_ONCE = 4096  # documents


class Units(NamedTuple):
    """Documents as counts, ordered by unit: unit i owns the documents bounds[i]:bounds[i+1]."""

    counts: "csr_array"
    bounds: NDArray[np.int64]

    @property
    def entries(self) -> tuple[Any, Any, Any, Any]:
        """Words, counts, documents and units as the kernels read them."""
        return self.counts.indices, self.counts.data, self.counts.indptr, self.bounds

    def blocks(self) -> Iterator["Units"]:
        """All units, in order, some thousand documents at a time (one unit may have more)."""
        first = 0
        while first < len(self.bounds) - 1:
            last = int(np.searchsorted(self.bounds, self.bounds[first] + AT_ONCE, side="right")) - 1
            last = max(last, first + 1)
            begin, end = self.bounds[first], self.bounds[last]
            yield Units(self.counts[begin:end], self.bounds[first : last + 1] - begin)
            first = last


def units_of(corpus: Corpus, unit: str) -> Units:
    """The documents of a party by unit: "document" or "person"."""
    if unit == "document":
        return Units(corpus.to_sparse(), np.arange(corpus.n_docs + 1))
    order, bounds = corpus.documents_by_person()
    return Units(corpus.to_sparse()[order], bounds)


def totals(units: Units, cap: float, clip: float) -> NDArray[np.int64]:
    """Counts of each word, at most `cap` in a document, a unit's cut to norm `clip`."""
    n_words = units.counts.shape[1]
    return clipped_counts.sum_of_counts(*units.entries, n_words, cap=cap, clip=clip, resolution=FINE)


def moments(units: Units, weights: NDArray[np.float32], near: NDArray[np.float32]) -> NDArray[np.int64]:
    """Products of the features of frequent words, by pair; `near` (n_words, n_frequent) spreads presence.

    A person's features are scaled together, so that the sum of their products has norm 1 at most: as no
    feature is negative, rounding them down makes no product larger.
    """
    total = np.zeros((near.shape[1], near.shape[1]))
    for block in units.blocks():
        features = np.asarray(_present(block, weights) @ near, np.float64)
        lengths = np.linalg.norm(features, axis=1, keepdims=True)
        features /= np.where(lengths > 0, lengths, 1)
        together = np.sqrt(np.maximum(_lengths_of_products(features, block.bounds), 1))
        features /= np.repeat(together, np.diff(block.bounds))[:, None]
        steps = np.trunc(features * (LENGTH * INSIDE))
        _require_short(_lengths_of_products(steps, block.bounds), LENGTH**2)
        total += steps.T @ steps  # whole numbers below 2^53: exact, whoever adds them
    if total.max(initial=0) >= 2**53:
        raise InputError("too many documents for exact sums; nothing was released")
    return total[np.triu_indices(len(total), 1)].astype(np.int64)


def groups(units: Units, projection: NDArray[np.float32], centers: NDArray[np.float32]) -> NDArray[np.int64]:
    """For each center, the sum of the units' places nearest to it, and their marks, (n_topics, rank + 1)."""
    total = np.zeros((len(centers), centers.shape[1] + 1), np.int64)
    for block in units.blocks():
        places = np.asarray(_present(block) @ projection.astype(np.float64))
        lengths = np.linalg.norm(places, axis=1)
        known = lengths > 0
        places = places[known] / lengths[known, None]
        nearest = np.einsum("dr,kr->dk", places, centers.astype(np.float64)).argmax(axis=1)
        marked = np.column_stack([places, np.full(len(places), MARK)])
        owner = np.repeat(np.arange(len(block.bounds) - 1), np.diff(block.bounds))[known]
        cells, cell = np.unique(owner * len(centers) + nearest, return_inverse=True)
        sums = np.zeros((len(cells), marked.shape[1]))
        np.add.at(sums, cell, marked)
        unit, group = np.divmod(cells, len(centers))
        squares = np.bincount(unit, (sums**2).sum(axis=1), len(block.bounds) - 1)
        steps = np.trunc(sums * (FINE * INSIDE / np.maximum(np.sqrt(squares), group_clip()))[unit, None])
        _require_short(np.bincount(unit, (steps**2).sum(axis=1)), FINE**2)
        np.add.at(total, group, steps.astype(np.int64))
    return total


def group_clip() -> float:
    """The norm of one document's place and mark."""
    return float(np.sqrt(1 + MARK**2))


def differences(
    units: Units,
    phi: NDArray[np.float32],
    expected: NDArray[np.float32],
    weights: NDArray[np.float32],
    **settings: Any,
) -> NDArray[np.int64]:
    """What the documents add to the public expectation of words by topics, (n_words, n_topics)."""
    return clipped_counts.sum_of_differences(
        *units.entries, phi, expected, weights, resolution=FINE, **settings
    )


def gain(
    corpus: Corpus, unit: str, phi: NDArray[Any], unigram: NDArray[Any], n_threads: int
) -> NDArray[np.int64]:
    """How much better topics are than word frequencies, on the documents that they were learned from."""
    likelihoods, _ = by_document(phi.T.astype(np.float64), corpus, n_threads=n_threads)
    without, _ = by_document(unigram[None].astype(np.float64), corpus, n_threads=n_threads)
    gained = likelihoods - without
    if unit == "person":
        order, bounds = corpus.documents_by_person()
        gained = np.add.reduceat(gained[order], bounds[:-1])
    steps = np.trunc(np.clip(gained / GAIN, -1, 1) * FINE)
    _require_short(np.abs(steps), FINE)
    return np.array([steps.sum()], np.int64)


def _present(units: Units, weights: NDArray[Any] | None = None) -> "csr_array":
    """Which words each document has, each as its weight."""
    from scipy.sparse import csr_array

    counts = units.counts
    data = np.ones(counts.nnz) if weights is None else weights.astype(np.float64)[counts.indices]
    return csr_array((data, counts.indices, counts.indptr), shape=counts.shape)


def _lengths_of_products(features: NDArray[np.float64], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Norm of the sum of f f' over the rows f of each unit: that of their cosines with each other.

    It depends on the rows of the unit alone, or a unit that comes would change what others add.
    """
    from threadpoolctl import threadpool_limits

    lengths = np.zeros(len(bounds) - 1)
    alone = np.diff(bounds) == 1
    lengths[alone] = (features**2).sum(axis=1)[bounds[:-1][alone]]
    with threadpool_limits(1):  # one order of sums, whatever the number of threads
        for unit in np.flatnonzero(~alone):
            own = features[bounds[unit] : bounds[unit + 1]].copy()  # nor on where they stand
            lengths[unit] = np.linalg.norm(own @ own.T if len(own) < own.shape[1] else own.T @ own)
    return lengths


def _require_short(lengths: NDArray[Any], most: int) -> None:
    """Refuse whole steps whose lengths, exact up to `most`, are above it, or no numbers."""
    if not lengths.max(initial=0) <= most:
        raise InputError("a contribution exceeds its norm; nothing was released")
