"""What is known of each document, column by column: one string for each, None where nobody knows."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents import mapped
from fedtopics.errors import InputError

KNOWN = ("ids", "labels", "parties", "persons")
FEW = 2**17  # different strings that are kept in memory once they were read


class Names:
    """Different strings on the disk: string i is letters[ends[i]:ends[i + 1]] in UTF-8."""

    def __init__(self, letters: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self._letters, self._unchecked = letters, ends

    def __len__(self) -> int:
        return len(self._unchecked) - 1

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        mapped.verify(self._letters, self._unchecked)
        if not mapped.never_falls(self._unchecked):
            raise InputError("expected strings one after another, got ends that fall")
        return self._unchecked

    def __getitem__(self, number: int) -> str:
        if len(self) <= FEW:
            return self._all[number]
        return self._read(number)

    @cached_property
    def _all(self) -> tuple[str, ...]:
        return tuple(map(self._read, range(len(self))))

    def _read(self, number: int) -> str:
        letters = self._letters[self._ends[number] : self._ends[number + 1]].tobytes()
        try:
            return letters.decode(errors="surrogatepass")
        except UnicodeDecodeError:
            raise InputError(f"expected strings in UTF-8, got other bytes in number {number}") from None


class Strings(Sequence[str]):
    """A column that lies on the disk, read where it is asked: document d has the string names[codes[d]]."""

    def __init__(self, names: Names, codes: NDArray[np.int32]) -> None:
        self._names, self._unchecked = names, codes

    @cached_property
    def _codes(self) -> NDArray[np.int32]:
        mapped.verify(self._unchecked)
        if len(self):
            least, most = mapped.least_and_most(self._unchecked)
            if not 0 <= least <= most < len(self._names):
                raise InputError(f"expected codes of {len(self._names)} strings, got {least} to {most}")
        return self._unchecked

    def __len__(self) -> int:
        return len(self._unchecked)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> "Strings": ...
    def __getitem__(self, place: int | slice) -> "str | Strings":
        if isinstance(place, slice):
            return Strings(self._names, self._codes[place])
        return self._names[int(self._codes[place])]

    def __iter__(self) -> Iterator[str]:
        return map(self._names.__getitem__, self._codes.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def chosen(self, positions: NDArray[np.int64]) -> "Strings":
        """The strings of these documents."""
        return Strings(self._names, self._codes[positions])


Column: TypeAlias = tuple[str, ...] | Strings | None


def strings(column: Sequence[object] | None) -> Column:
    return None if column is None else tuple(map(str, column))


class Collected:
    """Columns that are filled document by document; equal strings are kept once."""

    def __init__(self) -> None:
        self._values: dict[str, list[str | None]] = {name: [] for name in KNOWN}
        self._same: dict[str, str] = {}
        self._language: str | None = None

    def add(self, *known: str | None) -> None:
        """Note what is known of the next document, in the order of `KNOWN`, and its language."""
        *known_, self._language = known
        for values, value in zip(self._values.values(), known_, strict=True):
            values.append(None if value is None else self._same.setdefault(value, value))

    def with_language(self, texts: Iterator[str]) -> Iterator[tuple[str | None, str]]:
        """Each text behind its language, as was noted when it came."""
        for text in texts:
            yield self._language, text

    def columns(self) -> dict[str, Any]:
        """One string per document, empty where unknown; None where no document has one."""
        return {
            name: None if all(value is None for value in values) else tuple(value or "" for value in values)
            for name, values in self._values.items()
        }


def chosen(column: Column, positions: NDArray[np.int64]) -> Column:
    if isinstance(column, Strings):
        return column.chosen(positions)
    return None if column is None else tuple(column[position] for position in positions)


def joined(columns: Sequence[Column]) -> Column:
    """The columns of several corpora, one after the other; None where one of them is unknown."""
    if any(column is None for column in columns):
        return None
    return tuple(value for column in columns for value in column or ())


def compact(column: Sequence[str]) -> tuple[bytes, NDArray[np.int64], NDArray[np.int32]]:
    """(letters, ends, codes) of a column, as `Names` and `Strings` read them."""
    number: dict[str, int] = {}
    codes = np.fromiter((number.setdefault(value, len(number)) for value in column), np.int32, len(column))
    encoded = [name.encode(errors="surrogatepass") for name in number]
    ends = np.concatenate([[0], np.cumsum([len(name) for name in encoded])]).astype(np.int64)
    return b"".join(encoded), ends, codes
