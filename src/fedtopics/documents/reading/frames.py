"""Documents out of what other tools hold in memory: data frames of pandas and polars, Arrow tables, rows.

Frames are read by the Arrow PyCapsule interface, a batch at a time, so none of these tools is needed here.
Rows are mappings from names of columns to values, as `csv.DictReader` or a database gives them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from fedtopics.documents.corpus import Document
from fedtopics.documents.reading.arrow import arrow
from fedtopics.documents.reading.columns import Columns, check_no_counts
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

NAME = "the table"
AS_ROWS = ", or give rows: frame.to_dict('records') of pandas, frame.to_dicts() of polars"
_INDEX = "__index_level_"  # how pandas calls an index without a name


def is_frame(source: object) -> bool:
    """Whether this is a table with columns that speaks Arrow, or a stream of its rows."""
    speaks = hasattr(source, "__arrow_c_stream__")
    return speaks and (hasattr(source, "columns") or hasattr(source, "schema"))


def is_numeric(source: object) -> bool:
    """Whether all columns are numbers: counts of words, not texts."""
    return is_frame(source) and np.asarray(source).dtype.kind in "biuf"


def named_counts(source: Any) -> tuple[str, ...] | None:
    """The words that the columns of counts are called; None where they have numbers for names."""
    names = tuple(getattr(source, "column_names", source.columns) if is_frame(source) else ())
    return names if names and all(isinstance(name, str) for name in names) else None


def are_rows(source: object) -> TypeGuard[Sequence[Mapping[str, Any]]]:
    """Whether these are rows with names: a list whose first item is a mapping."""
    if isinstance(source, str | bytes) or not isinstance(source, Sequence) or not source:
        return False
    return isinstance(source[0], Mapping)


def from_frame(frame: Any, columns: Columns) -> Iterator[Document]:
    """The rows of a data frame or an Arrow table."""
    pyarrow = arrow("data frames", otherwise=AS_ROWS)
    try:
        reader = pyarrow.RecordBatchReader.from_stream(frame)
        names = [name for name in reader.schema.names if not name.startswith(_INDEX)]
        schema = pyarrow.schema([reader.schema.field(name) for name in names])
        found = columns.found_in(schema, NAME)
        for batch in reader:
            for row in batch.select(found.used).to_pylist():
                yield found.document(row)
    except (pyarrow.ArrowException, OverflowError):
        raise InputError(
            "expected columns of one kind each, got texts among other values; make the texts strings"
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"expected texts in UTF-8, got other bytes in {NAME}; decode them before") from None
    except ValueError as error:  # what pandas says shows names of columns
        if isinstance(error, InputError):
            raise
        raise InputError("expected columns with different names, got some twice") from None


def from_rows(rows: Sequence[Mapping[str, Any]], columns: Columns) -> Iterator[Document]:
    """Rows as mappings; all have the columns of the first."""
    check_no_counts(rows[0], columns, NAME)
    texts = [name for name, value in rows[0].items() if isinstance(value, str)]
    found = columns.among(list(map(str, rows[0])), NAME, texts)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputError(f"expected a mapping in row {number}, got {type(row).__name__}")
        missing = next((name for name in found.used if name not in row), None)
        if missing is not None:
            raise InputError(f"expected a column {quoted(missing)} in row {number}, got none")
        yield found.document(row)
