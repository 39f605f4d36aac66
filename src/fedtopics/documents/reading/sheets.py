"""Documents out of spreadsheets: .xlsx, .xls, .xlsb, .ods (extra `fedtopics[excel]`)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from fedtopics.documents.corpus import Document
from fedtopics.documents.reading.columns import Columns
from fedtopics.documents.reading.files import ALWAYS_UNPACKED, MOST_RATIO
from fedtopics.documents.reading.form import Form
from fedtopics.documents.reading.tables import columns_of_table, numbers
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.files import check_regular
from fedtopics.progress import track

SUFFIXES = (".xlsx", ".xls", ".xlsb", ".ods")


def from_sheet(path: Path, columns: Columns, form: Form, *, progress: bool | None) -> Iterator[Document]:
    """Rows of one sheet; rows without any content are left out."""
    rows = [row for row in _rows(path, form) if any(cell != "" for cell in row)]
    if not rows:
        return
    names = [_text(cell) for cell in rows[0]] if form.header else numbers(rows[0])
    found = columns_of_table(columns, names, str(path), header=form.header)
    for row in track(rows[1:] if form.header else rows, path.name, shown=progress):
        yield found.document(dict(zip(names, map(_text, row), strict=False)))


def _rows(path: Path, form: Form) -> list[list[Any]]:
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise InputError(
            "spreadsheets need the package python-calamine; install it with: pip install 'fedtopics[excel]'"
        ) from None
    try:
        check_regular(path)
        _check_size(path)
        with CalamineWorkbook.from_path(path) as book:
            if form.sheet is not None and form.sheet not in book.sheet_names:
                names = ", ".join(map(repr, book.sheet_names[:20]))
                raise InputError(f"expected a sheet {quoted(form.sheet)} in {path}, got {names}")
            sheet = form.sheet or book.sheet_names[0]
            return list(book.get_sheet_by_name(sheet).to_python(skip_empty_area=True))
    except (CalamineError, BadZipFile, OSError, IndexError) as error:
        kind = type(error).__name__
        raise InputError(f"expected a spreadsheet, got {path}, which cannot be read ({kind})") from None


def _check_size(path: Path) -> None:
    """Refuse a small file that stands for huge tables."""
    if not is_zipfile(path):
        return
    with ZipFile(path) as archive:
        inside = sum(entry.file_size for entry in archive.infolist())
    if inside > max(ALWAYS_UNPACKED, MOST_RATIO * path.stat().st_size):
        raise InputError(
            f"expected a spreadsheet that unpacks to at most {MOST_RATIO} times its size, got more from "
            f"{path}; if you trust it, save it as .csv"
        )


def _text(cell: Any) -> str:
    """A cell as it is shown: whole numbers without a point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
