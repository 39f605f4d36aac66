"""What the `watch` commands share: a page until it is no longer wanted, a panel, or lines."""

import sys
import webbrowser
from collections.abc import Mapping
from time import sleep
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.network.keeper import until_told_to_stop
from fedtopics.report.live.pages import View
from fedtopics.report.live.serving import served

Web = Annotated[
    bool,
    typer.Option(
        "--web",
        help="A page in the browser instead of a panel here; on this machine only (127.0.0.1), with a secret "
        "in its address.",
    ),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Of that page; any free one if not given.")]


def on_a_page(views: Mapping[str, View], port: int) -> None:
    """Serve the pages and say their address until told to stop."""
    with served(views, port) as address:
        announce(address)
        until_interrupted()


def until_interrupted() -> None:
    """Wait for Ctrl-C, or for the end of this process."""
    options.say("the page is served until you press Ctrl-C", beside=True)
    told = until_told_to_stop()
    while not told():
        sleep(0.2)


def announce(address: str) -> None:
    """Say where the page is; open it where someone sits before a terminal."""
    options.say(f"live view: {address}")
    sys.stdout.flush()
    if sys.stdout.isatty():
        webbrowser.open(address)
