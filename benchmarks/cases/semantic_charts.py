"""Charts of PC-TD from stored results; computes nothing but means."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from benchmarks import stored
from benchmarks.drawing import line_charts
from fedtopics.report.svg import Line, line_chart, side_by_side

SETS = {"ap": "ap", "reuters": "reuters21578", "sotu": "sotu"}


def sigmas() -> str:
    """Perplexity of ap by round, as printed and sound."""
    results, lines = stored.values("semantic_sigmas"), []
    for label, runs in results["ap"].items():
        rounds, values = zip(*runs["0"]["by_round"], strict=True)
        variant, sigma = label.split()
        lines.append(Line(f"{variant}, sigma {sigma}", [*rounds, 35], [*values, runs["0"]["perplexity"]]))
    unigram = next(iter(results["ap"].values()))["0"]["perplexity_unigram"]
    lines.append(Line("unigram", [1, 35], [unigram] * 2, dashed=True))
    panels = {
        "As printed: noise in every round": [line for line in lines if "sound" not in line.name],
        "Sound: noise once": [line for line in lines if "paper" not in line.name],
    }
    return line_charts(panels, "rounds")


def topics() -> str:
    """UMass coherence by number of topics on each set."""
    results, panels = stored.values("semantic_topics"), {}
    for name in (name for name in SETS if name in results):
        points: dict[str, list[tuple[int, float]]] = {}
        for label, runs in results[name].items():
            model, _, number = label.rpartition(", ")
            points.setdefault(model, []).append((int(number), runs["0"]["coherence_umass"]))
        panels[SETS[name]] = [Line(m, *zip(*sorted(found), strict=True)) for m, found in points.items()]
    return line_charts(panels, "topics", "UMass coherence")


def taus() -> str:
    """Perplexity and NPMI by the strength of consistency."""
    results, charts = stored.values("semantic_taus"), []
    for measure, label in (
        ("perplexity", "perplexity / that at tau 0"),
        ("coherence_npmi", "NPMI coherence"),
    ):
        lines = [_by_tau(results[name], title, measure) for name, title in SETS.items() if name in results]
        charts.append(line_chart(lines, title="PC-TD, epsilon 8", x_label="tau", y_label=label))
    return side_by_side(charts)


def _by_tau(found: dict[str, Any], title: str, measure: str) -> Line:
    values = {float(tau): [run[measure] for run in runs.values()] for tau, runs in found.items()}
    scale = fmean(values[0.0]) if measure == "perplexity" else 1.0
    spread = [(min(each) / scale, max(each) / scale) for each in values.values()]
    return Line(title, list(values), [fmean(each) / scale for each in values.values()], spread)
