"""Files as lines of text: compressed or not, with the place of a bad byte in the error.

What a file may ask of memory is bounded before it is read: a line has at most `MOST_LINE` characters, a
compressed file unpacks to at most `MOST_RATIO` times its size (or `ALWAYS_UNPACKED` bytes, if that is more),
and pipes and devices, which may never end, are no files.
"""

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from fedtopics.documents.reading.form import Form
from fedtopics.documents.text.harmless import shown_path
from fedtopics.errors import InputError
from fedtopics.files import check_regular
from fedtopics.progress import bar

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}
_LINES_PER_STEP = 1000
PLAIN = Form()
UTF_16 = "a mark in front says UTF-16: --encoding utf-16"
ANOTHER = (
    "where all of it is in another encoding, name that (--encoding latin-1); where few bytes are wrong, take "
    "--encoding-errors replace or skip"
)
MOST_LINE = 2**26
MOST_RATIO, ALWAYS_UNPACKED = 100, 2**25  # texts shrink to a third or a tenth, hardly ever to less


def plain_name(path: Path) -> str:
    """The file's name without the suffix of its compression: "a.csv" of "a.csv.gz"."""
    return path.stem if path.suffix in _OPENERS else path.name


def lines(path: Path, form: Form = PLAIN, *, progress: bool | None = False) -> Iterator[str]:
    """The lines of a text file with their ends, under a bar that counts the bytes of the file."""
    codec = form.codec
    with (
        _readable(path),
        path.open("rb") as stored,
        bar(path.name, path.stat().st_size, shown=progress) as shown,
    ):
        text = io.TextIOWrapper(_decompressed(path, stored), codec, form.on_bad_bytes, newline="")
        place = 0
        try:
            for number, line in enumerate(iter(partial(text.readline, MOST_LINE + 1), "")):
                if len(line) > MOST_LINE:
                    raise InputError(
                        f"expected lines of at most {MOST_LINE} characters, got a longer one at {path}, "
                        f"line {number + 1}; cut it into documents"
                    )
                yield line
                if number % _LINES_PER_STEP == 0:
                    shown.advance(stored.tell() - place)
                    place = stored.tell()
        except UnicodeError:
            raise _bad_byte(path, form.encoding) from None
        shown.advance(stored.tell() - place)


def _decompressed(path: Path, stored: BinaryIO) -> BinaryIO:
    opener = _OPENERS.get(path.suffix)
    if opener is None:
        return stored
    most = max(ALWAYS_UNPACKED, MOST_RATIO * path.stat().st_size)
    return cast(BinaryIO, io.BufferedReader(_Unpacked(opener(stored, "rb"), path, most), 2**16))


class _Unpacked(io.RawIOBase):
    """The bytes inside a compressed file, as long as they are not too many for its size."""

    def __init__(self, inside: BinaryIO, path: Path, most: int) -> None:
        self._inside, self._path, self._left = inside, path, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._inside.read(len(buffer))
        self._left -= len(content)
        if self._left < 0:
            raise InputError(
                f"expected text that unpacks to at most {MOST_RATIO} times its size, got more from "
                f"{self._path}; if you trust it, unpack it yourself"
            )
        buffer[: len(content)] = content
        return len(content)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turns whatever can go wrong with the file itself into an error that names it."""
    try:
        check_regular(path)
        yield
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error):
        raise InputError(f"expected a whole {path.suffix} file, got a damaged one: {path}") from None
    except OSError as error:
        raise InputError(f"cannot read {shown_path(path)}: {error.strerror or error}") from None
    except MemoryError:
        raise InputError(f"expected a file that fits into memory, got {path}; take a part") from None


def _bad_byte(path: Path, encoding: str) -> InputError:
    """The error that says where the first byte is that the encoding does not know."""
    with path.open("rb") as stored:
        for number, line in enumerate(_decompressed(path, stored), start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                marked = number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
                return InputError(
                    f"expected {encoding} text, got byte 0x{line[error.start]:02x} at {path}, line {number}, "
                    f"byte {error.start + 1}; {UTF_16 if marked else ANOTHER}"
                )
    return InputError(f"expected {encoding} text, got something else in {path}; name the right encoding")
