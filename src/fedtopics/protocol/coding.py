"""Arrays as blocks of bytes and back: each by the coding that takes the fewest, given what both sides know.

    known          the very array of the last message, under whatever name
    changed        integers that differ little from those of the last message: the differences, coded by an
                   adaptive range coder (`_core/counts.hpp`) that looks at the known number, how it changed
                   last and what changes beside it
    counted        integers without a last message, by the same coder
    shuffled zstd  all first bytes, all second bytes, ..., compressed by Zstandard
    zstd, stored   where that does not help

Nothing is lost by any of them. `Known` is what sender and receiver have in common after a message; it starts
empty, and a message that is coded without it is a snapshot: whoever has missed some needs one.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.protocol import _coder
from fedtopics.protocol.turn import Arrays

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STORED, COMPRESSED, SHUFFLED = "stored", "zstd", "shuffled zstd"
COUNTED, CHANGED, KNOWN = "counted", "changed", "known"
CODINGS = (STORED, COMPRESSED, SHUFFLED, COUNTED, CHANGED, KNOWN)
LEVEL = 3
LEAST = 256  # bytes of an array that is worth a coding of its own
GOOD = 8  # times smaller: no other coding is tried
NONE = np.zeros(0, np.int32)
REACH = np.iinfo(np.int32)


class CodingError(InputError):
    """Bytes that are not the block they are said to be."""


@dataclass(frozen=True, eq=False)
class Known:
    """What both sides have of messages before: the `arrays` of the last, and how integers changed in it."""

    arrays: Arrays = field(default_factory=dict)
    changes: Mapping[str, NDArray[np.int32]] = field(default_factory=dict)

    def after(self, arrays: Arrays) -> "Known":
        """What is known after a message of these arrays.

        >>> Known({"n": np.array([1, 2], np.int32)}).after({"n": np.array([1, 5], np.int32)}).changes
        {'n': array([0, 3], dtype=int32)}
        """
        changes = {}
        for name, array in arrays.items():
            old, new = _whole(self.arrays.get(name)), _whole(array)
            if old is not None and new is not None and old.size == new.size:
                changes[name] = new - old
        return Known(dict(arrays), changes)

    @cached_property
    def digest(self) -> str:
        """Tells one from another; empty where nothing is known."""
        if not self.arrays:
            return ""
        found = 0
        for named in (self.arrays, self.changes):
            for name in sorted(named):
                array = named[name]
                found = crc32(f"{name} {array.dtype.str} {array.shape}\n".encode(), found)
                found = crc32(np.ascontiguousarray(array).data, found)
        return f"{found:08x}"


NOTHING = Known()


def n_bytes(arrays: Arrays, known: Known = NOTHING) -> int:
    """What the blocks of a message take."""
    return sum(len(encoded(name, array, known)[1]) for name, array in arrays.items())


def encoded(name: str, array: NDArray[Any], known: Known = NOTHING) -> tuple[str, bytes]:
    """The coding of an array and its block, for one who knows as much.

    >>> encoded("n", np.arange(99))[0], encoded("n", np.arange(99), Known({"m": np.arange(99)}))
    ('counted', ('known', b'm'))
    """
    if array.nbytes >= LEAST:
        for other, held in known.arrays.items():
            if (held.dtype, held.shape) == (array.dtype, array.shape) and np.array_equal(held, array):
                return KNOWN, other.encode()
        best = _counted(name, array, known)
        if best is not None and GOOD * len(best[1]) < array.nbytes:
            return best
        plain = _compressed(array)
        return plain if best is None or len(plain[1]) <= len(best[1]) else best
    return _compressed(array)


def decoded(
    name: str, coding: str, kind: np.dtype[Any], size: int, content: bytes, known: Known = NOTHING
) -> NDArray[Any]:
    """The `size` numbers of this `kind` in a block, in one dimension; all else is a `CodingError`."""
    if coding == KNOWN:
        held = known.arrays.get(content.decode("utf-8", "replace"))
        if held is None or held.dtype != kind or held.size != size:
            raise CodingError(f"expected an array {name!r:.80} of the last message, got a name of none")
        return held.reshape(-1).copy()
    if coding in (COUNTED, CHANGED):
        return _numbers(name, coding, kind, size, content, known)
    wanted = size * kind.itemsize
    raw = content if coding == STORED else _decompress(content, wanted)
    if len(raw) != wanted:
        raise CodingError(f"expected {wanted} bytes in array {name!r:.80}, got {len(raw)}")
    if coding == SHUFFLED:
        raw = np.frombuffer(raw, np.uint8).reshape(kind.itemsize, -1).T.tobytes()
    if kind.kind == "b" and np.frombuffer(raw, np.uint8).max(initial=0) > 1:
        raise CodingError(f"expected truth values in array {name!r:.80}, got other bytes")
    return np.frombuffer(raw, kind).copy()


def _numbers(
    name: str, coding: str, kind: np.dtype[Any], size: int, content: bytes, known: Known
) -> NDArray[Any]:
    """Integers that the range coder has written."""
    old = _whole(known.arrays.get(name)) if coding == CHANGED else NONE
    if kind.kind not in "iu" or old is None or (coding == CHANGED and old.size != size):
        raise CodingError(f"expected integers that are known already in {name!r:.80}, got others")
    values = np.empty(size, np.int32)
    if not _coder.decode(content, values, old, known.changes.get(name, NONE) if old.size else NONE):
        raise CodingError(f"expected as many bytes as array {name!r:.80} has numbers for, got others")
    return values.astype(kind, copy=False)


def _counted(name: str, array: NDArray[Any], known: Known) -> tuple[str, bytes] | None:
    """An array as the range coder writes it; None where that cannot."""
    values, old = _whole(array), _whole(known.arrays.get(name))
    if values is None:
        return None
    if old is not None and old.size == values.size:
        block = _coder.encode(values, old, known.changes.get(name, NONE))
        if GOOD * len(block) < array.nbytes:
            return CHANGED, block
        anew = _coder.encode(values, NONE, NONE)
        return (CHANGED, block) if len(block) <= len(anew) else (COUNTED, anew)
    return COUNTED, _coder.encode(values, NONE, NONE)


def _whole(array: NDArray[Any] | None) -> NDArray[np.int32] | None:
    """The numbers in one dimension, where they are wide integers that 32 bits hold all the same."""
    if array is None or array.dtype.kind not in "iu" or array.dtype.itemsize < 4 or not array.size:
        return None
    if array.dtype != np.int32 and (int(array.min()) < REACH.min or int(array.max()) > REACH.max):
        return None
    return np.ascontiguousarray(array, np.int32).reshape(-1)


def _compressed(array: NDArray[Any]) -> tuple[str, bytes]:
    raw = np.ascontiguousarray(array).tobytes()
    coding, regrouped = COMPRESSED, raw
    if array.dtype.itemsize > 1:
        coding = SHUFFLED
        regrouped = np.frombuffer(raw, np.uint8).reshape(-1, array.dtype.itemsize).T.tobytes()
    small = zstd.compress(regrouped, LEVEL)
    return (coding, small) if len(small) < len(raw) else (STORED, raw)


def _decompress(content: bytes, size: int) -> bytes:
    """At most one byte more than `size`, whatever the content says of itself."""
    unpacking = zstd.ZstdDecompressor()
    try:
        return unpacking.decompress(content, max_length=size + 1)
    except (zstd.ZstdError, EOFError):
        raise CodingError("expected compressed bytes, got others") from None
