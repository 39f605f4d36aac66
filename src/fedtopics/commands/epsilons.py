"""Epsilons of runs as columns of a table: for a word, a document, a person; and what these leave out."""

from collections.abc import Iterable, Sequence
from typing import Any

from fedtopics.privacy.explain import priced
from fedtopics.runs.run import Run, label

UNITS = ("word", "document", "person")
CLEAR, NOTHING, NO_BOUND = "in the clear", "nothing sent", "no bound"


def units(runs: Sequence[Run]) -> list[str]:
    """What has a column: words always, and whatever else any run has a bound for."""
    return [
        unit
        for unit in UNITS
        if unit == "word" or any(_proved(run.privacy, unit) is not None for run in runs)
    ]


def cell(run: Run, unit: str) -> str:
    """The most that is proved of any party for one `unit` more or less, or why there is no number."""
    if all(row["epsilon"] == 0 for row in run.privacy):
        return NOTHING
    if not any(row["basis"] in ("proved", "claimed") for row in run.privacy):
        return CLEAR
    found = _proved(run.privacy, unit)
    return NO_BOUND if found is None else f"{float(found['epsilon']):.4g}"


def notes(runs: Sequence[Run], columns: Iterable[str]) -> list[str]:
    """What the columns mean, and what they cannot say."""
    found = [_proved(run.privacy, unit) for run in runs for unit in columns]
    deltas = sorted({float(row["delta"]) for row in found if row is not None and row["delta"]})
    told = []
    if any(row is not None for row in found):
        at = f", at delta {', '.join(f'{delta:g}' for delta in deltas)}" if deltas else ""
        told.append(f"epsilon: proved for the worst party, with one of it more or less (add/remove){at}")
    if any(run.record.get("noise") == "simulated" for run in runs):
        told.append("noise simulated from the seed, for experiments: it protects nobody")
    for run in runs:
        for row in _claims(run.privacy):
            claim = priced(row["relation"], float(row["epsilon"]), row["delta"])
            told.append(f"{label(run.record)}: the paper claims {claim}, which is not proved")
    return list(dict.fromkeys(told))


def _proved(privacy: list[dict[str, Any]], unit: str) -> dict[str, Any] | None:
    """What the worst party has spent by a proof; None where one of them has no bound."""
    rows = [row for row in privacy if row["relation"] == f"{unit} add/remove" and row["basis"] != "claimed"]
    worst = max(rows, key=lambda row: float(row["epsilon"]), default=None)
    return worst if worst is not None and worst["basis"] == "proved" else None


def _claims(privacy: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What papers claim beyond what is proved, once for each relation."""
    rows = {row["relation"]: row for row in privacy if row["basis"] == "claimed"}
    proved = {row["relation"]: float(row["epsilon"]) for row in privacy if row["basis"] == "proved"}
    return [row for name, row in rows.items() if proved.get(name, float("inf")) > float(row["epsilon"])]
