"""Documents out of tables: CSV, tab-separated, JSON lines, Parquet."""

import csv
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from fedtopics.documents.corpus import Document
from fedtopics.documents.reading.arrow import arrow
from fedtopics.documents.reading.columns import Columns, are_data, check_no_counts, listed
from fedtopics.documents.reading.files import ALWAYS_UNPACKED, MOST_LINE, MOST_RATIO, lines
from fedtopics.documents.reading.form import Form
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.files import check_regular
from fedtopics.progress import bar

_ROWS_AT_ONCE = 1024


def from_separated(
    path: Path, columns: Columns, form: Form, *, usual: str, progress: bool | None
) -> Iterator[Document]:
    """Rows of a CSV file; `usual` is what stands between its columns, if nothing says otherwise."""
    csv.field_size_limit(MOST_LINE)
    source = lines(path, form, progress=progress)
    first = next(source, None)
    if first is None:
        return
    said = _said(first)
    separator = form.separator or said or (_seen(first, usual) if form.header else usual)
    rows = csv.reader(source if said else chain([first], source), delimiter=separator, strict=True)
    try:
        head = next(rows, None)
        if head is None:
            return
        if not head:
            raise InputError(f"expected columns on the first line of {path}, got an empty one")
        names = head if form.header else numbers(head)
        found = columns_of_table(columns, names, str(path), header=form.header)
        for row in rows if form.header else chain([head], rows):
            if not row:
                continue
            if len(row) != len(names):
                raise InputError(
                    f"expected {len(names)} fields as in the first row, got {len(row)} at {path}, "
                    f"line {rows.line_num + bool(said)}; separator taken: {separator!r} (--separator)"
                )
            yield found.document(dict(zip(names, row, strict=True)))
    except csv.Error as error:
        raise InputError(
            f"expected CSV, got {error} at {path}, line {rows.line_num}; close every quote, and write one "
            "within a quoted field twice"
        ) from None


def _said(first: str) -> str | None:
    """The separator that a line `sep=;`, as Excel writes it, names."""
    line = first.rstrip("\r\n")
    return line[4] if len(line) == 5 and line.lower().startswith("sep=") else None


def _seen(first: str, usual: str) -> str:
    """What separates the names of columns: the usual, unless they are one with another mark in it."""
    names = next(csv.reader([first], delimiter=usual), [])
    if len(names) != 1:
        return usual
    return next((mark for mark in ";\t|," if mark in names[0]), usual)


def numbers(row: list[str]) -> list[str]:
    """The names of columns that have none: 1, 2, 3 ..."""
    return [str(number) for number in range(1, len(row) + 1)]


def columns_of_table(columns: Columns, names: list[str], source: str, *, header: bool) -> Columns:
    """The columns among these names; where some are missing, perhaps the first row names none."""
    try:
        return columns.among(names, source)
    except InputError as error:
        odd = are_data(names) or any(name.strip().isdecimal() for name in [*names, *columns.used])
        hint = "; where the first row is no header give --no-header (header=False)" if header and odd else ""
        raise InputError(f"{error}{hint}") from None


def from_json(path: Path, columns: Columns, form: Form, *, progress: bool | None) -> Iterator[Document]:
    """Objects of a file with one JSON object per line, or of one JSON array of objects."""
    found: Columns | None = None
    for place, row in _json_rows(path, form, progress):
        if not isinstance(row, dict):
            raise InputError(f"expected a JSON object, got {type(row).__name__} at {place}")
        if found is None:
            check_no_counts(row, columns, str(path))
            texts = [name for name, value in row.items() if isinstance(value, str)]
            found = columns.among(list(row), str(path), texts)
        for name in found.used:
            if name not in row:
                raise InputError(f"expected a column {quoted(name)}, got {listed(list(row))} at {place}")
        yield found.document(row)


def _json_rows(path: Path, form: Form, progress: bool | None) -> Iterator[tuple[str, object]]:
    """Each value with its place in the file."""
    for number, line in enumerate(lines(path, form, progress=progress), start=1):
        if number == 1 and line.lstrip().startswith("["):
            yield from _json_array(path, form)
            return
        if line.strip():
            yield f"{path}, line {number}", _parsed(line.strip(), path, number)


def _json_array(path: Path, form: Form) -> Iterator[tuple[str, object]]:
    values = _parsed("".join(lines(path, form)), path, 1)
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
    pyarrow = arrow("Parquet files")
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
