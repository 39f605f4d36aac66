"""Run -> one self-contained HTML page; several runs -> one page that compares them."""

from pathlib import Path

from fedtopics import files
from fedtopics.report.comparison_page import comparison_page
from fedtopics.report.run_page import run_page
from fedtopics.report.selection_plot import selection_plot
from fedtopics.runs.run import Run

FILE = "report.html"
PUBLIC_FILE = "public.html"

__all__ = ["comparison_page", "run_page", "selection_plot", "write"]


def write(run: Run, path: str | Path) -> Path:
    """Write the page of a `run` to a new file at `path`; gives its path."""
    path = Path(path)
    files.publish(path, run_page(run), new=True)
    return path
