"""The charts of the local methods' pages, from what their cases stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import stored
from fedtopics.report.svg import Line, line_chart, side_by_side

CHANNELS = ("rrp", "krr", "t-krr", "hm", "none")
EVERY = 5  # rounds between two scores


def channels() -> str:
    charts = []
    for name, entry in _load("channels").items():
        for sampler in ("gibbs", "metropolis"):
            lines = []
            for channel in CHANNELS:
                chosen = {"channel": channel, "sampler": sampler, "seed": 0}
                run = next(r for r in entry["runs"].values() if chosen.items() <= r["settings"].items())
                at = [float(EVERY * (i + 1)) for i in range(len(run["by_round"]))]
                lines.append(Line(channel, at, run["by_round"]))
            title = f"{name}, {sampler}"
            charts.append(line_chart(lines, title=title, x_label="iterations", y_label="perplexity"))
    return side_by_side(charts) + "\n"


def bits() -> str:
    charts = []
    for name, entry in _load("bits").items():
        laplace = entry["laplace"].values()
        groups = {
            "LP-LDA": list(entry["paper"].values()),
            "Laplace, 1": [r for r in laplace if r["settings"]["sensitivity"] == 1],
            "Laplace, K": [r for r in laplace if r["settings"]["sensitivity"] > 1],
        }
        lines = [
            Line(
                label,
                [float(np.log((1 - r["settings"]["f"] / 2) / (r["settings"]["f"] / 2))) for r in runs],
                [r["perplexity"] for r in runs],
            )
            for label, runs in groups.items()
        ]
        ends = [lines[0].x[0], lines[0].x[-1]]
        lines.append(Line("unigram", ends, [entry["facts"]["unigram"]] * 2))
        charts.append(line_chart(lines, title=name, x_label="epsilon of a bit", y_label="perplexity"))
    return side_by_side(charts) + "\n"


def monitor() -> str:
    results, charts = _load("monitor"), []
    for level in ("word", "document"):
        lines = [
            Line(name, [10.0 * (i + 1) for i in range(30)], entry["readings"][f"{level} printed"])
            for name, entry in results.items()
        ]
        title = f"{level} level, as printed"
        charts.append(line_chart(lines, title=title, x_label="iterations", y_label="epsilon by the monitor"))
    return side_by_side(charts) + "\n"


def varying() -> str:
    charts = []
    for name, entry in _load("varying").items():
        for part in ("epsilon", "n_topics", "delta", "n_reports"):
            by_channel: dict[str, list[dict[str, Any]]] = {}
            for run in entry[part].values():
                by_channel.setdefault(run["settings"]["channel"], []).append(run)
            lines = [
                Line(channel, [float(r["settings"][part]) for r in runs], [r["perplexity"] for r in runs])
                for channel, runs in by_channel.items()
            ]
            charts.append(line_chart(lines, title=name, x_label=part, y_label="perplexity"))
    return side_by_side(charts) + "\n"


def _load(part: str) -> dict[str, Any]:
    return stored.values(f"local_privacy_{part}")
