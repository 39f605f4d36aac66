"""Results that are kept: one file per part, written as soon as it is measured.

A run that was stopped goes on where it was. Results of another version, or of other settings, are refused and
left as they are.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import fedtopics
from fedtopics.errors import InputError
from reproduction.items import Part, Parts


@dataclass(frozen=True)
class Result:
    """What a part gave, how it was called, and the CPU seconds it took."""

    value: Any
    recipe: str
    seconds: float


class Results:
    """The results in a folder of these parts."""

    def __init__(self, folder: Path, parts: Parts) -> None:
        self.folder, self.parts = folder, parts
        found = {name: self.file(name) for name in parts}
        self.measured = {name: _read(file, parts[name]) for name, file in found.items() if file.exists()}

    def file(self, name: str) -> Path:
        return self.folder / f"{re.sub('[^a-z0-9.]+', '-', name.lower())}.json"

    def keep(self, name: str, value: Any, seconds: float) -> None:
        """Store a part: the file is there whole, or not at all."""
        result = Result(json.loads(json.dumps(value)), recipe(self.parts[name]), seconds)
        file = self.file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        draft = file.with_suffix(".draft")
        stored = {"version": fedtopics.__version__, "name": name} | asdict(result)
        draft.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
        draft.replace(file)
        self.measured[name] = result

    def values(self, names: Parts) -> dict[str, Any]:
        """What these parts gave; KeyError for the first that is not measured."""
        return {name: self.measured[name].value for name in names}


def recipe(part: Part) -> str:
    """How a part is called, as text: another call is another measurement."""
    if not isinstance(part, partial):
        return f"{part.__module__}.{part.__qualname__}()"
    given = [repr(value) for value in part.args]
    given += [f"{name}={value!r}" for name, value in sorted(part.keywords.items())]
    return f"{part.func.__module__}.{part.func.__qualname__}({', '.join(given)})"


def _read(file: Path, part: Part) -> Result:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
        result = Result(stored["value"], stored["recipe"], stored["seconds"])
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError) as error:
        raise InputError(
            f"expected a stored result in {file}, got something else ({error!r}); {AWAY}"
        ) from None
    if stored["version"] != fedtopics.__version__:
        raise InputError(
            f"expected a result of fedtopics {fedtopics.__version__}, got one of {stored['version']} "
            f"in {file}; {AWAY}"
        )
    if result.recipe != recipe(part):
        raise InputError(f"expected a result of {recipe(part)}, got one of {result.recipe} in {file}; {AWAY}")
    return result


AWAY = "move it away, nothing was overwritten"
