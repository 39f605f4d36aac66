"""Results on file, one per case: each step with its value, call and origin; never half written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks import ROOT
from benchmarks.case import Case, Step, Values, call
from fedtopics.errors import InputError

RESULTS = ROOT / "benchmarks" / "results"
DRAFTS = ROOT / "runs" / "benchmarks"  # of cases that are being measured anew


class Results:
    """The steps in a file. `origins` says where they come from: each step names one by its place."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.origins: list[dict[str, Any]] = []
        self.steps: dict[str, dict[str, Any]] = {}
        if file.exists():
            found = _read(file)
            self.origins, self.steps = found.get("origins", []), found["steps"]

    def has(self, name: str, step: Step) -> bool:
        """Whether a step is stored; one that was called otherwise is not."""
        known = self.steps.get(name)
        return known is not None and known.get("call", call(step)) == call(step)

    def keep(self, name: str, step: Step, value: Any, seconds: float, origin: dict[str, Any]) -> None:
        """Store a step at once."""
        if origin not in self.origins:
            self.origins.append(origin)
        self.steps[name] = {
            "origin": self.origins.index(origin),
            "call": call(step),
            "seconds": seconds,
            "value": value,
        }
        self.save()

    def take(self, other: Results, names: Iterable[str]) -> None:
        """Take the steps of another file, forget those that are not among these names, and store it all."""
        start = len(self.origins)
        self.origins += other.origins
        taken = {name: step | {"origin": step["origin"] + start} for name, step in other.steps.items()}
        merged = self.steps | taken
        self.steps = {name: merged[name] for name in names if name in merged}
        used = sorted({step["origin"] for step in self.steps.values() if "origin" in step})
        self.origins = [self.origins[place] for place in used]
        for step in self.steps.values():
            if "origin" in step:
                step["origin"] = used.index(step["origin"])
        self.save()

    def save(self) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".draft")
        text = json.dumps({"origins": self.origins, "steps": self.steps}, indent=1)
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(self.file)

    def origin_of(self, name: str) -> dict[str, Any]:
        """What is known of a step; nothing where it is of unknown origin."""
        place = self.steps[name].get("origin")
        return {} if place is None else self.origins[place]

    def refuse_other_versions(self, version: str) -> None:
        """Numbers of two versions do not belong in one table."""
        others = {origin["version"] for origin in self.origins if origin.get("version")} - {version}
        if others:
            raise InputError(
                f"expected results of fedtopics {version}, got those of {', '.join(sorted(others))} in "
                f"{self.file}; --fresh measures all of them anew, nothing was overwritten"
            )


def results_of(case: Case) -> Results:
    return Results(RESULTS / f"{case.name}.json")


def draft_of(case: Case) -> Results:
    return Results(DRAFTS / f"{case.name}.json")


def values(name: str) -> Values:
    """What is stored of a case, nested at the slashes of the names of its steps.

    A file that is not there holds nothing.
    """
    nested: Values = {}
    for path, step in Results(RESULTS / f"{name}.json").steps.items():
        *folders, last = path.split("/")
        place = nested
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = step["value"]
    return nested


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        steps, origins = found["steps"], found.get("origins", [])
        places = [step["origin"] for step in steps.values() if "origin" in step]
        sound = all("value" in step for step in steps.values()) and set(places) <= set(range(len(origins)))
    except (UnicodeDecodeError, json.JSONDecodeError, AttributeError, KeyError, TypeError) as error:
        raise InputError(
            f"expected stored results in {file}, got something else ({error!r}); move it away"
        ) from None
    if not sound:
        raise InputError(f"expected steps with values and origins in {file}, got others; move it away")
    return dict(found)
