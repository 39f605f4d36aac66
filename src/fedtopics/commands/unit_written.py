"""What the two commands that write a systemd unit have in common."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.network.service import Service

Out: TypeAlias = Annotated[Path | None, typer.Option(help="A new file; printed if not given.")]
User: TypeAlias = Annotated[str, typer.Option(help="Account that it runs as.")]
Name: TypeAlias = Annotated[str, typer.Option(help="Of the unit; fedtopics-FOLDER if not given.")]


def write(service: Service, out: Path | None) -> None:
    """Print the unit, or write it to a new file."""
    if out is None:
        options.say(service.unit())
        return
    files.publish(out, service.unit(), new=True)
    options.say(f"written to {out}; its first lines say what to do with it")
