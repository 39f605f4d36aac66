"""Charge runs in full whose releases this party's ledger has lost, as after an old backup.

Example: fedtopics federation party charge ward --run run-7 --run run-8
"""

from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError


def charge(
    folder: options.Office,
    runs: Annotated[
        list[str] | None, typer.Option("--run", help="A run that began since the backup; may be repeated.")
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="No run has begun since.")] = False,
) -> None:
    from fedtopics.network.party import backup
    from fedtopics.network.party.folder import PartyFolder

    if bool(runs) == none:
        raise InputError(
            "expected --run NAME for each run that began since the backup, or --none, got both or neither"
        )
    place = PartyFolder(folder)
    made = backup.charge(folder, place.name, place.plan, runs or ())
    options.say(f"{made} releases were charged; see fedtopics ledger {folder}")
    for run in runs or ():
        options.say(f"{run}: this party makes no release in it any more")
