"""Look at everything a coordinator or a party needs, line by line: ok, or what to do.

Ends with status 0 (all is well), 1 (someone should look) or 2 (at once).

Examples: fedtopics doctor office
fedtopics doctor hub
"""

from pathlib import Path

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.network.health import Health, exit_status


def doctor(folder: options.Member, as_json: options.Json = False) -> None:
    findings = _patient(folder).diagnosis()
    if as_json:
        options.print_json([vars(found) for found in findings])
    else:
        for found in findings:
            options.say(str(found))
    raise typer.Exit(exit_status(findings))


def _patient(folder: Path) -> Health:
    if (folder / "ca.key").is_file():
        from fedtopics.network.coordinator.health import CoordinatorHealth

        return CoordinatorHealth(folder)
    if (folder / "party.key").is_file():
        from fedtopics.network.party.health import PartyHealth

        return PartyHealth(folder)
    raise InputError(f"expected the folder of a coordinator or a party, got {folder} without their keys")
