"""Files as lines of text: compressed or not, with the place of a bad byte in the error."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from fedtopics.errors import InputError
from fedtopics.progress import bar

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_LINES_PER_STEP = 1000


def plain_name(path: Path) -> str:
    """The file's name without the suffix of its compression: "a.csv" of "a.csv.gz"."""
    return path.stem if path.suffix in _OPENERS else path.name


def lines(path: Path, encoding: str = "utf-8", *, progress: bool | None = False) -> Iterator[str]:
    """The lines of a text file with their ends, under a bar that counts the bytes of the file."""
    _check_encoding(encoding)
    with (
        _readable(path),
        path.open("rb") as stored,
        bar(path.name, path.stat().st_size, shown=progress) as shown,
    ):
        text = io.TextIOWrapper(_decompressed(path, stored), _skipping_mark(encoding), newline="")
        place = 0
        try:
            for number, line in enumerate(text):
                yield line
                if number % _LINES_PER_STEP == 0:
                    shown.advance(stored.tell() - place)
                    place = stored.tell()
        except UnicodeDecodeError:
            raise _bad_byte(path, encoding) from None
        shown.advance(stored.tell() - place)


def _decompressed(path: Path, stored: BinaryIO) -> BinaryIO:
    opener = _OPENERS.get(path.suffix)
    return cast(BinaryIO, opener(stored, "rb")) if opener else stored


def _skipping_mark(encoding: str) -> str:
    """UTF-8 that skips the byte-order mark some editors put in front."""
    return "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding


def _check_encoding(encoding: str) -> None:
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise InputError(f"expected an encoding such as 'utf-8' or 'latin-1', got {encoding!r}") from None


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turns whatever can go wrong with the file itself into an error that names it."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise InputError(
            f"expected a whole {path.suffix} file, got a damaged one: {path} ({error})"
        ) from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _bad_byte(path: Path, encoding: str) -> InputError:
    """The error that says where the first byte is that the encoding does not know."""
    with path.open("rb") as stored:
        for number, line in enumerate(_decompressed(path, stored), start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                return InputError(
                    f"expected {encoding} text, got byte 0x{line[error.start]:02x} at {path}, line {number}, "
                    f"byte {error.start + 1}; name the right encoding, for example 'latin-1'"
                )
    return InputError(f"expected {encoding} text, got something else in {path}; name the right encoding")
