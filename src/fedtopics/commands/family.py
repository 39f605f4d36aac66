"""A family of commands: a folder, in which each is a file called as it is typed."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

Panels = Mapping[str, Sequence[str]]


def family(package: str, about: str | None, panels: Panels) -> typer.Typer:
    """The commands and inner families of a `package`, which its help shows by `panels` of names.

    A file has a function of its own name, and its docstring is what `--help` prints; an inner family
    has an `app`.
    """
    app = typer.Typer(help=about, cls=in_order(panels), no_args_is_help=True, rich_markup_mode="rich")
    add(app, package, panels)
    return app


def add(app: typer.Typer, package: str, panels: Panels) -> None:
    """Let `app` have the commands of a `package`."""
    for panel, names in panels.items():
        for name in names:
            file = import_module(f"{package}.{name.replace('-', '_')}")
            if hasattr(file, "app"):
                app.add_typer(file.app, name=name, rich_help_panel=panel)
            else:
                command = getattr(file, name.replace("-", "_"))
                app.command(name, help=file.__doc__, rich_help_panel=panel)(command)


def in_order(panels: Panels, kind: type[TyperGroup] = TyperGroup) -> type[TyperGroup]:
    """A `kind` of group whose help keeps the order of `panels`: typer puts families last."""

    class InOrder(kind):  # type: ignore[valid-type, misc]
        def list_commands(self, ctx: Any) -> list[str]:
            return [name for names in panels.values() for name in names]

    return InOrder
