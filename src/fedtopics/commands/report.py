"""Write a page with everything about a run, or about the runs of a comparison. It opens offline.

[bold]Examples[/bold]

  fedtopics report runs/demo --open

  fedtopics report runs/mails --public
"""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics import report as reports
from fedtopics.commands import options
from fedtopics.commands.chosen_model import chosen_model
from fedtopics.errors import InputError
from fedtopics.runs import comparison
from fedtopics.runs.run import Run


def report(
    folder: options.RunFolder,
    out: Annotated[
        Path | None, typer.Option(help="HTML file to write; report.html in DIR, written anew, if not given.")
    ] = None,
    title: options.Title = None,
    public: Annotated[
        bool,
        typer.Option(
            "--public", help="A page that can be published (public.html), or the reason why there is none."
        ),
    ] = False,
    shown: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
) -> None:
    if out is not None and out.exists():
        raise InputError(f"{out} exists; choose another --out, nothing is overwritten")
    if public:
        chosen_model(folder)  # its publisher is told that topics are of no use: a public page holds no scores
    path = put_beside(folder, out, public=public, title=title)
    options.say(path)
    if shown and not webbrowser.open(path.resolve().as_uri()):
        raise InputError(f"expected a browser to show {path} with, got none; open that file yourself")


def put_beside(
    folder: Path, out: Path | None = None, *, public: bool = False, title: str | None = None
) -> Path:
    """The page of a saved run or comparison, written into its folder or where told; `title`: not its own."""
    is_comparison = (folder / comparison.FILE).is_file()
    if is_comparison and public:
        raise InputError(f"expected a run, got the comparison {folder}: its scores were not paid for")
    if public:
        page = reports.run_page(Run.load(folder), public=True, title=title)
    elif is_comparison:
        records = comparison.load(folder)
        named = title or comparison.title_of(folder)
        page = reports.comparison_page(records, comparison.models(folder, records), title=named)
    else:
        page = reports.run_page(Run.load(folder), title=title)
    path = out or folder / (reports.PUBLIC_FILE if public else reports.FILE)
    if public:
        files.publish(path, page)
    else:  # it shows what private.json does
        files.write(path, page.encode(), failed=files.UNWRITTEN)
    return path


def save_comparison(runs: list[Run], folder: Path, title: str | None = None) -> Path:
    """Records, models and the page of several runs, in a new or empty folder; gives the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    comparison.save(runs, folder, title=title)
    return put_beside(folder)
