"""Show a run under way: its parties, rounds, topics and price, until it ends.

On a terminal it is a panel, with --web a page of this machine alone, and elsewhere, or with --lines, what
happens line by line.

[bold]Examples[/bold]

  fedtopics federation run watch hub

  fedtopics federation run watch hub --web
"""

import sys
from time import sleep
from typing import Annotated

import typer

from fedtopics.commands import live_panel, options, watching
from fedtopics.commands.chosen_run import chosen_run, hub
from fedtopics.network.coordinator.folder import OPEN, RunFolder
from fedtopics.network.coordinator.watching import RunWatch
from fedtopics.report.live.pages import View


def watch(
    folder: options.Coordinator,
    name: options.RunName = "",
    web: watching.Web = False,
    port: watching.Port = 0,
    lines: Annotated[bool, typer.Option("--lines", help="Line by line, on a terminal too.")] = False,
) -> None:
    chosen = chosen_run(folder, name)
    watched = RunWatch(hub(folder), chosen)
    if web:
        watching.on_a_page({"coordinator": View(f"Run {chosen.name}", watched.look)}, port)
    elif lines or not sys.stdout.isatty():
        _say_lines(chosen)
    else:
        live_panel.follow(watched.look, lambda state: state["run"]["state"] not in OPEN)


def _say_lines(run: RunFolder) -> None:
    shown = 0
    while True:
        is_open = run.status().state in OPEN
        lines = run.lines()
        for line in lines[shown:]:
            options.say(line)
        shown = len(lines)
        if not is_open:
            break
        sleep(0.5)
