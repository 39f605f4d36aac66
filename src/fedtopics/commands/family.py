"""A family of commands: a folder, in which each is a file called as it is typed, imported when it is."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

Panels = Mapping[str, Sequence[str]]


def family(package: str, about: str | None, panels: Panels) -> typer.Typer:
    """The commands and inner families of a `package`, which its help shows by `panels` of names.

    A file has a function of its own name, and its docstring is what `--help` prints; an inner family
    has an `app`.
    """
    return typer.Typer(help=about, cls=of(package, panels), no_args_is_help=True, rich_markup_mode="rich")


def of(package: str, panels: Panels, kind: type[TyperGroup] = TyperGroup) -> type[TyperGroup]:
    """A `kind` of group that has the commands of a `package`; its help keeps the order of `panels`."""

    class Family(kind):  # type: ignore[valid-type, misc]
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.commands = Commands(package, panels)

        def list_commands(self, ctx: Any) -> list[str]:
            return list(self.commands)

    return Family


class Commands(Mapping[str, Any]):
    """The commands of a package by name, each made of its file when it is looked at."""

    def __init__(self, package: str, panels: Panels) -> None:
        self._package, self._made = package, dict[str, Any]()
        self._panel_of = {name: panel for panel, names in panels.items() for name in names}

    def __iter__(self) -> Iterator[str]:
        return iter(self._panel_of)

    def __len__(self) -> int:
        return len(self._panel_of)

    def __contains__(self, name: object) -> bool:
        return name in self._panel_of

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._of_file(name, self._panel_of[name])
        return self._made[name]

    def _of_file(self, name: str, panel: str) -> Any:
        file = import_module(f"{self._package}.{name.replace('-', '_')}")
        alone = typer.Typer(rich_markup_mode="rich")
        if hasattr(file, "app"):
            alone.add_typer(file.app, name=name, rich_help_panel=panel)
        else:
            command = getattr(file, name.replace("-", "_"))
            alone.command(name, help=file.__doc__, rich_help_panel=panel)(command)
        return get_group(alone).commands[name]
