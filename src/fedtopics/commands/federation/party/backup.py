"""Copy all that this party must not lose into one file: its key, its ledger, its store and its models.

The file holds secrets: keep it as you keep party.key. Documents are not in it.

Example: fedtopics federation party backup ward --to ward-2026-11-18.tar
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options


def backup(
    folder: options.Office,
    to: Annotated[Path, typer.Option(help="A new file, on another disk.")],
) -> None:
    from fedtopics.network.party.backup import back_up

    found = back_up(folder, to)
    options.say(
        f"{to}: party {found.party}, {len(found.files)} files, {found.entries} releases in the ledger"
    )
    options.say("it holds this party's key: keep it as secret; make another after each run")
