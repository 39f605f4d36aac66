"""Spreadsheets made by hand: a .xlsx file is a few XML files in an archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
Cell = str | int | None


def write_workbook(path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]]]) -> Path:
    """Write `sheets`, rows of cells by the name of their sheet, to `path`."""
    numbers = range(1, len(sheets) + 1)
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{TYPE}.worksheet+xml"/>'
        for n in numbers
    )
    names = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="r{n}"/>'
        for n, name in zip(numbers, sheets, strict=True)
    )
    targets = "".join(
        f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    relations = f'<Relationships xmlns="{PACKAGE}/relationships">'
    content = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/>{parts}</Types>',
        "_rels/.rels": f'{relations}<Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"{relations}{targets}</Relationships>",
    }
    for n, rows in zip(numbers, sheets.values(), strict=True):
        content[f"xl/worksheets/sheet{n}.xml"] = _sheet(rows)
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    lines = "".join(
        f'<row r="{r}">{"".join(_cell(r, c, value) for c, value in enumerate(row))}</row>'
        for r, row in enumerate(rows, start=1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(row: int, column: int, value: Cell) -> str:
    place = f"{chr(ord('A') + column)}{row}"
    if value is None:
        return ""
    if isinstance(value, int):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
