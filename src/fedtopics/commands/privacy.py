"""`fedtopics privacy`: what a run costs, before it is run and after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options, tables

app = typer.Typer(help="What a run costs in privacy, before it is run and after.", no_args_is_help=True)


@app.command()
def ledger(
    path: Annotated[Path, typer.Argument(metavar="LEDGER", help="A ledger file, as a run wrote it.")],
    as_json: options.Json = False,
) -> None:
    """Check the hash chain of a ledger and print what each party has spent.

    Example: fedtopics privacy ledger runs/demo/ledger.json
    """
    from fedtopics.privacy.release import Ledger

    found = Ledger.from_json(path.read_text(encoding="utf-8"))
    if as_json:
        options.print_json({"statements": found.statements(), "head": found.head})
    else:
        tables.console.print(found.table(), soft_wrap=True)
        tables.console.print(f"hash chain of {len(found.entries)} releases holds; head {found.head}")
