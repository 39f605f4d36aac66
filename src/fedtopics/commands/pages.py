"""`fedtopics report`: what was trained, as a page to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fedtopics import report as reports
from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.run import Run


def register(app: typer.Typer) -> None:
    """Add this command to the application."""
    app.command("report")(report)


def report(
    folder: options.RunFolder,
    out: Annotated[
        Path | None, typer.Option(help="HTML file to write; report.html in DIR, written anew, if not given.")
    ] = None,
) -> None:
    """Write a page with everything about a run: topics, map, quality, privacy. It opens offline.

    Example: fedtopics report runs/demo
    """
    if out is not None and out.exists():
        raise InputError(f"{out} exists; choose another --out, nothing is overwritten")
    typer.echo(put_beside(folder, out))


def put_beside(folder: Path, out: Path | None = None) -> Path:
    """The page of a saved run, written into its folder or where told."""
    return reports.put(reports.run_page(Run.load(folder)), out or folder / reports.FILE)
