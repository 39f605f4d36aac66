"""Several runs on the same data, side by side: grouped by method and epsilon, with the spread over seeds.

A comparison folder holds `comparison.json` (`{"schema": ..., "runs": [...], "record_sha256": ...}`, the
records of all runs), `runs/NAME/`, the folder of each run with its model, and `report.html`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from statistics import fmean
from typing import Any

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import RELATIONS
from fedtopics.runs import sharing
from fedtopics.runs.run import (
    Run,
    check_record,
    check_schema,
    label,
    privacy_of,
    protects,
    read_json,
    record_digest,
)

SCHEMA = "fedtopics/comparison/1"
FILE = "comparison.json"
RUNS = "runs"

Record = dict[str, Any]


@dataclass(frozen=True)
class Spread:
    """Mean, lowest and highest value over seeds."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Group:
    """Runs of one method at one epsilon that differ in their seed alone."""

    method: str
    variant: str | None
    epsilon: float | None
    records: tuple[Record, ...]

    @property
    def name(self) -> str:
        return label(self.records[0])

    @property
    def title(self) -> str:
        """Its method and epsilon, with what that is of.

        >>> Group("calm", None, 6.0, ({"method": "calm", "protects": "word add/remove"},)).title
        'calm, epsilon 6 (word add/remove)'
        """
        return (
            self.name if self.epsilon is None else f"{self.name}, epsilon {self.epsilon:g} ({self.protects})"
        )

    @property
    def privacy(self) -> str:
        """What the worst party has spent, in one line."""
        return privacy_of(self.records[0])

    @property
    def protects(self) -> str:
        """The relation that its epsilon is of."""
        return protects(self.records[0])

    @property
    def warnings(self) -> list[str]:
        """Why its topics are of no use, by the first of its runs that has such."""
        return next((found for record in self.records if (found := record.get("warnings"))), [])

    def score(self, name: str) -> Spread:
        return _spread([float(record["scores"][name]) for record in self.records])

    @property
    def seconds(self) -> Spread:
        return _spread([float(record["seconds"]) for record in self.records])

    @property
    def bytes_up(self) -> float:
        """What all parties send in one run."""
        return fmean(sum(entry["bytes_up"] for entry in record["rounds"]) for record in self.records)

    def proved(self, relation: str) -> float:
        """The proved epsilon of the worst party; infinite where nothing is proved."""
        bounds = [
            float(entry["epsilon"])
            for record in self.records
            for entry in sharing.spent(record)
            if entry["relation"] == relation and entry["basis"] == "proved"
        ]
        parties = sum(len({entry["party"] for entry in sharing.spent(record)}) for record in self.records)
        return max(bounds) if bounds and len(bounds) == parties else inf


def grouped(records: Sequence[Record]) -> list[Group]:
    """The runs by method, variant and epsilon, in order of first appearance."""
    groups: dict[tuple[str, str | None, float | None], list[Record]] = {}
    for record in records:
        key = (record["method"], record.get("variant"), record.get("settings", {}).get("epsilon"))
        groups.setdefault(key, []).append(record)
    return [Group(*key, tuple(members)) for key, members in groups.items()]


def common_relation(groups: Sequence[Group]) -> str | None:
    """The relation to compare prices in: the first for which most of the private runs have a bound."""
    private = [group for group in groups if group.epsilon is not None]
    counts = {relation: sum(g.proved(relation) < inf for g in private) for relation in RELATIONS}
    best = max(counts.values(), default=0)
    return next((relation for relation in RELATIONS if counts[relation] == best), None) if best else None


def save(runs: Sequence[Run], folder: Path, *, title: str | None = None) -> None:
    """Write the records of all `runs` and each with its model into a `folder` that is new or empty."""
    for run in runs:
        run.save(folder / RUNS / file_name(run.record))
    files.publish(folder / FILE, to_json(runs, title=title))


def file_name(record: Record) -> str:
    """The folder of a run among those of a comparison.

    >>> file_name({"method": "ftm", "variant": "paper", "seed": 1, "settings": {"epsilon": 7.5}})
    'ftm-paper-epsilon-7.5-seed-1'
    """
    epsilon = record.get("settings", {}).get("epsilon")
    parts = [record["method"], record.get("variant"), None if epsilon is None else f"epsilon-{epsilon:g}"]
    return "-".join([*filter(None, parts), f"seed-{record['seed']}"])


def models(folder: Path, records: Sequence[Record]) -> dict[str, TopicModel]:
    """The model of each group's first run, where the folder has kept them, by method and epsilon."""
    found = {}
    for group in grouped(records):
        path = folder / RUNS / file_name(group.records[0])
        if path.is_dir():
            found[group.title] = TopicModel.load(path)
    return found


def to_json(runs: Sequence[Run], *, title: str | None = None) -> str:
    """The file `comparison.json`."""
    content: Record = {"schema": SCHEMA, "runs": [run.record for run in runs]}
    content |= {} if title is None else {"title": title}
    return json.dumps(content | {"record_sha256": record_digest(content)}, indent=1, allow_nan=False) + "\n"


def title_of(folder: str | Path) -> str | None:
    """What the owner of a comparison folder calls it."""
    title = read_json(Path(folder) / FILE).get("title")
    return title if isinstance(title, str) else None


def load(folder: str | Path) -> list[Record]:
    """The records of a comparison folder; an altered or incomplete one is an error."""
    path = Path(folder) / FILE
    content = read_json(path)
    check_schema(path, content, SCHEMA)
    records: list[Record] = content.get("runs")
    if content.get("record_sha256") != record_digest(content) or not records:
        raise InputError(f"{path} was altered: its hash is not that of its content; use the original")
    for record in records:
        check_record(path, record)
        if "seconds" not in record or not all("bytes_up" in entry for entry in record["rounds"]):
            raise InputError(f"{path} is incomplete: it has no times or sizes of messages; compare again")
    return records


def _spread(values: Sequence[float]) -> Spread:
    return Spread(fmean(values), min(values), max(values))
