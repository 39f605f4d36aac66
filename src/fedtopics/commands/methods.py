"""List the methods with what each one guarantees and where it comes from, or the settings of one.

Example: fedtopics methods fedlda
"""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from fedtopics import methods as all_methods
from fedtopics.commands import options, tables
from fedtopics.runs.run import label


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
    rows = _settings(name)
    if as_json:
        options.print_json({"method": name, "settings": rows})
        return
    for variant in all_methods.variants(name) or (None,):
        about = all_methods.find(name, variant).about
        called = label({"method": name, "variant": variant})
        tables.print_note(f"{called}: {about.summary}; {about.guarantee}")
    _print_told(rows)


def _settings(name: str) -> list[dict[str, Any]]:
    """Each setting once; for each variant where it belongs to one alone, or differs."""
    variants = all_methods.variants(name) or (None,)
    found: dict[str, list[dict[str, Any]]] = {}
    for variant in variants:
        meaning = all_methods.meanings(name, variant)
        for setting, default in all_methods.settings(name, variant).items():
            told = {"default": variants[0] if setting == "variant" else default, "meaning": meaning[setting]}
            rows = found.setdefault(setting, [])
            if rows and {key: rows[-1][key] for key in told} == told:
                rows[-1]["variant"] = None
            else:
                rows.append({"setting": setting, "variant": variant, **told})
    return [row for rows in found.values() for row in rows]


def _list_methods(as_json: bool) -> None:
    rows = [
        {"method": name, "variant": variant, **asdict(all_methods.find(name, variant).about)}
        for name in all_methods.names()
        for variant in all_methods.variants(name) or (None,)
    ]
    if as_json:
        options.print_json({"methods": rows})
    else:
        _print_told(rows)


def _print_told(rows: list[dict[str, Any]]) -> None:
    """A table of what is told at all: a column in which nothing stands is left out."""
    columns = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    tables.print_rows([{key: "" if row[key] is None else str(row[key]) for key in columns} for row in rows])
