"""Go on with a run that failed or was aborted, from its checkpoint."""

from fedtopics.commands import options
from fedtopics.commands.chosen_run import chosen_run
from fedtopics.errors import InputError
from fedtopics.network.phases import logged


def resume(folder: options.Coordinator, name: options.RunName = "") -> None:
    chosen = chosen_run(folder, name)
    if chosen.status().state not in ("failed", "aborted"):
        raise InputError(f"expected a failed or aborted run, got {chosen.name}: {chosen.status().state}")
    chosen.log("resumed by the operator")
    chosen.change("submitted", "resumed")
    options.say(f"{chosen.name} goes on from {logged(chosen.status().round)}")
