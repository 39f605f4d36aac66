"""Start a run of the plan; `fedtopics federation coordinator start` must be running, or be started later."""

from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.commands.chosen_run import hub


def submit(
    folder: options.Coordinator,
    name: Annotated[str | None, typer.Option("--run", help="Small letters, digits, hyphens.")] = None,
) -> None:
    options.say(hub(folder).submit(name).name)
