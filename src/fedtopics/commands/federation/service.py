"""Write a systemd unit that runs this coordinator or party: a user of its own, as few rights as it needs.

Example: fedtopics federation service hub --out fedtopics-hub.service
"""

import json
from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.errors import InputError
from fedtopics.network.plan.plan import Plan
from fedtopics.network.service import Service


def service(
    folder: options.Member,
    out: Annotated[Path | None, typer.Option(help="A new file; printed if not given.")] = None,
    user: Annotated[str, typer.Option(help="Account that it runs as.")] = "fedtopics",
    name: Annotated[str, typer.Option(help="Of the unit; fedtopics-FOLDER if not given.")] = "",
    metrics: options.Metrics = None,
) -> None:
    from fedtopics import files

    is_hub = (folder / "ca.key").is_file()
    if not is_hub and not (folder / "party.key").is_file():
        raise InputError(f"expected the folder of a coordinator or a party, got {folder} without their keys")
    made = Service(
        "coordinator" if is_hub else "party",
        folder,
        name or f"fedtopics-{folder.resolve().name}",
        user,
        None if is_hub else _documents(folder),
        metrics,
        Plan.read(folder / "plan.toml").port if is_hub else None,
    )
    if out is None:
        options.say(made.unit())
        return
    files.publish(out, made.unit(), new=True)
    options.say(f"written to {out}; its first lines say what to do with it")


def _documents(folder: Path) -> Path | None:
    """Where the party's documents are, if they are files."""
    if not (folder / "source.json").is_file():
        raise InputError(
            "expected a party that knows its documents, got one that was never started; join first"
        )
    source = Path(json.loads((folder / "source.json").read_bytes())["source"])
    return source if source.exists() else None
