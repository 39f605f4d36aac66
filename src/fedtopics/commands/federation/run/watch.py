"""Show what happens in a run, line by line, until it ends."""

from time import sleep

from fedtopics.commands import options
from fedtopics.commands.chosen_run import chosen_run
from fedtopics.network.coordinator.folder import OPEN


def watch(folder: options.Coordinator, name: options.RunName = "") -> None:
    chosen, shown = chosen_run(folder, name), 0
    while True:
        is_open = chosen.status().state in OPEN
        lines = chosen.lines()
        for line in lines[shown:]:
            options.say(line)
        shown = len(lines)
        if not is_open:
            break
        sleep(0.5)
