"""Run -> one self-contained HTML page; several runs -> one page that compares them."""

from __future__ import annotations

import os
from pathlib import Path

from fedtopics.errors import InputError
from fedtopics.report.comparison_page import comparison_page
from fedtopics.report.run_page import run_page
from fedtopics.report.selection_plot import selection_plot
from fedtopics.runs.run import Run

FILE = "report.html"

__all__ = ["comparison_page", "run_page", "selection_plot", "write"]


def write(run: Run, path: str | Path) -> Path:
    """Write the page of a `run` to a new file at `path`; gives its path."""
    path = Path(path)
    if path.exists():
        raise InputError(f"{path} exists; choose another file, nothing is overwritten")
    return put(run_page(run), path)


def put(page: str, path: Path) -> Path:
    """Write a page, all of it or nothing."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_text(page, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path
