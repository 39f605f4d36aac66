"""Documents out of tables: CSV, tab-separated, JSON lines, Parquet."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from fedtopics.documents.corpus import Document
from fedtopics.documents.reading.columns import Columns, listed
from fedtopics.documents.reading.files import ALWAYS_UNPACKED, MOST_LINE, MOST_RATIO, lines
from fedtopics.errors import InputError
from fedtopics.files import check_regular
from fedtopics.progress import bar

_ROWS_AT_ONCE = 1024


def from_separated(
    path: Path, columns: Columns, *, separator: str, encoding: str, progress: bool | None
) -> Iterator[Document]:
    """Rows of a CSV file whose first line names the columns."""
    csv.field_size_limit(MOST_LINE)
    rows = csv.reader(lines(path, encoding, progress=progress), delimiter=separator, strict=True)
    try:
        header = next(rows, None)
        if header is None:
            return
        if not header:
            raise InputError(f"expected the names of columns on the first line of {path}, got an empty one")
        found = columns.among(_checked(header, separator, path), str(path))
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                raise InputError(
                    f"expected {len(header)} fields as in the header, got {len(row)} at {path}, "
                    f"line {rows.line_num}"
                )
            yield found.document(dict(zip(header, row, strict=True)))
    except csv.Error as error:
        raise InputError(
            f"expected CSV, got {error} at {path}, line {rows.line_num}; close every quote, and write one "
            "within a quoted field twice"
        ) from None


def _checked(header: list[str], separator: str, path: Path) -> list[str]:
    """The header, unless it is one column with another separator inside."""
    other = next((mark for mark in ";\t|," if mark != separator and mark in header[0]), None)
    if len(header) == 1 and other is not None:
        raise InputError(
            f"expected columns with {separator!r} between, got one at {path}; "
            f"this looks like {other!r} between: save it as CSV with commas, or as .tsv with tabs"
        )
    return header


def from_json(path: Path, columns: Columns, *, encoding: str, progress: bool | None) -> Iterator[Document]:
    """Objects of a file with one JSON object per line, or of one JSON array of objects."""
    found: Columns | None = None
    for place, row in _json_rows(path, encoding, progress):
        if not isinstance(row, dict):
            raise InputError(f"expected a JSON object, got {type(row).__name__} at {place}")
        if found is None:
            texts = [name for name, value in row.items() if isinstance(value, str)]
            found = columns.among(list(row), str(path), texts)
        for name in found.used:
            if name not in row:
                raise InputError(f"expected a column {name!r}, got {listed(list(row))} at {place}")
        yield found.document(row)


def _json_rows(path: Path, encoding: str, progress: bool | None) -> Iterator[tuple[str, object]]:
    """Each value with its place in the file."""
    for number, line in enumerate(lines(path, encoding, progress=progress), start=1):
        if number == 1 and line.lstrip().startswith("["):
            yield from _json_array(path, encoding)
            return
        if line.strip():
            yield f"{path}, line {number}", _parsed(line.strip(), path, number)


def _json_array(path: Path, encoding: str) -> Iterator[tuple[str, object]]:
    values = _parsed("".join(lines(path, encoding)), path, 1)
    for number, value in enumerate(values if isinstance(values, list) else [values], start=1):
        yield f"{path}, item {number}", value


def _parsed(text: str, path: Path, line: int) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line += error.lineno - 1
        raise InputError(
            f"expected JSON, got none at {path}, line {line}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise InputError(f"expected JSON, got one nested too deeply at {path}, line {line}") from None
    except ValueError:
        raise InputError(f"expected JSON, got a number of too many digits at {path}, line {line}") from None


def from_parquet(path: Path, columns: Columns, *, progress: bool | None) -> Iterator[Document]:
    """Rows of a Parquet file, a batch at a time; a small file that stands for huge texts is refused."""
    import pyarrow
    from pyarrow import parquet

    try:
        check_regular(path)
        left = max(ALWAYS_UNPACKED, MOST_RATIO * path.stat().st_size)
        with parquet.ParquetFile(path) as file:
            schema, about = file.schema_arrow, file.metadata
        found = columns.found_in(schema, str(path))
        if sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups)) > left:
            raise _too_much(path)
        # A text that is stored once for many rows stays one: as plain strings they would fill the memory.
        shared = [name for name in found.used if pyarrow.types.is_string(schema.field(name).type)]
        with (
            parquet.ParquetFile(path, read_dictionary=shared) as file,
            bar(path.name, about.num_rows, shown=progress) as shown,
        ):
            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=found.used):
                for row in zip(*batch.columns, strict=True):
                    values = (value.as_py() for value in row)
                    document = found.document(dict(zip(batch.schema.names, values, strict=True)))
                    left -= len(document.text)
                    if left < 0:
                        raise _too_much(path)
                    yield document
                shown.advance(batch.num_rows)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"expected a Parquet file, got {path}: {' '.join(str(error).split())}") from None


def _too_much(path: Path) -> InputError:
    return InputError(
        f"expected texts of at most {MOST_RATIO} times the size of their file, got more in {path}; "
        "if you trust it, save it as .csv"
    )
