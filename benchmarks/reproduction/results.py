"""Results that are kept: one file per item, each part in it stored as soon as it is measured.

A run that was stopped goes on where it was. Results of another version are refused, and left as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import fedtopics
from fedtopics.errors import InputError


class UnmeasuredError(Exception):
    """A part is not stored and was not to be measured."""


class Kept:
    """The parts of one item: calling it with a name gives what is stored, or measures and stores it.

    measuring   False: what is not stored raises `UnmeasuredError`
    """

    def __init__(self, folder: Path, key: str, *, measuring: bool = True) -> None:
        self.file, self.measuring = folder / f"{key}.json", measuring
        self.parts: dict[str, Any] = {}
        self.seconds = 0.0
        if self.file.exists():
            stored = _parsed(self.file)
            if stored.get("version") != fedtopics.__version__:
                raise InputError(
                    f"expected results of fedtopics {fedtopics.__version__}, got those of "
                    f"{stored.get('version')} in {self.file}; move them away, nothing was overwritten"
                )
            self.parts, self.seconds = stored["parts"], stored["seconds"]

    def __call__(self, name: str, measure: Callable[[], Any]) -> Any:
        if name not in self.parts:
            if not self.measuring:
                raise UnmeasuredError(name)
            began = perf_counter()
            self.parts[name] = json.loads(json.dumps(measure()))
            taken = perf_counter() - began
            self.seconds += taken
            self._store()
            print(f"    {name}: {taken:.1f} s", flush=True)
        return self.parts[name]

    def _store(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".draft")
        made_by = {"version": fedtopics.__version__, "seconds": self.seconds}
        draft.write_text(json.dumps(made_by | {"parts": self.parts}, indent=1) + "\n", encoding="utf-8")
        draft.replace(self.file)


def _parsed(file: Path) -> dict[str, Any]:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"expected stored results in {file}, got no JSON ({error}); move it away") from None
    if not isinstance(stored, dict) or "parts" not in stored:
        raise InputError(f"expected stored results in {file}, got something else; move it away")
    return stored
