"""Which column of a table holds the text, and which id, label, party, person and language of a document."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import TYPE_CHECKING

from fedtopics.documents.corpus import Document
from fedtopics.documents.text.harmless import may_be_text, quoted
from fedtopics.errors import InputError

if TYPE_CHECKING:
    from pyarrow import Schema


_NOTHING = ("NAType", "NaTType")  # of pandas, which need not be installed
logger = logging.getLogger(__name__)
BETWEEN_TEXTS = "\n\n"


@dataclass(frozen=True)
class Columns:
    """Names of columns; `fedtopics.read` says what stands for those that are None.

    text   one, or several, whose texts are joined as paragraphs of one document
    """

    text: str | Sequence[str] | None = None
    party: str | None = None
    label: str | None = None
    id: str | None = None
    person: str | None = None
    language: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", self.texts or None)

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns with text, each once."""
        given = (self.text,) if isinstance(self.text, str) else tuple(self.text or ())
        return tuple(dict.fromkeys(given))

    def among(self, present: Sequence[str], source: str, texts: Sequence[str] | None = None) -> "Columns":
        """The names with nothing left to guess; an error that lists the columns when one is missing.

        texts   the columns that may hold text; None for all
        """
        names = listed(present)
        if len(set(present)) < len(present):
            raise InputError(f"expected columns with different names in {source}, got {names}")
        for name in self.used:
            if name not in present:
                raise InputError(f"expected a column {quoted(name)} in {source}, got {names}")
        text = self.texts or _named("text", present) or _only(present if texts is None else texts)
        if not text:
            raise InputError(
                f"expected a column 'text' in {source}, got {names}; name it by --text-column (text_column)"
            )
        if not self.texts and may_be_text(str(text)):
            logger.warning(
                "the only column of %s is called by a text of %d characters; if that is a document, say that "
                "no line names columns: --no-header (header=False)",
                *(source, len(str(text))),
            )
        found = replace(self, text=text)
        if owner := next((name for name in (self.party, self.person) if name in found.texts), None):
            raise InputError(
                f"expected names of parties or persons beside the texts, got {quoted(owner)} as both"
            )
        unused = [name for name in present if name not in found.used]
        label, number = self.label or _named("label", unused), self.id or _named("id", unused)
        return replace(found, label=label, id=number)

    def found_in(self, schema: "Schema", source: str) -> "Columns":
        """The same for an Arrow schema, which knows which columns are strings."""
        from pyarrow import types

        tests = (types.is_string, types.is_large_string, types.is_string_view)
        texts = [field.name for field in schema if any(test(field.type) for test in tests)]
        return self.among(schema.names, source, texts)

    @property
    def used(self) -> list[str]:
        """The columns to read, each once."""
        names = (*self.texts, self.party, self.label, self.id, self.person, self.language)
        return [name for name in dict.fromkeys(names) if name is not None]

    def document(self, row: Mapping[str, object]) -> Document:
        """The document in a row that has all used columns."""
        text = BETWEEN_TEXTS.join(filter(None, (_string(row[name], name) for name in self.texts)))
        names = (self.id, self.label, self.party, self.person, self.language)
        identity, label, party, person, language = (
            _string(row[name], name) if name else None for name in names
        )
        return Document(text, identity, label, party, person and person.strip(), language)


def check_no_counts(row: Mapping[str, object], columns: Columns, source: str) -> None:
    """Refuse words with their counts, whose names are a document, in place of a row with a text."""
    named = columns.texts or ("text",)
    if row and all(type(value) in (int, float) for value in row.values()) and not set(named) <= row.keys():
        raise InputError(
            f"expected texts in {source}, got numbers alone in a row; counts of words go in as a matrix "
            "(Corpus.from_sparse)"
        )


def listed(names: Sequence[str]) -> str:
    """The names of columns for a message; what may be a document, as where no line names columns, is not.

    >>> listed(["id", "Dear doctor, since Monday my knee hurts again"]), listed(["1", "Knee hurts"])
    ('id, (a name of 45 characters)', '1, (a name of 10 characters)')
    """
    first = 1 if are_data(names) else 3
    shown = [
        f"(a name of {len(name)} characters)" if may_be_text(name) or len(name.split()) > first else name
        for name in names
    ]
    return ", ".join(shown) or "no column"


def are_data(names: Sequence[str]) -> bool:
    """Whether these look like a row of values, not like names: a text, or a number among others, or one line.

    >>> are_data(["id", "text"]), are_data(["1", "2"]), are_data(["17", "knee"])
    (False, False, True)
    """
    numbers = [name.strip().isdecimal() for name in names]
    is_line = len(names) == 1 and len(names[0].split()) > 1
    return is_line or any(map(may_be_text, names)) or (any(numbers) and not all(numbers))


def _named(name: str, present: Iterable[str]) -> str | None:
    return _only([column for column in present if column.lower() == name])


def _only(columns: Sequence[str]) -> str | None:
    return columns[0] if len(columns) == 1 else None


def _string(value: object, column: str) -> str:
    """A cell as a string: empty where there is nothing (pandas writes that as NaN), lists by their items."""
    if value is None or type(value).__name__ in _NOTHING or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, bytes | bytearray | Mapping):
        kind = type(value).__name__
        raise InputError(f"expected text in column {quoted(column)}, got {kind}; make strings of it")
    try:
        return " ".join(map(str, value)) if isinstance(value, list) else str(value)
    except (RecursionError, ValueError):
        raise InputError(
            f"expected text in column {quoted(column)}, got lists or numbers without end"
        ) from None
