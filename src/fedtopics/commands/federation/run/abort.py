"""End a run; it can be resumed."""

from fedtopics.commands import options
from fedtopics.commands.chosen_run import chosen_run
from fedtopics.errors import InputError
from fedtopics.network.coordinator.folder import OPEN


def abort(folder: options.Coordinator, name: options.RunName = "") -> None:
    chosen = chosen_run(folder, name)
    if chosen.status().state not in OPEN:
        raise InputError(f"expected a run that is under way, got {chosen.name}: {chosen.status().state}")
    chosen.abort.touch()
    options.say(f"{chosen.name} will be ended")
