"""The only way out of a party: a value with its price.

A `Release` is made by a mechanism (which prices it), by `reuse` (free, for what was already released) or by
`disclose` (infinitely dear, for baselines). Engines send nothing else and charge every release to a `Ledger`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from fedtopics.errors import InputError
from fedtopics.privacy.price.cost import FREE, INFINITE, Cost

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, eq=False)
class Release(Generic[T]):
    """A `value` that may leave the party, and what that costs (`cost`).

    >>> reuse(3).map(lambda value: value + 1).value
    4
    """

    value: T
    cost: Cost

    def __post_init__(self) -> None:
        if not isinstance(self.cost, Cost):
            raise TypeError(f"a release needs a Cost, got {type(self.cost).__name__}")

    def map(self, rework: Callable[[T], U]) -> "Release[U]":
        """Post-processing: `rework` must not look at private data, so the cost is unchanged."""
        return Release(rework(self.value), self.cost)


def reuse(value: T) -> Release[T]:
    """A `value` computed only from what this party has released before: it costs nothing more."""
    return Release(value, FREE)


def side_by_side(parts: Iterable[Release[T]], add: Callable[[T, T], T]) -> Release[T]:
    """Equal releases about `parts` of the data that share no word, as one by `add`: a word is in one part.

    So a word costs what it costs in its part (parallel composition); for documents and persons, which may
    have words in several parts, nothing may be stated.
    """
    total: Release[T] | None = None
    for part in parts:
        beyond = [relation for relation in part.cost.relations if not relation.startswith("word")]
        if beyond or (total is not None and part.cost != total.cost):
            raise InputError(f"parts must be priced alike, for words only, got {beyond or [part.cost]!r:.80}")
        total = part if total is None else Release(add(total.value, part.value), part.cost)
    if total is None:
        raise InputError("expected at least one release, got none")
    return total


def disclose(value: T) -> Release[T]:
    """A `value` sent in the clear, for non-private baselines; the ledger shows it as infinite."""
    return Release(value, INFINITE)
