"""Word vectors from a fastText model file (.bin), without the library.

The file holds: magic, version; twelve settings and a sampling threshold; the dictionary; a flag; the matrix
of word rows followed by the rows of hashed n-grams. All numbers are little-endian.
"""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

MAGIC, VERSIONS = 793712314, (11, 12)
SETTINGS = "<12id"  # dimension, 7 of training, number of buckets, shortest and longest n-gram, 1, threshold
DICTIONARY = "<3i2q"  # entries, words, labels, tokens, size of the pruned index


class _Settings(NamedTuple):
    dimension: int
    n_buckets: int
    shortest: int
    longest: int


def is_model(start: bytes) -> bool:
    """Whether these first eight bytes are those of a fastText model."""
    return len(start) == 8 and struct.unpack("<2i", start)[0] == MAGIC


def read(path: Path, place: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Places and vectors of the words in `place`: those of the dictionary, and others by their n-grams."""
    with path.open("rb") as file:
        version = struct.unpack("<2i", file.read(8))[1]
        if version not in VERSIONS:
            raise InputError(f"expected a fastText model of version 11 or 12, got version {version}: {path}")
        try:
            settings = _read_settings(file)
            row_of, n_words = _read_dictionary(file)
            start, shape = _read_matrix(file, path)
        except struct.error:
            raise InputError(f"expected a whole fastText model, got one that ends early: {path}") from None
    if path.stat().st_size < start + 4 * shape[0] * shape[1]:
        raise InputError(f"expected a whole fastText model, got one that ends early: {path}")
    matrix = np.memmap(path, "<f4", "r", offset=start, shape=shape)
    known, rows = [], []
    for word, at in sorted(place.items(), key=lambda item: item[1]):
        own = [row_of[word]] if word in row_of else []
        chosen = own + [n_words + bucket for bucket in _buckets(word, settings)]
        if chosen:
            known.append(at)
            rows.append(matrix[chosen].mean(axis=0))
    if not known:
        raise InputError(f"no word of the vocabulary has a vector in {path}; check its language")
    return np.array(known, np.int64), np.array(rows, np.float32)


def _read_settings(file: IO[bytes]) -> _Settings:
    numbers = struct.unpack(SETTINGS, file.read(struct.calcsize(SETTINGS)))
    return _Settings(numbers[0], numbers[8], numbers[9], numbers[10])


def _read_dictionary(file: IO[bytes]) -> tuple[dict[str, int], int]:
    n_entries, n_words, _, _, n_pruned = struct.unpack(DICTIONARY, file.read(struct.calcsize(DICTIONARY)))
    row_of: dict[str, int] = {}
    for number in range(n_entries):
        word = bytearray()
        while (byte := file.read(1)) not in (b"\0", b""):
            word += byte
        is_label = struct.unpack("<qb", file.read(9))[1]
        if not is_label:
            row_of[word.decode("utf-8", "replace")] = number
    if n_pruned > 0:
        raise InputError("expected a fastText model that is not quantized, got one; use its .vec file")
    return row_of, n_words


def _read_matrix(file: IO[bytes], path: Path) -> tuple[int, tuple[int, int]]:
    """Where the input matrix starts, and its shape."""
    quantized, n_rows, dimension = struct.unpack("<?2q", file.read(17))
    if quantized:
        raise InputError(f"expected a fastText model that is not quantized, got {path}; use its .vec file")
    return file.tell(), (n_rows, dimension)


def _buckets(word: str, settings: _Settings) -> list[int]:
    """Buckets of the n-grams of <word>, as fastText hashes them."""
    marked = f"<{word}>"
    sizes = range(settings.shortest, settings.longest + 1)
    grams = [marked[at : at + size] for size in sizes for at in range(len(marked) - size + 1)]
    kept = [gram for gram in grams if gram not in ("<", ">")]
    return [_hash(gram.encode()) % settings.n_buckets for gram in kept] if settings.n_buckets else []


def _hash(content: bytes) -> int:
    """FNV-1a of signed bytes."""
    value = 2166136261
    for byte in content:
        value = (value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) & 0xFFFFFFFF
        value = value * 16777619 & 0xFFFFFFFF
    return value
