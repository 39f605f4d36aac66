"""The `fedtopics` command."""

import logging
import sys
from importlib import import_module
from typing import Annotated

import typer

from fedtopics import __version__
from fedtopics.documents.text.harmless import HarmlessFormatter, one_line
from fedtopics.errors import InputError

app = typer.Typer(
    name="fedtopics",
    help="Federated, private topic modeling: parties learn one topic model, no raw text leaves its owner.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
COMMANDS = (
    *("demo", "index", "train", "compare", "report", "topics", "transform", "evaluate", "methods"),
    *("select-topics", "classify", "rescore", "leaderboard", "monitor", "simulate"),
)
FAMILIES = ("privacy", "federation", "coordinator", "party", "run")
for name in COMMANDS:
    file = import_module(f"fedtopics.commands.{name.replace('-', '_')}")
    app.command(name, help=file.__doc__)(getattr(file, name.replace("-", "_")))
for name in FAMILIES:
    app.add_typer(import_module(f"fedtopics.commands.{name}").app, name=name)


@app.callback(invoke_without_command=True)
def show_version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Options of `fedtopics` itself."""
    if version:
        typer.echo(f"fedtopics {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; bad input ends with one line on stderr and status 2."""
    notes = logging.StreamHandler(sys.stderr)
    notes.setFormatter(HarmlessFormatter("note: %(message)s"))
    logging.basicConfig(handlers=[notes])
    logging.getLogger("fedtopics").setLevel(logging.INFO)
    try:
        app()
    except (InputError, OSError, UnicodeEncodeError) as error:
        print(f"error: {one_line(' '.join(str(error).split()))}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
