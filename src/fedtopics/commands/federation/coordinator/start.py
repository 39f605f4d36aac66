"""Serve the federation until this command is stopped; open runs go on where they stood.

Example: fedtopics federation coordinator start hub
"""

import os
from typing import Annotated

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.commands.keeping import keep
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.waiting import Waiting
from fedtopics.network.plan.readiness import check_certificate


def start(
    folder: options.Coordinator,
    submit: Annotated[
        bool, typer.Option("--submit", help="Begin a run as soon as the parties are there, where none was.")
    ] = False,
    metrics: options.Metrics = None,
) -> None:
    from fedtopics.network.keeper import say

    hub = CoordinatorFolder(folder)
    plan = hub.plan
    plan.words(folder)
    Waiting.read(folder)
    os.close(files.lock(folder))  # raises while another process works on the folder
    for name in ("ca", "server"):
        check_certificate(folder / f"{name}.crt")
    say(f"plan {plan.digest} of {', '.join(plan.parties)}")
    if submit and not hub.runs():
        say(f"{hub.submit().name} begins when the parties are there; see it: fedtopics federation run watch")
    keep("coordinator", folder, metrics)
