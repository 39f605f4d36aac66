"""Text from outside made harmless where it is shown: on a terminal, in a log, in a cell of a spreadsheet."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Number
from os import PathLike
from typing import TypeVar

from fedtopics.errors import InputError

Value = TypeVar("Value", bound=object)
_KEPT = "\n\t\u00a0\u200c\u200d\u3000"  # line ends, tabs, and the spaces and joiners that people write
HALF = "expected texts of whole characters, got half of one; text.encode(errors='replace').decode() mends it"
LONGEST_NAME, MOST_WORDS = 30, 3  # characters and words of a name that a message may quote
MOST_WORDS_OF_PATH, LONGEST_PATH = 6, 4096
_WITHOUT_SPACES = "\u0e00"  # from Thai on, most scripts put no spaces between words, or have short words
_NO_NUMBER = ("could not convert string", "invalid literal for")  # how NumPy begins, and the text comes next
_PATH = re.compile(r"(/|\.{1,2}/|~).*|[!-~]*/[!-~]*|.*[^\s.]\.[A-Za-z]\w{0,7}", re.DOTALL)
_FORMULA = ("=", "+", "-", "@")  # what makes a spreadsheet compute a cell


def printable(text: str) -> str:
    r"""The text with everything that cannot be printed spelled out; line ends and tabs stay.

    Escape sequences could rewrite what stands on a terminal, and marks of direction what it seems to say.

    >>> printable("tax\x1b[2J"), printable("Málaga\nLeón"), printable("\u202ecod.exe")
    ('tax\\x1b[2J', 'Málaga\nLeón', '\\u202ecod.exe')
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _KEPT else ascii(c)[1:-1] for c in text)


def quoted(value: object) -> str:
    """What a message may quote of a value: a name, never what may be a document, which has its length told.

    >>> quoted("north"), quoted(2), quoted("I have had headaches since Monday"), quoted(["headaches"])
    ("'north'", '2', '(a text of 33 characters)', 'list')
    """
    if value is not None and not isinstance(value, str | Number):
        return type(value).__name__
    text = str(value)
    if may_be_text(text):
        return f"(a text of {len(text)} characters)"
    return repr(text) if isinstance(value, str) else text


def may_be_text(name: str) -> bool:
    """Whether this is too long for a name.

    >>> may_be_text("Date of visit"), may_be_text("He was ill again"), may_be_text("頭痛が三日前から続く")
    (False, True, True)
    """
    size = len(name) if name.isascii() else sum(1 if letter < _WITHOUT_SPACES else 4 for letter in name)
    return size > LONGEST_NAME or len(name.split()) > MOST_WORDS


def shown_path(path: str | PathLike[str]) -> str:
    """What a message may show of a path that leads nowhere: not what may be a document in its place.

    >>> shown_path("letters/from the north.csv"), shown_path("I have had headaches since Monday")
    ('letters/from the north.csv', '(a text of 33 characters)')
    """
    text = str(path)
    fits = len(text) <= LONGEST_PATH and len(text.split()) <= MOST_WORDS_OF_PATH
    is_path = fits and _PATH.fullmatch(text)
    return text if is_path or not may_be_text(text) else f"(a text of {len(text)} characters)"


@contextmanager
def showing_no_text(instead: str) -> Iterator[None]:
    """Says `instead` what NumPy says of a text in the place of a number, for that shows the text."""
    try:
        yield
    except ValueError as error:
        if not str(error).startswith(_NO_NUMBER):
            raise
        raise InputError(instead) from None


def one_line(text: str) -> str:
    r"""The text as one line that can be printed: nobody adds lines to another's log.

    >>> one_line("refused\n2026-11-16 finished")
    'refused\\n2026-11-16 finished'
    """
    return printable(text).replace("\n", "\\n")


def cell(value: Value) -> Value | str:
    r"""What a cell of a table may hold: numbers as they are, texts that no spreadsheet takes for a formula.

    >>> cell("=cmd()"), cell("@war"), cell("-0.5"), cell(-0.5), cell("tax\r=1")
    ("'=cmd()", "'@war", '-0.5', -0.5, 'tax\\r=1')
    """
    if not isinstance(value, str):
        return value
    text = one_line(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class HarmlessFormatter(logging.Formatter):
    """Lines of a log that can be printed, whatever they quote."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
