"""Bring a party back from a backup, if that forgets nothing which is known to have been spent.

Where nothing here says that the backup is the newest, no release is made until you have said which runs have
begun since (`fedtopics federation party charge`); those are charged in full.

Example: fedtopics federation party restore ward-2026-11-18.tar --folder ward
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options


def restore(
    source: Annotated[Path, typer.Argument(metavar="BACKUP", help="A file that `backup` has made.")],
    folder: Annotated[Path, typer.Option(help="Of this party; it may be gone, or damaged.")],
) -> None:
    from fedtopics.network.party.backup import restore as restored

    found, newest = restored(source, folder)
    options.say(f"party {found.party} is as it was {found.time}, with {found.entries} releases in the ledger")
    if newest:
        options.say("that is where its ledger ended: nothing was forgotten")
        return
    options.say(
        "whether more was released since, nothing here says. Ask the coordinator which runs have begun,"
    )
    options.say(f"and charge each in full: fedtopics federation party charge {folder} --run NAME; or --none")
