"""Where topics begin: frequent words, public nearness, a private basis, and k-means in it."""

import numpy as np
import pytest

from fedtopics.methods.hush import beginning
from fedtopics.methods.hush.beginning import APART, LENT, Basis

RNG = np.random.default_rng(3)
UNIGRAM = np.array([0.3, 0.05, 0.25, 0.2, 0.15, 0.05])


def test_frequent_words_are_the_most_frequent_in_order_of_their_numbers() -> None:
    assert beginning.frequent_words(UNIGRAM, 3).tolist() == [0, 2, 3]
    assert beginning.frequent_words(UNIGRAM, 5).tolist() == [0, 1, 2, 3, 4]  # of equals the first


def test_rare_words_weigh_more_up_to_a_limit() -> None:
    weights = beginning.rarity(np.array([0.5, 0.25, 0.25, 0.0]), 0.5, least=0.25)
    np.testing.assert_allclose(weights, [0.5**0.5, 1, 1, 2])
    assert weights.dtype == np.float32


def test_a_frequent_word_is_itself_and_others_lend_to_what_is_near() -> None:
    vectors = RNG.integers(-127, 128, (6, 5)).astype(np.int8)
    vectors[1], vectors[5] = vectors[0], 0
    near = beginning.nearness(vectors, np.array([0, 2, 3]))
    np.testing.assert_array_equal(near[[0, 2, 3], [0, 1, 2]], 1)
    assert near.min() >= 0
    assert near[1].sum() == pytest.approx(LENT)
    assert near[1].argmax() == 0
    assert not near[5].any()  # unknown


def test_the_basis_is_that_of_what_comes_together_without_the_diagonal() -> None:
    both = np.array([1.0, 1, 1, 1, 0, 0]) / 2, np.array([1.0, 1, -1, -1, 0, 0]) / 2
    whole = 5 * np.outer(both[0], both[0]) + 3 * np.outer(both[1], both[1])
    found = beginning.basis(whole[np.triu_indices(6, 1)], 6, 2)
    np.testing.assert_allclose(found.common, both[0], atol=1e-12)
    np.testing.assert_allclose(np.abs(found.axes[:, 0] @ both[1]), 1)
    assert found.axes.shape == (6, 2)
    largest = np.abs(found.axes).argmax(axis=0)
    assert (found.axes[largest, [0, 1]] > 0).all()


def test_two_words_are_basis_enough() -> None:
    found = beginning.basis(np.array([2.0]), 2, 1)
    np.testing.assert_allclose(found.common, [0.5**0.5] * 2)
    assert found.axes.shape == (2, 1)


def test_rows_are_scaled_and_zero_stays() -> None:
    np.testing.assert_allclose(beginning.unit_rows(np.array([[3.0, 4], [0, 0]])), [[0.6, 0.8], [0, 0]])
    lengths = np.linalg.norm(beginning.first_centers(7, 4, np.random.default_rng(0)), axis=1)
    np.testing.assert_allclose(lengths, 1)


def test_a_small_group_begins_anew_beside_the_largest_until_groups_settle() -> None:
    sums, sizes = np.array([[50.0, 0, 0], [0, 1, 0], [0, 0, 30]]), np.array([50.0, 1, 30])
    kept = beginning.next_centers(sums, sizes, np.random.default_rng(0), settle=True)
    np.testing.assert_allclose(kept, np.eye(3))
    moved = beginning.next_centers(sums, sizes, np.random.default_rng(0), settle=False)
    np.testing.assert_allclose(moved[[0, 2]], np.eye(3)[[0, 2]])
    assert moved[1] @ moved[0] > 1 - 3 * APART
    assert moved[1] @ moved[0] > moved[1] @ moved[2]


def test_noise_that_makes_every_size_negative_stops_nothing() -> None:
    centers = beginning.next_centers(-np.eye(3), -np.ones(3), np.random.default_rng(0), settle=False)
    assert np.isfinite(centers).all()


def test_first_topics_have_every_word_and_rare_words_follow_near_ones() -> None:
    vectors = np.array([[100, 0], [99, 9], [0, 100], [0, 0], [9, 99], [0, 0]], np.int8)
    frequent = np.array([0, 2, 3])
    found = Basis(np.full(3, 0.5), np.array([[0.5], [-0.5], [0.0]]))
    weights = np.ones(6, np.float32)
    phi = beginning.first_topics(UNIGRAM, frequent, weights, found, np.array([[1.0], [-1.0]]), vectors)
    assert phi.shape == (6, 2)
    assert phi.min() > 0
    np.testing.assert_allclose(phi.sum(axis=0), 1)
    lift = phi / UNIGRAM[:, None]
    assert lift[0, 0] > 2 * lift[0, 1]
    assert lift[2, 1] > 2 * lift[2, 0]
    np.testing.assert_allclose(lift[1, 0] / lift[1, 1], lift[0, 0] / lift[0, 1], rtol=0.1)
    np.testing.assert_allclose(lift[4, 1] / lift[4, 0], lift[2, 1] / lift[2, 0], rtol=0.1)
    assert lift[5, 0] / lift[5, 1] == pytest.approx(1, rel=0.35)  # nothing is known of it
