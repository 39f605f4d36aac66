"""Which words of a vocabulary belong together, and topics drawn towards it (PC-TD, Eq. 12 and 13).

    R_ab = max(0, cos(v_a, v_b))                                                                  (12)
    p'(w|k) ~ p(w|k) + tau p(w|k) sum_i R_iw p(i|k) / (p_k' R p_k)                                (13)

The printed R has negative entries, with which probabilities become negative; here they are zeros. Each word
keeps its nearest neighbors and itself, so that R holds n_words x n_neighbors numbers, not n_words^2. A word
without a vector is related to itself alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats: TypeAlias = NDArray[np.float64]
N_NEIGHBORS = 20
CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class RelatedWords:
    """Which words are related, and how much.

    weights   (n_words, n_words), sparse and not negative
    n_known   number of words that the source knows
    source    where the weights come from
    sha256    of the file they were read from, if any
    """

    weights: "csr_array"
    n_known: int
    source: str = "matrix"
    sha256: str = ""

    def __post_init__(self) -> None:
        rows, columns = self.weights.shape
        if rows != columns:
            raise InputError(f"expected a relation of words with words, got {rows} x {columns}")
        data = self.weights.data
        if len(data) and not (np.isfinite(data).all() and data.min() >= 0):
            raise InputError("expected a relation of finite weights from 0 up, got others")

    @property
    def n_words(self) -> int:
        return int(self.weights.shape[0])

    def draw_together(self, topics: NDArray[Any], tau: float) -> Floats:
        """`topics` (n_topics, n_words) in which words gain by the probability of the words related to them.

        tau   how strongly: 0 changes nothing

        >>> from scipy.sparse import csr_array
        >>> pairs = RelatedWords(csr_array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), n_known=3)
        >>> pairs.draw_together(np.array([[0.25, 0.25, 0.5]]), tau=1.0).round(3).tolist()
        [[0.25, 0.25, 0.5]]
        >>> pairs.draw_together(np.array([[0.4, 0.4, 0.2]]), tau=1.0).round(3).tolist()
        [[0.435, 0.435, 0.129]]
        """
        check_tau(tau)
        p = np.asarray(topics, np.float64)
        if p.ndim != 2 or p.shape[1] != self.n_words:
            raise InputError(f"expected topics over {self.n_words} words, got shape {p.shape}")
        mass = p.sum(axis=1, keepdims=True)
        p = p / np.where(mass > 0, mass, 1.0)  # a topic without words, as noise may leave one, stays so
        support = p * (self.weights.T @ p.T).T
        total = support.sum(axis=1, keepdims=True)
        # A topic none of whose words is related to any stays as it is.
        drawn = np.where(total > 0, support / np.where(total > 0, total, 1.0), p)
        result: Floats = (p + tau * drawn) / (1 + tau)
        return result


def check_tau(tau: float) -> None:
    """Refuse a strength of consistency that is not a number from 0 up."""
    if isinstance(tau, bool) or not isinstance(tau, int | float) or not 0 <= tau < np.inf:
        got = tau if isinstance(tau, int | float) else type(tau).__name__
        raise InputError(f"tau of the consistency must be a number of at least 0, got {got}")


def from_matrix(matrix: Any, n_words: int, source: str = "matrix") -> RelatedWords:
    """Your own weights, a `matrix` of `n_words` x `n_words`, sparse or dense, in the order of the vocabulary.

    Negative weights become zeros; nothing else is changed. `source` is what to call them.
    """
    from scipy.sparse import csr_array

    n_words = index(n_words)
    try:
        weights = csr_array(matrix, dtype=np.float64, copy=True)
    except (ValueError, TypeError):  # what scipy says of texts shows them
        raise InputError(f"expected a matrix of weights in {source}, got something else in it") from None
    if weights.shape != (n_words, n_words):
        raise InputError(
            f"expected weights of {n_words} x {n_words} words, in the order of the vocabulary, "
            f"got {weights.shape[0]} x {weights.shape[1]} in {source}"
        )
    weights.sum_duplicates()
    weights.data = np.where(weights.data < 0, 0.0, weights.data)
    weights.eliminate_zeros()
    return RelatedWords(weights, int((np.diff(weights.indptr) > 0).sum()), source)


def from_vectors(
    vectors: Any, known: Sequence[int] | NDArray[Any], n_words: int, n_neighbors: int = N_NEIGHBORS
) -> RelatedWords:
    """Cosines of each known word with its nearest others.

    vectors       sparse or dense, a row for each known word
    known         the number of each of them in the vocabulary
    n_words       size of the vocabulary
    n_neighbors   how many others are related to a word
    """
    from scipy.sparse import coo_array, csr_array

    if n_neighbors < 1:
        raise InputError(f"expected at least 1 neighbor of each word, got {n_neighbors}")
    try:
        places, units = np.asarray(known, np.int64), _normalized(vectors)
    except ValueError:  # what NumPy says of texts shows them
        raise InputError("expected rows of numbers, and the number of each row's word, got others") from None
    near, cosines = _nearest(units, min(n_neighbors, max(len(places) - 1, 0)))
    rows = np.repeat(places, near.shape[1])
    pairs = coo_array((cosines.ravel(), (rows, places[near].ravel())), shape=(n_words, n_words)).tocsr()
    pairs.eliminate_zeros()
    weights = csr_array(pairs.maximum(pairs.T))  # a neighbor's neighbor, both ways
    weights.setdiag(1.0)
    return RelatedWords(csr_array(weights), len(places))


def _normalized(vectors: Any) -> Any:
    from scipy.sparse import csr_array, issparse

    if issparse(vectors):
        lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
        scale = np.where(lengths > 0, 1 / np.where(lengths > 0, lengths, 1), 0)
        return csr_array(vectors.multiply(scale[:, None])).astype(np.float32)
    dense = np.asarray(vectors, np.float32)
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    return np.divide(dense, lengths, out=np.zeros_like(dense), where=lengths > 0)


def _nearest(units: Any, n_neighbors: int) -> tuple[NDArray[np.int64], Floats]:
    """Places of the nearest other rows of each row, and their cosines, zero where negative."""
    from scipy.sparse import issparse

    n_rows = units.shape[0]
    near = np.zeros((n_rows, n_neighbors), np.int64)
    cosines = np.zeros((n_rows, n_neighbors))
    n_at_once = max(1, CELLS_AT_ONCE // max(n_rows, 1))
    for start in range(0, n_rows if n_neighbors else 0, n_at_once):
        block = units[start : start + n_at_once]
        products = block @ units.T
        scores = products.toarray() if issparse(products) else np.asarray(products)
        own = np.arange(len(scores))
        scores[own, own + start] = -1
        chosen = np.argpartition(-scores, n_neighbors - 1, axis=1)[:, :n_neighbors]
        chosen.sort(axis=1)
        near[start + own] = chosen
        cosines[start + own] = np.maximum(np.take_along_axis(scores, chosen, axis=1), 0)
    return near, cosines
