"""Documents as points: bit for bit what scikit-learn makes of them."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from fedtopics.documents.embedding import directions, embedded, tf_idf


def counted(n_docs: int, n_words: int, seed: int = 0) -> csr_array:
    """Counts of which some are large, some documents empty and others equal."""
    generator = np.random.default_rng(seed)
    counts = generator.poisson(generator.gamma(0.3, 1.0, (n_docs, n_words)))
    counts[generator.random(n_docs) < 0.1] = 0
    return csr_array(counts[generator.integers(0, n_docs, n_docs)].astype(np.int32))


def scikit_learn(counts: csr_array, sample: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    n_dimensions = min(50, counts.shape[0] - 1, counts.shape[1] - 1)
    if n_dimensions < 2:
        return np.asarray(weights.toarray())
    found = TruncatedSVD(n_dimensions, n_iter=5, random_state=seed).fit(weights[sample])
    return np.asarray(normalize(found.transform(weights)))


@pytest.mark.parametrize("shape", [(90, 40), (40, 90), (300, 200), (12, 5)])
def test_weights_and_directions_are_those_of_scikit_learn(shape: tuple[int, int]) -> None:
    counts = counted(*shape)
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    assert np.array_equal(tf_idf(counts).toarray(), weights.toarray())
    with threadpool_limits(1):
        for seed in range(3):
            theirs = TruncatedSVD(4, n_iter=5, random_state=seed).fit(weights).components_
            assert np.array_equal(directions(weights, 4, seed=seed), theirs)


@pytest.mark.parametrize("shape", [(400, 300), (30, 200), (3, 2), (2, 30), (20, 1)])
def test_points_are_those_of_scikit_learn(shape: tuple[int, int]) -> None:
    counts = counted(*shape)
    sample = np.arange(0, len(counts.indptr) - 1, 1 if shape[0] < 100 else 2)
    with threadpool_limits(1):
        points = embedded(counts, sample, seed=5)
        assert np.array_equal(points, scikit_learn(counts, sample, 5))
    lengths = np.linalg.norm(points, axis=1)
    empty = np.diff(counts.indptr) == 0
    assert np.allclose(lengths[~empty], 1)
    assert not lengths[empty].any()


def test_directions_are_the_leading_singular_vectors() -> None:
    matrix = csr_array(np.random.default_rng(0).random((60, 30)) * np.geomspace(1, 0.01, 30))
    exact = np.linalg.svd(matrix.toarray())[2][:3]
    found = directions(matrix, 3, seed=0)
    assert np.allclose(np.abs((found * exact).sum(axis=1)), 1)
    assert (found[np.arange(3), np.abs(found).argmax(axis=1)] > 0).all()
