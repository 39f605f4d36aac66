"""The reference of the command line, made from the commands themselves: `python tools/command_reference.py`.

The docs show it on reference/commands.md; it is made while they are built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from fedtopics.commands.application import app

OTHERS = "Options"


def commands(command: Any, name: str = "fedtopics") -> Iterator[tuple[str, Any]]:
    """Every command that is shown, with all that is typed to reach it; groups before what is in them."""
    yield name, command
    for each, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from commands(below, f"{name} {each}")


def reference() -> str:
    """Markdown: a section for each command, its options in tables."""
    return "\n\n".join(_section(name, command) for name, command in commands(get_command(app)))


def options(command: Any) -> list[Any]:
    """What can be given to a command, but for --help and the shell's completion."""
    left_out = {"help", "install_completion", "show_completion"}
    return [each for each in command.params if each.name not in left_out and not getattr(each, "hidden", 0)]


def _section(name: str, command: Any) -> str:
    depth = min(name.count(" ") + 2, 4)
    lines = [f"{'#' * depth} {name}", "", _plain(command.help or "")]
    if hasattr(command, "commands"):
        shown = {each: below for each, below in command.commands.items() if not below.hidden}
        lines += ["", "| command | what it does |", "|---|---|"]
        lines += [f"| `{name} {each}` | {_cell(_first(below.help))} |" for each, below in shown.items()]
        return "\n".join(lines)
    arguments = [each for each in options(command) if each.param_type_name == "argument"]
    usage = " ".join(_argument(each) for each in arguments)
    lines += ["", "```text", f"{name} [OPTIONS] {usage}".strip(), "```"]
    for title, group in _panels(options(command)).items():
        lines += ["", f"| {title} | default | meaning |", "|---|---|---|"]
        lines += [f"| {_names(each)} | {_default(each)} | {_cell(each.help or '')} |" for each in group]
    return "\n".join(lines)


def _panels(found: list[Any]) -> dict[str, list[Any]]:
    panels: dict[str, list[Any]] = {}
    for each in found:
        title = "Arguments" if each.param_type_name == "argument" else OTHERS
        panels.setdefault(getattr(each, "rich_help_panel", None) or title, []).append(each)
    return panels


def _names(option: Any) -> str:
    if option.param_type_name == "argument":
        return f"`{_argument(option)}`"
    names = [*option.opts, *option.secondary_opts]
    return " ".join(f"`{name}`" for name in sorted(names, key=len, reverse=True))


def _argument(argument: Any) -> str:
    name = (argument.metavar or argument.name).upper() + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _default(option: Any) -> str:
    if option.required:
        return "required"
    value = option.show_default if isinstance(option.show_default, str) else option.default
    empty = value is None or value == () or value == [] or callable(value) or "UNSET" in repr(value).upper()
    return "" if empty or isinstance(value, bool) else f"`{value}`"


def _first(text: str | None) -> str:
    return _plain(text or "").split("\n\n")[0]


def _plain(text: str) -> str:
    """Paragraphs, with examples as code."""
    parts = [part.strip() for part in re.sub(r"\x08|\[/?\w+\]", "", text).split("\n\n")]
    parts = [part.removeprefix("Example: ") for part in parts if part not in ("", "Example", "Examples")]
    shown = [_typed(part) if part.startswith("fedtopics ") else part for part in parts]
    return "\n\n".join(shown).replace("\n```\n\n```console\n", "\n")


def _typed(example: str) -> str:
    """One command to a line, also where the help text has broken it."""
    joined = re.sub(r"\s*\n\s*(?!fedtopics )", " ", example)
    lines = "\n".join(f"$ {line.strip()}" for line in joined.split("\n"))
    return f"```console\n{lines}\n```"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    print(reference())
