"""Write a page with everything about a run, or about the runs of a comparison. It opens offline.

Example: fedtopics report runs/demo
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics import report as reports
from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.runs import comparison
from fedtopics.runs.run import Run


def report(
    folder: options.RunFolder,
    out: Annotated[
        Path | None, typer.Option(help="HTML file to write; report.html in DIR, written anew, if not given.")
    ] = None,
) -> None:
    if out is not None and out.exists():
        raise InputError(f"{out} exists; choose another --out, nothing is overwritten")
    options.say(put_beside(folder, out))


def put_beside(folder: Path, out: Path | None = None) -> Path:
    """The page of a saved run or comparison, written into its folder or where told."""
    if (folder / comparison.FILE).is_file():
        page = reports.comparison_page(comparison.load(folder))
    else:
        page = reports.run_page(Run.load(folder))
    path = out or folder / reports.FILE
    files.publish(path, page)
    return path


def save_comparison(runs: list[Run], folder: Path) -> Path:
    """The records and the page of several runs, in a new or empty folder; gives the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / reports.FILE
    files.publish(page, reports.comparison_page([run.record for run in runs]))
    files.publish(folder / comparison.FILE, comparison.to_json(runs))
    return page
