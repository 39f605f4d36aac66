"""Write what a run protects as a statement to file: YAML for a registry, a page to print.

Example: fedtopics statement runs/mails --name "Topics of our mails" --use "To plan the archive"
--out statement.yaml --page statement.html
"""

from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.report import statement as written
from fedtopics.report.statement import Filing
from fedtopics.report.statement_page import statement_page
from fedtopics.report.yaml_text import yaml_text
from fedtopics.runs.run import Run

SECTORS = ("Technology", "Healthcare", "Education", "Government", "Energy", "Finance")


def statement(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    name: Annotated[str, typer.Option(help="Of what is published.")] = "",
    curator: Annotated[
        list[str] | None, typer.Option(help="Who publishes it; repeat for several. The parties if not given.")
    ] = None,
    use: Annotated[str, typer.Option(help="What it is meant for.")] = "",
    region: Annotated[str, typer.Option(help="Where the documents are from, or whose laws apply.")] = "",
    sector: Annotated[str, typer.Option(help=f"One of {', '.join(SECTORS)}.")] = "",
    published: Annotated[str, typer.Option("--date", help="As 2026-01-31; today if not given.")] = "",
    tuning: Annotated[
        str, typer.Option(help="How settings were chosen, and whether that was paid for.")
    ] = "",
    author: Annotated[list[str] | None, typer.Option(help="Who fills this in; repeat for several.")] = None,
    out: Annotated[Path | None, typer.Option(help="New .yaml file; printed if not given.")] = None,
    page: Annotated[Path | None, typer.Option(help="New .html file: the same as a page to print.")] = None,
) -> None:
    options.require_new_file(out, "--out", ".yaml")
    options.require_new_file(page, "--page", ".html")
    if sector and sector not in SECTORS:
        raise InputError(f"--sector must be one of {', '.join(SECTORS)}, got {sector!r:.40}")
    filing = Filing(name, curator or (), use, region, sector, _day(published), tuning, author or ())
    told = written.statement(Run.load(folder), filing)
    if out is None:
        options.say(yaml_text(told).rstrip("\n"))
    else:
        files.publish(out, yaml_text(told), new=True)
    if page is not None:
        files.publish(page, statement_page(told), new=True)


def _day(text: str) -> str:
    try:
        return f"{date.fromisoformat(text):%Y-%m-%d}" if text else ""
    except ValueError:
        raise InputError(f"--date must be a day as 2026-01-31, got {text!r:.40}") from None
