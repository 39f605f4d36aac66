"""The relation of words: Eq. 13 against plain NumPy, neighbors against all cosines, and what is refused."""

from __future__ import annotations

import os
import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array, save_npz

from fedtopics import related_words
from fedtopics.errors import InputError
from fedtopics.related_words import RelatedWords, from_matrix, from_vectors

WORDS = ("tax", "taxes", "income", "war", "peace", "unknown")


def random_relation(seed: int, n_words: int) -> RelatedWords:
    weights = np.random.default_rng(seed).random((n_words, n_words))
    return from_matrix(np.where(weights > 0.6, weights, 0.0), n_words)


def test_topics_are_drawn_together_as_printed() -> None:
    rng = np.random.default_rng(0)
    relation = random_relation(1, 12)
    topics = rng.dirichlet(np.full(12, 0.3), 4)
    drawn = relation.draw_together(topics, 0.3)
    for before, after in zip(topics, drawn, strict=True):
        whole = relation.weights.toarray()
        expected = [
            before[w]
            + 0.3 * before[w] * sum(whole[i, w] * before[i] for i in range(12)) / (before @ whole @ before)
            for w in range(12)
        ]
        np.testing.assert_allclose(after, np.array(expected) / np.sum(expected), rtol=1e-12)


def test_tau_zero_changes_nothing_and_more_tau_changes_more() -> None:
    relation = random_relation(2, 10)
    topics = np.random.default_rng(3).dirichlet(np.ones(10), 3)
    np.testing.assert_allclose(relation.draw_together(topics, 0.0), topics, rtol=1e-12)
    little, much = (np.abs(relation.draw_together(topics, tau) - topics).sum() for tau in (0.1, 0.5))
    assert 0 < little < much


def test_negative_weights_become_zeros_and_topics_stay_probabilities() -> None:
    relation = from_matrix([[1.0, -0.9], [-0.9, 1.0]], 2)
    assert relation.weights.toarray().tolist() == [[1.0, 0.0], [0.0, 1.0]]
    drawn = relation.draw_together(np.array([[0.9, 0.1]]), 0.5)
    assert drawn.min() > 0
    assert drawn.sum() == pytest.approx(1)


def test_a_topic_without_related_words_stays() -> None:
    relation = from_matrix([[0.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]], 3)
    assert relation.draw_together(np.array([[1.0, 0.0, 0.0]]), 0.3).tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize("n_neighbors", [3, 25])  # 25: some of them point away
@pytest.mark.parametrize("sparse", [False, True])
def test_each_word_keeps_its_nearest_neighbors(
    sparse: bool, n_neighbors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fedtopics.related_words.related.CELLS_AT_ONCE", 7 * 30)
    vectors = np.random.default_rng(4).normal(size=(30, 5))
    known = np.arange(30) * 2
    relation = from_vectors(csr_array(vectors) if sparse else vectors, known, 60, n_neighbors)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -1)
    near = np.zeros((30, 30), bool)
    np.put_along_axis(near, np.argsort(-cosines, axis=1)[:, :n_neighbors], True, axis=1)
    expected = np.where(near | near.T, np.maximum(cosines, 0), 0)
    np.fill_diagonal(expected, 1)
    np.testing.assert_allclose(relation.weights.toarray()[np.ix_(known, known)], expected, atol=1e-6)
    unknown = np.arange(1, 60, 2)
    np.testing.assert_array_equal(relation.weights.toarray()[unknown], np.eye(60)[unknown])
    assert relation.n_known == 30


def test_neighbors_are_found_in_blocks_and_never_all_cosines_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    n_words, n_dimensions, n_cells = 6000, 20, 1 << 19
    monkeypatch.setattr("fedtopics.related_words.related.CELLS_AT_ONCE", n_cells)
    vectors = np.random.default_rng(5).normal(size=(n_words, n_dimensions)).astype(np.float32)
    tracemalloc.start()
    relation = from_vectors(vectors, np.arange(n_words), n_words)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert relation.weights.nnz <= n_words * 41
    held = 8 * 10 * 20 * n_words  # ten numbers for each neighbor, in all steps together
    block = 20 * n_cells  # cosines, their negatives and an order of 64 bits
    assert peak < held + block < 4 * n_words**2 / 5  # all cosines as 32-bit floats would be 144 MB


@pytest.mark.parametrize("tau", [-0.1, float("nan"), float("inf"), True, "0.3"])
def test_a_bad_tau_is_refused(tau: Any) -> None:
    with pytest.raises(InputError, match=r"tau .* at least 0, got"):
        random_relation(0, 3).draw_together(np.ones((1, 3)), tau)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), "2 x 3"),
        (np.ones((5, 5)), r"6 x 6 words, in the order of the vocabulary, got 5 x 5"),
        (np.full((6, 6), np.nan), "finite weights"),
    ],
)
def test_bad_weights_are_refused(matrix: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        related_words.load(matrix, WORDS)


def test_your_own_weights_come_from_a_matrix_or_a_file(tmp_path: Any) -> None:
    weights = csr_array(np.triu(np.full((6, 6), 0.5)))
    save_npz(tmp_path / "own.npz", weights)
    given, stored = related_words.load(weights, WORDS), related_words.load(tmp_path / "own.npz", WORDS)
    np.testing.assert_array_equal(given.weights.toarray(), stored.weights.toarray())
    assert related_words.load(given, WORDS) is given
    assert (stored.source, len(stored.sha256)) == ("own.npz", 64)


def test_a_file_that_is_no_matrix_and_an_unknown_name_are_refused(tmp_path: Any) -> None:
    (tmp_path / "own.npz").write_bytes(b"not a zip")
    with pytest.raises(InputError, match=r"scipy's sparse \.npz, got"):
        related_words.load(tmp_path / "own.npz", WORDS)
    with pytest.raises(InputError, match="no file or folder word2vec, and no word relation of that name"):
        related_words.load("word2vec", WORDS)


def test_the_default_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr("fedtopics.related_words.token_table.folder", lambda: None)
    monkeypatch.setattr("fedtopics.related_words.wordnet.FOLDER", tmp_path / "none")
    for source in ("default", "wordllama", "wordnet"):
        with pytest.raises(InputError, match="install"):
            related_words.load(source, WORDS)


def test_a_pipe_of_vectors_is_not_waited_for(tmp_path: Any) -> None:
    os.mkfifo(tmp_path / "vectors.txt")
    with pytest.raises(InputError, match="expected a plain file"):
        related_words.load(tmp_path / "vectors.txt", WORDS)
