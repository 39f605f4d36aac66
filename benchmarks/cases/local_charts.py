"""The charts of the local methods' pages, from what their cases stored."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np

from benchmarks import stored
from benchmarks.drawing import line_charts
from fedtopics.report.svg import Line, line_chart, side_by_side

CHANNELS = ("rrp", "krr", "t-krr", "hm", "none")
EVERY = 5  # rounds between two scores


def channels() -> str:
    panels: dict[str, list[Line]] = {}
    for name, entry in _load("channels").items():
        for sampler in ("gibbs", "metropolis"):
            curves = {c: entry["runs"][f"{sampler} {c} 0"]["by_round"] for c in CHANNELS}
            lines = [Line(c, [EVERY * (i + 1.0) for i in range(len(y))], y) for c, y in curves.items()]
            panels[f"{name}, {sampler}"] = lines
    return line_charts(panels, "iterations")


def bits() -> str:
    panels: dict[str, list[Line]] = {}
    for name, entry in _load("bits").items():
        runs = [("LP-LDA", run) for run in entry["paper"].values()]
        for run in entry["laplace"].values():
            runs.append((f"Laplace, {'1' if run['settings']['sensitivity'] == 1 else 'K'}", run))
        lines = []
        for label, group in groupby(runs, key=lambda pair: pair[0]):
            chosen = [run for _, run in group]
            rates = np.array([run["settings"]["f"] for run in chosen]) / 2
            epsilons = np.log((1 - rates) / rates).tolist()
            lines.append(Line(label, epsilons, [run["perplexity"] for run in chosen]))
        lines.append(Line("unigram", [epsilons[0], epsilons[-1]], [entry["facts"]["unigram"]] * 2))
        panels[name] = lines
    return line_charts(panels, "epsilon of a bit")


def monitor() -> str:
    at = [10.0 * (i + 1) for i in range(30)]
    panels = {
        f"{level} level, as printed": [
            Line(name, at, entry["readings"][f"{level} printed"]) for name, entry in _load("monitor").items()
        ]
        for level in ("word", "document")
    }
    return line_charts(panels, "iterations", "epsilon by the monitor")


def varying() -> str:
    charts = []
    for name, entry in _load("varying").items():
        for part in ("epsilon", "n_topics", "delta", "n_reports"):
            lines = []
            for channel, group in groupby(entry[part].values(), key=lambda run: run["settings"]["channel"]):
                points = [(float(run["settings"][part]), run["perplexity"]) for run in group]
                lines.append(Line(channel, *zip(*points, strict=True)))
            charts.append(line_chart(lines, title=name, x_label=part, y_label="perplexity"))
    return side_by_side(charts)


def _load(part: str) -> dict[str, Any]:
    return stored.values(f"local_privacy_{part}")
