"""List the methods with what each one guarantees and where it comes from, or the settings of one.

Example: fedtopics methods fedlda
"""

from __future__ import annotations

from typing import Annotated

import typer

from fedtopics import methods as all_methods
from fedtopics.commands import options, tables


def methods(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A method: lists its settings.", show_default=False)
    ] = None,
    as_json: options.Json = False,
) -> None:
    if name is None:
        _list_methods(as_json)
    else:
        _list_settings(name, as_json)


def _list_settings(name: str, as_json: bool) -> None:
    """What `--set` takes for this method, with defaults and meanings."""
    method = all_methods.find(name)
    meaning = all_methods.meanings(method)
    rows = [
        {"setting": setting, "default": default, "meaning": meaning[setting]}
        for setting, default in all_methods.settings(method).items()
    ]
    if as_json:
        options.print_json({"method": name, "settings": rows})
        return
    tables.console.print(f"{name}: {method.about.summary}; {method.about.guarantee}", soft_wrap=True)
    tables.print_rows(
        [row | {"default": "" if row["default"] is None else str(row["default"])} for row in rows]
    )


def _list_methods(as_json: bool) -> None:
    abouts = {name: all_methods.find(name).about for name in all_methods.names()}
    rows = [
        {"method": name, "summary": about.summary, "guarantee": about.guarantee, "citation": about.citation}
        for name, about in abouts.items()
    ]
    if as_json:
        options.print_json({"methods": rows})
    else:
        tables.print_rows(rows)
