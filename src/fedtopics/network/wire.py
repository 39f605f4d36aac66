"""Arrays as bytes and back: what parties and coordinator send each other, compressed and checked.

    "FTW1"              length of the header   header (JSON)   blocks        a message by itself: a snapshot
    "FTW2" + 8 letters  the same                                             one that needs what is `Known`

The header has name, type, shape, coding and size of each array; a block is an array in little-endian order
as `protocol.coding` makes it, and the letters name what sender and receiver have in common of the messages
before. Nothing is ever unpickled, and no array is made before its size is known to be within the limit. Exact
unless `significant_bits` is given: then floating-point numbers keep that many bits, with a relative error of
at most 2^-significant_bits.
"""

import json
import struct
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from fedtopics.errors import InputError
from fedtopics.protocol.coding import CODINGS, NOTHING, CodingError, Known, decoded, encoded
from fedtopics.protocol.turn import Arrays

MAGIC, RELATIVE = b"FTW1", b"FTW2"
DIGEST = 8  # letters
MOST_HEADER = 2**20
SEAL, SEAL_BYTES = b"\nsha256 ", 72  # at the end of a file
MOST_DIMENSIONS = 8
MOST_ELEMENTS = 2**40  # of one array, dimensions of nothing left out: a bound for reshaping, not for memory
TYPES = {
    np.dtype(code).name: np.dtype(code)
    for code in ("?", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f4", "<f8")
}


class WireError(InputError):
    """Bytes that are not a message: cut off, altered, too large or never one."""


class ForgottenError(WireError):
    """A message that is coded by others before it, which are not known here (any more)."""


@dataclass(frozen=True)
class _Block:
    """What the header says of one array."""

    name: str
    type: np.dtype[Any]
    shape: tuple[int, ...]
    coding: str
    n_bytes: int

    @property
    def size(self) -> int:
        """Bytes of the array itself."""
        return prod(self.shape) * self.type.itemsize


def pack(arrays: Arrays, *, significant_bits: int | None = None, known: Known = NOTHING) -> bytes:
    """The arrays as one message, for one who has what is `known`.

    >>> unpack(pack({"counts": np.arange(3)}), limit=100)
    {'counts': array([0, 1, 2])}
    """
    header, blocks = [], []
    for name, array in arrays.items():
        array = np.asarray(array)
        kind = TYPES.get(array.dtype.name)
        if kind is None:
            raise WireError(f"arrays on the wire must hold numbers, got {array.dtype} in {name!r}")
        if significant_bits is not None:
            array = rounded(array, significant_bits)
        coding, block = encoded(name, array.astype(kind, copy=False), known)
        header.append([name, kind.name, list(array.shape), coding, len(block)])
        blocks.append(block)
    described = json.dumps(header, separators=(",", ":")).encode()
    begin = RELATIVE + known.digest.encode() if known.arrays else MAGIC
    return b"".join([begin, struct.pack("<I", len(described)), described, *blocks])


def unpack(
    data: bytes,
    *,
    limit: int,
    names: Collection[str] | None = None,
    number_bytes: int = 1,
    known: Known = NOTHING,
) -> Arrays:
    """The arrays of a message that take at most `limit` bytes together; anything else is a `WireError`.

    names         what the arrays must be called, where that is known: looked at before any of them is made
    number_bytes  that a number counts as at least, for one who is going to hold it so
    known         what is here of the messages before; a message that needs other is a `ForgottenError`
    """
    if is_relative(data) and (not known.arrays or data[len(MAGIC) :][:DIGEST] != known.digest.encode()):
        raise ForgottenError("expected a message that is coded by what is known here, got another")
    blocks, place = _header(data)
    if names is not None and {block.name for block in blocks} != set(names):
        raise WireError(f"expected {', '.join(names)}, got {len(blocks)} arrays with other names")
    total = sum(prod(block.shape) * max(block.type.itemsize, number_bytes) for block in blocks)
    if total > limit:
        raise WireError(f"expected arrays of at most {limit} bytes, got a message that announces {total}")
    if place + sum(block.n_bytes for block in blocks) != len(data):
        raise WireError(f"expected a message as long as its header says, got {len(data)} bytes")
    arrays: Arrays = {}
    for block in blocks:
        arrays[block.name] = _array(block, data[place : place + block.n_bytes], known)
        place += block.n_bytes
    return arrays


def is_relative(data: bytes) -> bool:
    """Whether a message is coded by others before it, and no snapshot.

    >>> is_relative(pack({}))
    False
    """
    return data[: len(RELATIVE)] == RELATIVE


def as_carried(arrays: Arrays, significant_bits: int | None) -> Arrays:
    """The arrays as they are after they were sent."""
    if significant_bits is None:
        return arrays
    return {name: rounded(np.asarray(array), significant_bits) for name, array in arrays.items()}


def rounded(array: NDArray[Any], significant_bits: int) -> NDArray[Any]:
    """Floating-point numbers to this many significant bits; others as they are.

    >>> rounded(np.array([1.1, -3.0]), 8)
    array([ 1.1015625, -3.       ])
    """
    if array.dtype.kind != "f":
        return array
    width = np.finfo(array.dtype).nmant + 1
    if significant_bits < 2:
        raise InputError(f"significant_bits must be at least 2, got {significant_bits}")
    if significant_bits >= width:
        return array
    dropped = width - significant_bits
    bits: NDArray[Any] = np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
    near = ((bits + (1 << (dropped - 1))) >> dropped << dropped).view(array.dtype).reshape(array.shape)
    return np.where(np.isfinite(near), near, array)


def saved(arrays: Arrays) -> bytes:
    """Arrays as a file keeps them: safetensors, sealed."""
    return sealed(save({name: np.ascontiguousarray(a).reshape(np.shape(a)) for name, a in arrays.items()}))


def loaded(content: bytes) -> Arrays:
    """The arrays that `saved` made these bytes of."""
    try:
        return dict(load(unsealed(content)))
    except SafetensorError as error:
        raise WireError(f"expected stored arrays, got {error}") from None


def sealed(content: bytes) -> bytes:
    """What a file keeps, with its hash at the end: a byte that changes on the disk is noticed."""
    return b"".join([content, SEAL, sha256(content).hexdigest().encode()])


def unsealed(content: bytes) -> bytes:
    """What was sealed, if no byte has changed; what has no seal, as none had once, is taken as it is.

    >>> unsealed(sealed(b"north"))
    b'north'
    """
    kept, mark, seal = content[:-SEAL_BYTES], content[-SEAL_BYTES:-64], content[-64:]
    if mark != SEAL:
        return content
    if sha256(kept).hexdigest().encode() != seal:
        raise WireError("expected the bytes that were written, got others: altered, or a disk that fails")
    return kept


def _array(block: _Block, content: bytes, known: Known) -> NDArray[Any]:
    try:
        found = decoded(block.name, block.coding, block.type, prod(block.shape), content, known)
    except CodingError as error:
        raise WireError(str(error)) from None
    return found.reshape(block.shape)


def _header(data: bytes) -> tuple[list[_Block], int]:
    """The blocks that a message announces, and where the first begins."""
    start = len(MAGIC) + 4 + (DIGEST if is_relative(data) else 0)
    if len(data) < start or data[: len(MAGIC)] not in (MAGIC, RELATIVE):
        raise WireError("expected a message of arrays, got other bytes")
    length = struct.unpack_from("<I", data, start - 4)[0]
    if length > min(MOST_HEADER, len(data) - start):
        raise WireError("expected a message with its whole header, got one that is cut off or too long")
    try:
        rows = json.loads(data[start : start + length])
        blocks = [_block(*row) for row in rows]
    except (ValueError, TypeError, RecursionError):
        raise WireError("expected a header that names arrays, got something else") from None
    if len({block.name for block in blocks}) != len(blocks):
        raise WireError("expected every array once, got a header that repeats names")
    return blocks, start + length


def _block(name: object, kind: object, shape: object, coding: object, n_bytes: object) -> _Block:
    if not isinstance(name, str) or kind not in TYPES or coding not in CODINGS:
        raise ValueError
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS:
        raise ValueError
    for number in (*shape, n_bytes):
        if type(number) is not int or not 0 <= number < 2**40:
            raise ValueError
    if prod(number for number in shape if number) > MOST_ELEMENTS:
        raise ValueError
    return _Block(name, TYPES[str(kind)], tuple(shape), str(coding), n_bytes)  # type: ignore[arg-type]
