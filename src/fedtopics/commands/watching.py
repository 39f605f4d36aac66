"""What the `watch` commands share: a page until it is no longer wanted, a panel, or lines."""

import sys
import webbrowser
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import sleep
from typing import Annotated

import typer

from fedtopics import files
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
    with served(views, port) as address, announced(address):
        until_interrupted()


def until_interrupted() -> None:
    """Wait for Ctrl-C, or for the end of this process."""
    options.say("the page is served until you press Ctrl-C", beside=True)
    told = until_told_to_stop()
    while not told():
        sleep(0.2)


@contextmanager
def announced(address: str) -> Iterator[None]:
    """Say where the page is; open it where someone sits before a terminal.

    A browser is given a file that leads there: what it is started with, others can read among the processes.
    """
    options.say(f"live view: {address}")
    sys.stdout.flush()
    if not sys.stdout.isatty():
        yield
        return
    with files.scratch_folder(None) as folder:
        way = folder / "live.html"
        files.write(way, f'<meta http-equiv="refresh" content="0; url={address}">\n'.encode())
        webbrowser.open(way.as_uri())
        yield
