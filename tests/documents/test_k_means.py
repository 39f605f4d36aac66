"""k-means: bit for bit what scikit-learn finds, ties, equal points and empty groups among it."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from fedtopics.documents.k_means import k_means, nearest

Floats = NDArray[np.float64]


def check_like_scikit_learn(points: Floats, n_groups: int, seed: int) -> None:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it also warns where it cannot tell the cores of a machine
        theirs = KMeans(n_groups, n_init=3, random_state=seed).fit(points)
        centers = k_means(points, n_groups, seed=seed)
        assert np.array_equal(centers, theirs.cluster_centers_)
        assert np.array_equal(nearest(points, centers), theirs.predict(points))


@pytest.mark.parametrize("n_points", [50, 256, 257, 1500])
@pytest.mark.parametrize("n_groups", [2, 3, 20])
def test_centers_are_those_of_scikit_learn(n_points: int, n_groups: int) -> None:
    points = np.random.default_rng(n_points).normal(size=(n_points, 7)) ** 3
    for seed in range(3):
        check_like_scikit_learn(points, n_groups, seed)


@given(
    n_points=st.integers(2, 60),
    n_different=st.integers(1, 12),
    n_dimensions=st.integers(1, 9),
    n_groups=st.integers(2, 60),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=70, deadline=None)
def test_ties_are_settled_as_scikit_learn_settles_them(
    n_points: int, n_different: int, n_dimensions: int, n_groups: int, seed: int
) -> None:
    generator = np.random.default_rng(seed)
    corners = generator.integers(0, 3, (n_different, n_dimensions)) / 3
    points = corners[generator.integers(0, n_different, n_points)]
    check_like_scikit_learn(points, min(n_groups, n_points), seed)


def test_a_planted_group_is_found_from_any_seed() -> None:
    generator = np.random.default_rng(0)
    middles = np.eye(3) * 9
    points = middles[np.repeat([0, 1, 2], 40)] + generator.normal(size=(120, 3))
    for seed in range(5):
        group = nearest(points, k_means(points, 3, seed=seed)).reshape(3, 40)
        assert (group == group[:, :1]).all()
        assert len(set(group[:, 0])) == 3
