"""Sparse integer rows: what the histogram mechanisms release, one row per document."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MECHANISM = None  # a part of mechanisms


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Row d holds values[i] at word words[i] for i in offsets[d]:offsets[d+1], words ascending.

    The order is part of the protection: an entry's place must not tell whether its word was really there.
    """

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    values: NDArray[np.int32]
    n_words: int

    @property
    def n_rows(self) -> int:
        return len(self.offsets) - 1

    def dense(self) -> NDArray[np.int32]:
        """All entries as an (n_rows, n_words) matrix; for tests and small data."""
        matrix = np.zeros((self.n_rows, self.n_words), dtype=np.int32)
        matrix[np.repeat(np.arange(self.n_rows), np.diff(self.offsets)), self.words] = self.values
        return matrix


def empty_rows(n_rows: int, n_words: int) -> SparseRows:
    """Rows without any entry."""
    nothing = np.zeros(0, dtype=np.int32)
    return SparseRows(np.zeros(n_rows + 1, dtype=np.int64), nothing, nothing, n_words)
