"""How the bytes of a file become documents: encoding, separator of columns, whether a row names them."""

import codecs
import logging
from collections.abc import Iterator
from dataclasses import dataclass

from fedtopics.documents.corpus import Document
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

STRICT, REPLACE, SKIP = "strict", "replace", "skip"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Form:
    """What a file does not say of itself.

    encoding          of text files
    encoding_errors   what becomes of a document with bytes that the encoding does not know: "strict" refuses
                      all of them and says where the first is, "replace" puts a mark in place of each byte,
                      "skip" leaves the document out
    separator         between the columns of a .csv or .tsv file; None: a comma or tab, or whatever the line
                      with their names has instead
    header            whether the first row of such a file or of a spreadsheet names the columns; if not, they
                      are called 1, 2, 3 ...
    sheet             of a spreadsheet, by its name; None: the first
    """

    encoding: str = "utf-8"
    encoding_errors: str = STRICT
    separator: str | None = None
    header: bool = True
    sheet: str | None = None

    def __post_init__(self) -> None:
        if self.encoding_errors not in (STRICT, REPLACE, SKIP):
            raise InputError(
                f"expected encoding errors strict, replace or skip, got {quoted(self.encoding_errors)}"
            )
        if self.separator is not None and (len(self.separator) != 1 or self.separator in '"\r\n'):
            raise InputError(f"expected one character as separator, got {quoted(self.separator)}")

    @property
    def codec(self) -> str:
        """The encoding; a byte-order mark, which some editors put in front of UTF-8, is skipped."""
        try:
            return "utf-8-sig" if codecs.lookup(self.encoding).name == "utf-8" else self.encoding
        except LookupError:
            raise InputError(
                f"expected an encoding such as 'utf-8' or 'latin-1', got {quoted(self.encoding)}"
            ) from None

    @property
    def on_bad_bytes(self) -> str:
        """How Python's decoders are told: bad bytes go on as halves of characters, for `mended` to find."""
        return STRICT if self.encoding_errors == STRICT else "surrogateescape"


def mended(documents: Iterator[Document], form: Form, source: str) -> Iterator[Document]:
    """The documents, none with half of a character in it; a note says how many had some."""
    n_bad = 0
    for document in documents:
        if all(value is None or _is_whole(value) for value in document):
            yield document
            continue
        n_bad += 1
        if form.encoding_errors == STRICT:
            raise InputError(
                f"expected text in {source}, got half of a character; give encoding errors replace or skip"
            )
        if form.encoding_errors == REPLACE:
            text, *known = document
            yield Document(_replaced(text), *(value and _replaced(value) for value in known))
    if n_bad:
        what = "they were left out" if form.encoding_errors == SKIP else "a mark stands for each of them"
        logger.warning(
            "%d documents of %s have bytes that are not %s; %s", n_bad, source, form.encoding, what
        )


def _is_whole(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _replaced(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
