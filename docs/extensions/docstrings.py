"""Docstrings are plain text: columns of names and meanings become lists, other layout stays as it is."""

import inspect
import re
from typing import Any

ROW = re.compile(r"^(\**\w+(?:, \**\w+)*) {2,}(\S.*)$")


def rows(paragraph: str) -> list[tuple[list[str], str]]:
    """Names and meanings of a paragraph in two columns; nothing where it is another kind of paragraph."""
    found: list[tuple[list[str], str]] = []
    for line in paragraph.split("\n"):
        if head := ROW.match(line):
            found.append((head[1].replace("*", "").split(", "), head[2].replace("*", r"\*")))
        elif found and line.startswith("  "):
            names, meaning = found[-1]
            found[-1] = (names, f"{meaning} {line.strip()}".replace(" *", r" \*"))
        else:
            return []
    return found


def parameters(value: Any) -> set[str]:
    try:
        return set(inspect.signature(value).parameters)
    except (TypeError, ValueError):
        return set()


def listed(found: list[tuple[list[str], str]], known: set[str]) -> str:
    """Fields, which Sphinx shows with their types, where all names are parameters; else a list."""
    if all(name in known for names, _ in found for name in names):
        return "\n".join(f":param {name}: {meaning}" for names, meaning in found for name in names)
    return "\n".join(f"* ``{', '.join(names)}``: {meaning}" for names, meaning in found)


def as_code(text: str) -> str:
    """What stands in single backticks is code."""
    return re.sub(r"(?<!`)`([^`\n]+)`(?!`)", r"``\1``", text)


def show_as_written(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    shown, fields = [], []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        if found := rows(paragraph):
            text = as_code(listed(found, parameters(value)))
            (fields if text.startswith(":param") else shown).append(text)
            continue
        laid_out = re.search(r"^ |\S {2,}\S|\|", paragraph, re.MULTILINE)
        if laid_out and not paragraph.lstrip().startswith((">>>", ".. ", ":")):
            shown.append("::\n\n" + "\n".join(f"    {line}" for line in paragraph.split("\n")))
        else:
            shown.append(as_code(paragraph))
    lines[:] = "\n\n".join(shown + fields).split("\n")


def setup(app: Any) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", show_as_written)
    return {"parallel_read_safe": True}
