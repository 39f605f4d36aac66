"""Say how the coordinator is; ends with status 0 (all is well), 1 (someone should look) or 2 (at once).

Example: fedtopics federation coordinator status hub --json
"""

import typer

from fedtopics.commands import options


def status(
    folder: options.Coordinator, as_json: options.Json = False, metrics: options.Metrics = None
) -> None:
    from fedtopics.commands.health_shown import show
    from fedtopics.network.coordinator.health import CoordinatorHealth

    raise typer.Exit(show(CoordinatorHealth(folder), as_json=as_json, metrics=metrics))
