"""Charts of `semantic.py` from its stored results; computes nothing but means."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

from fedtopics.report.svg import Line, line_chart, side_by_side

PICTURES = Path(__file__).parents[1] / "docs" / "methods"
SETS = {"ap": "ap", "reuters": "reuters21578", "sotu": "sotu"}


def draw(results: dict[str, Any]) -> None:
    """Every chart whose results are there."""
    for part, chart in {"sigmas": sigmas, "topics": topics, "taus": taus}.items():
        if part in results:
            (PICTURES / f"pctd_{part}.svg").write_text(chart(results[part]) + "\n")


def sigmas(results: dict[str, Any]) -> str:
    """Perplexity of ap by round, as printed and sound."""
    lines = []
    for label, runs in results["ap"].items():
        rounds, values = zip(*runs["0"]["by_round"], strict=True)
        variant, sigma = label.split()
        lines.append(Line(f"{variant}, sigma {sigma}", [*rounds, 35], [*values, runs["0"]["perplexity"]]))
    unigram = next(iter(results["ap"].values()))["0"]["perplexity_unigram"]
    charts = [
        line_chart(
            [*chosen, Line("unigram", [1, 35], [unigram] * 2, dashed=True)],
            title=title,
            x_label="rounds",
            y_label="perplexity",
        )
        for title, chosen in (
            ("As printed: noise in every round", [line for line in lines if "paper" in line.name]),
            ("Sound: noise once", [line for line in lines if "sound" in line.name]),
        )
    ]
    return side_by_side(charts)


def topics(results: dict[str, Any]) -> str:
    """UMass coherence by number of topics on each set."""
    charts = []
    for name in (name for name in SETS if name in results):
        points: dict[str, list[tuple[int, float]]] = {}
        for label, runs in results[name].items():
            model, _, number = label.rpartition(", ")
            points.setdefault(model, []).append((int(number), runs["0"]["coherence_umass"]))
        lines = [Line(model, *zip(*sorted(found), strict=True)) for model, found in points.items()]
        charts.append(line_chart(lines, title=SETS[name], x_label="topics", y_label="UMass coherence"))
    return side_by_side(charts)


def taus(results: dict[str, Any]) -> str:
    """Perplexity and NPMI by the strength of consistency."""
    return side_by_side(
        [
            line_chart(
                [_by_tau(results[name], title, measure) for name, title in SETS.items() if name in results],
                title="PC-TD, epsilon 8",
                x_label="tau",
                y_label=label,
            )
            for measure, label in (
                ("perplexity", "perplexity / that at tau 0"),
                ("coherence_npmi", "NPMI coherence"),
            )
        ]
    )


def _by_tau(found: dict[str, Any], title: str, measure: str) -> Line:
    values = {float(tau): [run[measure] for run in runs.values()] for tau, runs in found.items()}
    scale = fmean(values[0.0]) if measure == "perplexity" else 1.0
    spread = [(min(each) / scale, max(each) / scale) for each in values.values()]
    return Line(title, list(values), [fmean(each) / scale for each in values.values()], spread)
