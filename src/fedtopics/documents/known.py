"""What is known of each document, column by column: one string for each, None where nobody knows."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

KNOWN = ("ids", "labels", "parties", "persons")
Column: TypeAlias = tuple[str, ...] | None


def strings(column: Sequence[object] | None) -> Column:
    return None if column is None else tuple(map(str, column))


def collected(values: Iterable[str | None]) -> Column:
    """One string per document, empty where unknown; None where no document has one."""
    known = tuple(values)
    return None if all(value is None for value in known) else tuple(value or "" for value in known)


def chosen(column: Column, positions: NDArray[np.int64]) -> Column:
    return None if column is None else tuple(column[position] for position in positions)


def joined(columns: Sequence[Column]) -> Column:
    """The columns of several corpora, one after the other; None where one of them is unknown."""
    if any(column is None for column in columns):
        return None
    return tuple(value for column in columns for value in column or ())
