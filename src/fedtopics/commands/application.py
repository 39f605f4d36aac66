"""The `fedtopics` command."""

import logging
import sys
from typing import Annotated

import typer

from fedtopics import __version__
from fedtopics.commands.family import of
from fedtopics.commands.old_names import WithOldNames
from fedtopics.commands.options import wrapped
from fedtopics.documents.text.harmless import HarmlessFormatter, one_line
from fedtopics.errors import InputError

# What `fedtopics --help` shows, in its order. A name is a file beside this one, or a folder: a family.
PANELS = {
    "Start": ("demo", "train", "compare", "report", "methods", "index", "vocabulary"),
    "Use a model": ("topics", "label", "transform", "evaluate", "classify", "update", "merge", "track"),
    "Privacy": ("explain", "ledger", "calibrate", "audit", "statement", "mechanisms"),
    "Federate": ("federation", "doctor"),
    "Research": (
        *("leaderboard", "monitor", "attack", "audit-claims", "audit-mechanism", "gaussian", "rescore"),
        "select-topics",
    ),
}
app = typer.Typer(
    name="fedtopics",
    help="Federated, private topic modeling: parties learn one topic model, no raw text leaves its owner.",
    cls=of("fedtopics.commands", PANELS, WithOldNames),
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def show_version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Options of `fedtopics` itself."""
    if version:
        typer.echo(f"fedtopics {__version__}")
        raise typer.Exit


class Notes(logging.Handler):
    """Notes on stderr, wrapped to the terminal; above a bar, where one is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one note."""
        print(wrapped(self.format(record), sys.stderr), file=sys.stderr)


def main() -> None:
    """Run the command line; bad input ends with one line on stderr and status 2."""
    notes = Notes()
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
