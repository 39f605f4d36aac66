"""Puts the reference of the command line into its page while the docs are built: it cannot be out of date."""

from typing import Any

from tools.command_reference import reference

PLACE = "<!-- all commands -->"


def filled(app: Any, name: str, source: list[str]) -> None:
    if PLACE in source[0]:
        source[0] = source[0].replace(PLACE, reference())


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", filled)
    return {"parallel_read_safe": True}
