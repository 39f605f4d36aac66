"""Serve the federation until this command is stopped; open runs go on where they stood.

Example: fedtopics federation coordinator start hub
"""

import os

from fedtopics import files
from fedtopics.commands import options
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.waiting import Waiting
from fedtopics.network.plan.readiness import check_certificate


def start(folder: options.Coordinator) -> None:
    from fedtopics.network.keeper import Kept, say, until_told_to_stop

    hub = CoordinatorFolder(folder)
    plan = hub.plan
    plan.words(folder)
    Waiting.read(folder)
    os.close(files.lock(folder))  # raises while another process works on the folder
    for name in ("ca", "server"):
        check_certificate(folder / f"{name}.crt")
    say(f"plan {plan.digest} of {', '.join(plan.parties)}")
    with Kept("coordinator", folder, say) as worker:
        worker.keep_going(until_told_to_stop())
