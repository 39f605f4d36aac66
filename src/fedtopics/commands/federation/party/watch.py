"""Show what this party does: its budget, what left this machine, and, with --web, a stop button.

The page is served on this machine alone. It can stop the party only where policy.toml says
`stop_button = true`.

[bold]Examples[/bold]

  fedtopics federation party watch office

  fedtopics federation party watch office --web
"""

import sys
from typing import Annotated

import typer

from fedtopics.commands import live_panel, options, tables, watching
from fedtopics.network.party.watching import PartyWatch
from fedtopics.report.live.pages import View


def watch(
    folder: options.Office,
    web: watching.Web = False,
    port: watching.Port = 0,
    once: Annotated[bool, typer.Option("--once", help="How it stands now, and no more.")] = False,
) -> None:
    watched = PartyWatch(folder)
    if web:
        watching.on_a_page({"party": View(f"Party {folder.name}", watched.look, watched.stop)}, port)
    elif once or not sys.stdout.isatty():
        tables.console.print(live_panel.panel(watched.look()))
    else:
        live_panel.follow(watched.look, lambda state: False)
