"""Sparse integer rows: what the histogram mechanisms release, one row per document."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents import mapped

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


Keep: TypeAlias = Callable[[NDArray[np.int32], NDArray[np.int32]], None]
Drawn: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]


def rows_like(tokens: NDArray[np.int32], n_words: int, draw: Callable[[Keep | None], Drawn]) -> SparseRows:
    """The rows that are drawn, on the disk where the tokens are: `draw` then gives entries some at a time."""
    if not mapped.is_mapped(tokens):
        return SparseRows(*draw(None), n_words)
    words, values = (mapped.Growing(np.int32, on_disk=True) for _ in range(2))

    def keep(some_words: NDArray[np.int32], some_values: NDArray[np.int32]) -> None:
        words.append(some_words)
        values.append(some_values)

    offsets, _, _ = draw(keep)
    mapped.forget(tokens)
    return SparseRows(offsets, words.array(), values.array(), n_words)


def empty_rows(n_rows: int, n_words: int) -> SparseRows:
    """Rows without any entry."""
    nothing = np.zeros(0, dtype=np.int32)
    return SparseRows(np.zeros(n_rows + 1, dtype=np.int64), nothing, nothing, n_words)
