"""The commands of `fedtopics`: a file is called as its command is typed.

`fedtopics select-topics` is select_topics.py: the function of that name is the command, and the docstring of
the file is what `--help` prints. A family is one file while it fits in 300 lines (`fedtopics run fetch` is in
run.py), else a folder with a file for each command (`fedtopics privacy ledger` is privacy/ledger.py).
application.py puts them together; what several share is in options.py and tables.py.
"""

from importlib import import_module

import typer


def add(app: typer.Typer, package: str, *commands: str) -> None:
    """Add these commands of a package, in this order."""
    for command in commands:
        name = command.replace("-", "_")
        file = import_module(f"{package}.{name}")
        app.command(command, help=file.__doc__)(getattr(file, name))
