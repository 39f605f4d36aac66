"""Arrays that lie on the disk: the system brings in what is read, and what was read can be let go of again.

A corpus whose words are mapped is worked on in blocks, and what is made of it is mapped as well, in scratch
files that have no name and vanish with the last array on them. They are where temporary files are (TMPDIR).
"""

import mmap
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fedtopics import files
from fedtopics.errors import InputError

AT_ONCE = 2**22  # items of a block


_ours: WeakSet[mmap.mmap] = WeakSet()  # what others map may be a copy that would be lost


def mapping_of(array: NDArray[Any]) -> mmap.mmap | None:
    """The mapping of this module that holds an array; None where it is in memory."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return base if isinstance(base, mmap.mmap) and base in _ours else None


def is_mapped(array: NDArray[Any]) -> bool:
    """Whether the array is on the disk."""
    return mapping_of(array) is not None


def forget(*arrays: NDArray[Any] | None) -> None:
    """Let go of the memory of arrays on the disk; what is in them stays."""
    for array in arrays:
        mapping = None if array is None else mapping_of(array)
        if mapping is not None and hasattr(mmap, "MADV_DONTNEED"):
            mapping.madvise(mmap.MADV_DONTNEED)


def on(file: BinaryIO, dtype: DTypeLike, size: int, *, writable: bool = False) -> NDArray[Any]:
    """An array of the first `size` items of a file."""
    kind = np.dtype(dtype)
    if not size:
        return np.empty(0, kind)
    access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
    mapping = mmap.mmap(file.fileno(), size * kind.itemsize, access=access)
    _ours.add(mapping)
    return np.frombuffer(mapping, kind)


def zeros(size: int, dtype: DTypeLike, like: NDArray[Any]) -> NDArray[Any]:
    """Zeros to be written to, on the disk where another array (`like`) is."""
    if not is_mapped(like):
        return np.zeros(size, dtype)
    with files.scratch() as file, _room():  # taken now: a full disk would end the process later
        n_bytes = max(1, size * np.dtype(dtype).itemsize)
        getattr(os, "posix_fallocate", lambda number, _, n: os.truncate(number, n))(file.fileno(), 0, n_bytes)
        return on(file, dtype, size, writable=True)


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"cannot write a scratch file in {tempfile.gettempdir()}: {error.strerror or error}; make room, "
            "or let TMPDIR name a larger disk"
        ) from error


_expected: WeakKeyDictionary[mmap.mmap, tuple[int, Path]] = WeakKeyDictionary()


def expect(array: NDArray[Any], crc32: int, path: Path) -> None:
    """Note the checksum that the file under an array must have; `verify` looks."""
    mapping = mapping_of(array)
    if mapping is not None:
        _expected[mapping] = crc32, path


def verify(*arrays: NDArray[Any] | None) -> None:
    """Compare arrays with the checksums that are expected of them, once; others pass."""
    for array in arrays:
        mapping = None if array is None else mapping_of(array)
        if mapping is None or mapping not in _expected:
            continue
        (wanted, path), found = _expected[mapping], 0
        whole = np.frombuffer(mapping, np.uint8)
        for start in range(0, len(whole), AT_ONCE):
            found = zlib.crc32(whole[start : start + AT_ONCE].data, found)
            forget(whole)
        if found != wanted:
            raise InputError(
                f"expected a whole corpus in {path.parent}, got other bytes in {path.name} than were "
                "written; index its source anew"
            )
        del _expected[mapping]


class Growing:
    """An array of a `dtype` that grows at its end, on the disk or in memory."""

    def __init__(self, dtype: DTypeLike, *, on_disk: bool) -> None:
        self.dtype, self.size = np.dtype(dtype), 0
        self._file = files.scratch() if on_disk else None
        self._parts: list[NDArray[Any]] = []

    def __del__(self) -> None:
        if self._file is not None:  # what was begun and given up
            self._file.close()

    def append(self, part: NDArray[Any]) -> None:
        """Add items at the end."""
        kept = np.ascontiguousarray(part, self.dtype)
        self.size += len(kept)
        if self._file is None:
            self._parts.append(kept)
        elif len(kept):
            with _room():
                kept.tofile(self._file)

    def array(self) -> NDArray[Any]:
        """All items; nothing can be added after."""
        if self._file is None:
            parts, self._parts = self._parts, []
            return np.concatenate([np.empty(0, self.dtype), *parts])
        with self._file as file, _room():
            file.flush()
            return on(file, self.dtype, self.size)


def blocks(offsets: NDArray[np.int64], at_once: int | None = None) -> Iterator[tuple[int, int]]:
    """(first, last) of successive rows that hold about so many items together, one row at least."""
    n_rows, first, at_once = len(offsets) - 1, 0, at_once or AT_ONCE
    while first < n_rows:
        last = int(np.searchsorted(offsets, offsets[first] + at_once, side="right")) - 1
        last = min(max(last, first + 1), n_rows)
        yield first, last
        first = last


def least_and_most(array: NDArray[Any]) -> tuple[int, int]:
    """The smallest and the largest item of an array that has some, block by block."""
    least, most = int(array[0]), int(array[0])
    for start in range(0, len(array), AT_ONCE):
        part = array[start : start + AT_ONCE]
        least, most = min(least, int(part.min())), max(most, int(part.max()))
        forget(array)
    return least, most


def never_falls(array: NDArray[Any]) -> bool:
    """Whether no item is below the one before it."""
    for start in range(0, len(array), AT_ONCE):
        part = array[start : start + AT_ONCE + 1]
        if (part[1:] < part[:-1]).any():
            return False
        forget(array)
    return True
