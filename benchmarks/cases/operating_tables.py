"""What it takes to operate a federation, before and now, as tables."""

from __future__ import annotations

from statistics import median
from typing import Any

from benchmarks import stored
from benchmarks.markdown_tables import table

BEFORE = "de3bd47"  # the commit before it was cut


def profile_shown() -> str:
    """Where processor time went, and goes."""
    found = stored.values("operating").get("profile", {})
    if not found:
        return ""
    columns = [(role, name) for role in ("party", "coordinator") for name in ("before", "after")]
    kinds = {kind for role, name in columns for kind in found[name][role]} - {"in all"}
    most = {kind: max(found[name][role].get(kind, 0.0) for role, name in columns) for kind in kinds}
    rows = [
        [kind, *(f"{found[name][role].get(kind, 0.0):.2f} s" for role, name in columns)]
        for kind in [*sorted(kinds, key=lambda kind: -most[kind]), "in all"]
    ]
    heads = [f"{role}, {'now' if name == 'after' else name}" for role, name in columns]
    return table(["worker of a", *heads], rows)


def runs_shown() -> str:
    """Seconds by the clock of runs that took turns."""
    found = stored.values("operating").get("runs in turns", {})
    if not found:
        return ""
    rows = []
    for label, name in (("first round", "first round"), ("every further round", "a round"), ("end", "end")):
        cells = [[run[name] for run in found[kind]] for kind in ("before", "after")]
        rows.append([label, *(", ".join(f"{value:.2f}" for value in values) + " s" for values in cells)])
    return table(["by the clock, runs 1, 2, 3", f"before ({BEFORE})", "now"], rows)


def shown() -> str:
    """What it took before and takes now."""
    found = stored.values("operating").get("three parties", {})
    if not found:
        return ""
    rows = []
    for label, path, unit in ROWS:
        cells = [_cell([_at(each, path) for each in found[kind]], unit) for kind in ("before", "after")]
        rows.append([label, *cells])
    return table(["", f"before ({BEFORE})", "now"], rows)


ROWS = [
    ("start: all processes started, until all parties are connected", "start", "s"),
    ("- processor of each party", "processor of a party at the start", "s"),
    ("- processor of the coordinator", "processor of the coordinator at the start", "s"),
    ("first round of a first run, from `run submit`", "first run/first round", "s"),
    ("- processor of each party", "first run/processor of a party, first round", "s"),
    ("- processor of the coordinator", "first run/processor of the coordinator, first round", "s"),
    ("first round of the run after it", "second run/first round", "s"),
    ("every further round", "second run/a round", "ms"),
    ("- processor of each party", "second run/processor of a party, a round", "ms"),
    ("- processor of the coordinator", "second run/processor of the coordinator, a round", "ms"),
    ("end: from the last round until all have the model", "second run/end", "s"),
    ("run of 40 rounds, in all", "first run/in all", "s"),
    ("a party that waits: memory that is its alone", "waiting/megabytes, own", "MB"),
    ("- with its share of what processes share (PSS)", "waiting/megabytes, share", "MB"),
    ("- resident (RSS)", "waiting/megabytes, resident", "MB"),
    ("- processor a minute", "waiting/milliseconds of processor a minute", "per"),
    ("a party that waits after runs: memory that is its alone", "waiting after runs/megabytes, own", "MB"),
    ("- PSS", "waiting after runs/megabytes, share", "MB"),
]


def _at(found: Any, path: str) -> float:
    for name in path.split("/"):
        found = found[name]
    return float(found)


def _cell(values: list[float], unit: str) -> str:
    middle = median(values)
    match unit:
        case "s":
            return f"{middle:.2f} s"
        case "ms":
            return f"{1e3 * middle:.1f} ms"
        case "per":
            return f"{middle:.0f} ms"
        case _:
            return f"{middle:.0f} MB"
