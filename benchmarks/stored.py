"""Results on file, one file per case, never half written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks import ROOT
from benchmarks.case import Case, Step, Values, call
from fedtopics.errors import InputError

RESULTS = ROOT / "benchmarks" / "results"
DRAFTS = ROOT / "runs" / "benchmarks"  # of cases that are being measured anew


class Results:
    """The steps in a file: value, call, CPU seconds, and the origin where it is known."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.steps: dict[str, dict[str, Any]] = _read(file) if file.exists() else {}

    def has(self, name: str, step: Step) -> bool:
        """Whether a step is stored; one that was called otherwise is not."""
        known = self.steps.get(name)
        return known is not None and known.get("call", call(step)) == call(step)

    def keep(self, name: str, step: Step, value: Any, seconds: float, origin: dict[str, Any]) -> None:
        """Store a step at once."""
        self.steps[name] = {"origin": origin, "call": call(step), "seconds": seconds, "value": value}
        self.save()

    def save(self) -> None:
        """All of the file or none of it; each step is a line and names its origin by its place."""
        origins: list[dict[str, Any]] = []
        steps = {name: dict(step) for name, step in self.steps.items()}
        for step in steps.values():
            if "origin" in step:
                if step["origin"] not in origins:
                    origins.append(step["origin"])
                step["origin"] = origins.index(step["origin"])
        self.file.parent.mkdir(parents=True, exist_ok=True)
        draft = self.file.with_suffix(".draft")
        listed = ",\n".join(map(json.dumps, origins))
        named = ",\n".join(f"{json.dumps(name)}: {json.dumps(step)}" for name, step in steps.items())
        draft.write_text(f'{{"origins": [\n{listed}\n],\n"steps": {{\n{named}\n}}}}\n', encoding="utf-8")
        draft.replace(self.file)

    def refuse_other_versions(self, version: str) -> None:
        """Numbers of two versions do not belong in one table."""
        versions = {step.get("origin", {}).get("version", version) for step in self.steps.values()}
        others = versions - {version}
        if others:
            raise InputError(
                f"expected results of fedtopics {version}, got those of {', '.join(sorted(others))} in "
                f"{self.file}; move it away, or let --fresh without --only measure all of them anew. "
                "Nothing was overwritten"
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


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        steps: dict[str, dict[str, Any]] = found["steps"]
        for step in steps.values():
            if "origin" in step:
                step["origin"] = found["origins"][step["origin"]]
            step["value"]
    except (UnicodeDecodeError, json.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
        raise InputError(
            f"expected stored results in {file}, got something else ({error!r}); move it away"
        ) from None
    return steps
