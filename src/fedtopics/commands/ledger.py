"""Check the hash chain of a ledger and print what each party has spent.

Example: fedtopics ledger runs/demo/ledger.json
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options, party_ledger, tables
from fedtopics.network.party import ledger_file
from fedtopics.privacy.price.ledger import Ledger


def ledger(
    path: Annotated[
        Path,
        typer.Argument(metavar="LEDGER", help="A ledger file, or the folder of a run or of a party."),
    ],
    policy: Annotated[
        Path | None, typer.Option(help="A party's policy.toml, to show what is left of its budgets.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    store = path / party_ledger.STORE
    known = (path / ledger_file.LINES, store / ledger_file.LINES, path / ledger_file.ANCHOR)
    if any(file.is_file() for file in known):  # a party's, in its folder or in its store
        party_ledger.show(path, policy, as_json=as_json)
        return
    path = path / "ledger.json" if path.is_dir() else path
    found = Ledger.from_json(path.read_text(encoding="utf-8", errors="replace"))
    if as_json:
        options.print_json({"statements": found.statements(), "head": found.head})
    else:
        tables.console.print(found.table(), soft_wrap=True)
        tables.console.print(f"hash chain of {len(found.entries)} releases holds; head {found.head}")
