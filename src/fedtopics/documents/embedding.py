"""Documents as points, near each other where they are about the same: latent semantic analysis.

    tf_idf       a word weighs (1 + log count) (1 + log((1 + documents) / (1 + documents with it))), and the
                 weights of a document have length one
    directions   the leading right singular vectors of a sample of the documents, by a randomized search of
                 the range (Halko, Martinsson and Tropp 2011, algorithms 4.4 and 5.1)

Numbers and random draws are those of scikit-learn (TfidfTransformer, TruncatedSVD, normalize), with which
`splitting.by_topics` began: the same seed deals the same documents. For the same bits linear algebra has to
be held to one thread.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu, qr, svd
from scipy.sparse import csr_array

Floats: TypeAlias = NDArray[np.float64]

N_DIMENSIONS = 50
OVERSAMPLING = 10
POWERS = 5


def embedded(counts: csr_array, sample: NDArray[np.int64], *, seed: int) -> Floats:
    """Documents x dimensions, in rows of length one (zero for an empty one).

    counts   documents x words
    sample   the documents that the dimensions are learned from
    seed     where the search for the dimensions begins
    """
    weights = tf_idf(counts)
    n_dimensions = min(N_DIMENSIONS, weights.shape[1] - 1, weights.shape[0] - 1)
    if n_dimensions < 2:
        return np.asarray(weights.toarray())
    points = np.asarray(weights @ directions(weights[sample], n_dimensions, seed=seed).T)
    lengths = np.sqrt(np.einsum("ij,ij->i", points, points))
    lengths[lengths < 10 * np.finfo(np.float64).eps] = 1
    return np.asarray(points / lengths[:, None])


def tf_idf(counts: csr_array) -> csr_array:
    """The weights of the words of each document, of length one."""
    n_docs, n_words = counts.shape
    rarity = 1 + np.log((1 + n_docs) / (1.0 + np.bincount(counts.indices, minlength=n_words)))
    weights = (1 + np.log(counts.data)) * rarity[counts.indices]
    document = np.repeat(np.arange(n_docs), np.diff(counts.indptr))
    lengths = np.sqrt(np.bincount(document, weights**2, minlength=n_docs))
    return csr_array((weights / lengths[document], counts.indices, counts.indptr), shape=counts.shape)


def directions(matrix: csr_array, n_directions: int, *, seed: int) -> Floats:
    """Leading right singular vectors, shape (n_directions, columns), the largest entry of each positive."""
    wide = matrix.shape[0] < matrix.shape[1]
    tall = matrix.T if wide else matrix
    random = np.random.RandomState(seed)  # the stream of scikit-learn
    basis = random.normal(size=(tall.shape[1], n_directions + OVERSAMPLING))
    for _ in range(POWERS):
        basis = lu(tall @ basis, permute_l=True, check_finite=False)[0]
        basis = lu(tall.T @ basis, permute_l=True, check_finite=False)[0]
    basis = qr(tall @ basis, mode="economic", check_finite=False)[0]
    left, _, right = svd(basis.T @ tall, full_matrices=False)
    found = ((basis @ left).T if wide else right)[:n_directions]
    largest = found[np.arange(len(found)), np.abs(found).argmax(axis=1)]
    return np.asarray(found * np.sign(largest)[:, None])
