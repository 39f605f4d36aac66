"""Say how this party is; ends with status 0 (all is well), 1 (someone should look) or 2 (at once).

Example: fedtopics federation party status office --json
"""

import typer

from fedtopics.commands import options


def status(folder: options.Office, as_json: options.Json = False, metrics: options.Metrics = None) -> None:
    from fedtopics.commands.health_shown import show
    from fedtopics.network.party.health import PartyHealth

    raise typer.Exit(show(PartyHealth(folder), as_json=as_json, metrics=metrics))
