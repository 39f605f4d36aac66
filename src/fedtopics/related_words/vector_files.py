"""Word vectors from files: word2vec, GloVe and fastText, as text or binary. Only known words are kept.

    text           one word and its numbers per line; a first line "n_words n_dimensions" is skipped
    word2vec .bin  that first line, then each word, a space and its numbers as 32-bit floats
    fastText .bin  the model file: a word's vector is the mean of its own row and those of its n-grams
                   (Bojanowski et al., TACL 2017); words that it has not seen get one, too

Text and word2vec files may be compressed (.gz, .xz, .bz2).
"""

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.related_words import fasttext_model

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
SMALLEST_TEXT_BYTE = 9  # a tab; numbers as 32-bit floats have smaller bytes


def read(path: Path, place: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Places and vectors of the words in `place`; the first where a file has a word twice."""
    try:
        with opened(path) as file:
            start = file.read(8)
        if fasttext_model.is_model(start):
            return fasttext_model.read(path, place)
        found = dict(_binary(path, place) if _is_binary(path) else _text(path, place))
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise InputError(f"cannot read the word vectors {path}: {error}") from None
    if not found:
        raise InputError(
            f"no word of the vocabulary ({next(iter(place), '')!r} ...) has a vector in {path}; "
            "check its language, and that words are in lower case"
        )
    known = np.array(sorted(found), np.int64)
    return known, np.stack([found[number] for number in known.tolist()])


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, decompressed."""
    file: IO[bytes] = OPENERS.get(path.suffix, open)(path, "rb")
    return file


def _is_binary(path: Path) -> bool:
    """Whether numbers follow the first line as bytes."""
    if ".bin" in path.suffixes:
        return True
    with opened(path) as file:
        header = _header(file.readline())
        return header is not None and min(file.read(4 * header[1]), default=255) < SMALLEST_TEXT_BYTE


def _header(line: bytes) -> tuple[int, int] | None:
    """(number of words, dimensions) of a first line that has just these."""
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() for part in parts):
        return int(parts[0]), int(parts[1])
    return None


def _text(path: Path, place: Mapping[str, int]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    dimension: int | None = None
    seen: set[int] = set()
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            header = _header(line) if number == 1 else None
            parts = line.split()
            if header is not None or not parts:
                dimension = dimension if header is None else header[1]
                continue
            dimension = len(parts) - 1 if dimension is None else dimension
            if not dimension:
                raise InputError(
                    f"expected word vectors in {path}, a word and its numbers on every line, got "
                    f"one word alone in line {number}"
                )
            if not _fits(parts, dimension):
                raise InputError(
                    f"expected {dimension} numbers after the word in {path}, line {number}, "
                    f"got {len(parts) - 1}; correct the line or the file"
                )
            at = place.get(parts[0].decode("utf-8", "replace"))
            if at is not None and at not in seen and len(parts) == dimension + 1:
                seen.add(at)
                yield at, _numbers(parts[1:], path, number)


def _fits(parts: list[bytes], dimension: int) -> bool:
    """Whether a line has a word and `dimension` numbers; GloVe has words with spaces in them."""
    return len(parts) == dimension + 1 or (len(parts) > dimension + 1 and not _is_number(parts[1]))


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(parts: list[bytes], path: Path, number: int) -> NDArray[np.float32]:
    try:
        row = np.array([float(part) for part in parts], np.float32)
    except ValueError:
        row = np.array([np.nan], np.float32)
    if not np.isfinite(row).all():
        to_do = "correct the line"
        if not any(map(_is_number, parts)):
            to_do = "a dictionary has the codes of its languages in the first line (en<TAB>de)"
        raise InputError(f"expected finite numbers in {path}, line {number}, got others; {to_do}")
    return row


def _binary(path: Path, place: Mapping[str, int]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    seen: set[int] = set()
    with opened(path) as file:
        header = _header(file.readline())
        if header is None:
            raise InputError(f"expected a first line with the numbers of words and dimensions in {path}")
        for number in range(1, header[0] + 1):
            word = _word(file)
            content = file.read(4 * header[1])
            if not word or len(content) != 4 * header[1]:
                raise InputError(
                    f"expected {header[0]} vectors of {header[1]} numbers in {path}, "
                    f"got an end in vector {number}; copy the file again"
                )
            at = place.get(word.decode("utf-8", "replace"))
            row = np.frombuffer(content, "<f4")
            if at is not None and at not in seen:
                if not np.isfinite(row).all():
                    raise InputError(f"expected finite numbers in {path}, vector {number}, got others")
                seen.add(at)
                yield at, row.astype(np.float32)


def _word(file: IO[bytes]) -> bytes:
    """The bytes before the next space, less the line end after the vector before."""
    word = bytearray()
    while (byte := file.read(1)) not in (b" ", b""):
        word += byte
    return bytes(word.lstrip(b"\n"))
