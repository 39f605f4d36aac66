"""Copy the result of a finished run."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.commands.chosen_model import chosen_model
from fedtopics.commands.chosen_run import chosen_run
from fedtopics.errors import InputError
from fedtopics.runs.run import require_free


def fetch(
    folder: options.Coordinator,
    out: Annotated[Path, typer.Option(help="New or empty folder for model, record and ledger.")],
    name: options.RunName = "",
) -> None:
    chosen = chosen_run(folder, name)
    if chosen.status().state != "finished":
        raise InputError(f"expected a finished run, got {chosen.name}: {chosen.status().state}")
    shutil.copytree(chosen.result, require_free(out), dirs_exist_ok=True)
    chosen_model(out)  # which says where its topics are of no use
    options.say(f"{chosen.name} is in {out}")
