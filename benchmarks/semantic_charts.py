"""Charts and tables of `semantic.py` from its stored results; computes nothing but means."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fedtopics.report.svg import Line, line_chart, side_by_side

PICTURES = Path(__file__).parents[1] / "docs" / "methods"


def draw(results: dict[str, Any]) -> None:
    """Every chart whose results are there, and the tables on standard output."""
    for part, chart in {"sigmas": sigmas, "topics": topics, "taus": taus}.items():
        if part in results:
            (PICTURES / f"pctd_{part}.svg").write_text(chart(results[part]) + "\n")
    tables = {"consistency": consistency, "relations": consistency, "releases": releases, "parties": parties}
    for part, table in tables.items():
        if part in results:
            print("\n".join(["", *table(results[part])]))


def sigmas(results: dict[str, Any]) -> str:
    lines = []
    for run in results["ap"]:
        label = f"{run['settings'].get('variant', 'sound')}, sigma {run['settings']['sigma']:g}"
        rounds, values = zip(*run["by_round"], strict=True)
        lines.append(Line(label, [*rounds, 35], [*values, run["perplexity"]]))
    unigram = results["ap"][0]["perplexity_unigram"]
    charts = [
        line_chart(
            [*chosen, Line("unigram", [1, 35], [unigram] * 2)],
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
    return side_by_side(
        [
            line_chart(
                [
                    Line(
                        label,
                        [run["settings"]["n_topics"] for run in runs],
                        [run["coherence_umass"] for run in runs],
                    )
                    for label, runs in found.items()
                ],
                title=name,
                x_label="topics",
                y_label="UMass coherence",
            )
            for name, found in results.items()
        ]
    )


def taus(results: dict[str, Any]) -> str:
    charts = []
    for measure, label in (
        ("perplexity", "perplexity / that at tau 0"),
        ("coherence_npmi", "NPMI coherence"),
    ):
        lines = []
        for name, runs in results.items():
            at = [run["settings"]["consistency_tau"] for run in runs]
            first = runs[0][measure] if measure == "perplexity" else 1.0
            lines.append(Line(name, at, [run[measure] / first for run in runs]))
        charts.append(line_chart(lines, title="PC-TD, epsilon 8", x_label="tau", y_label=label))
    return side_by_side(charts)


def consistency(results: dict[str, Any]) -> list[str]:
    lines = ["| set | relation | NPMI | change | perplexity | change |", "|---|---|---|---|---|---|"]
    for name, found in results.items():
        base = {m: np.array([run[m] for run in found["none"]]) for m in ("coherence_npmi", "perplexity")}
        for label, runs in found.items():
            npmi, held_out = (np.array([run[m] for run in runs]) for m in base)
            gain, ratio = npmi - base["coherence_npmi"], held_out / base["perplexity"] - 1
            lines.append(
                f"| {name} | {label} | {npmi.mean():.3f} | {gain.mean():+.3f} ({gain.min():+.3f} to "
                f"{gain.max():+.3f}) | {held_out.mean():.0f} | {100 * ratio.mean():+.1f} % |"
            )
    return lines


def releases(results: dict[str, Any]) -> list[str]:
    names = list(results)
    labels = [label for label in results[names[0]] if label != "facts"]
    lines = [f"| | epsilon | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    unigram = " | ".join(f"{results[name]['paper']['perplexity_unigram']:.0f}" for name in names)
    lines.append(f"| unigram | | {unigram} |")
    for label in labels:
        proved = [row for row in results[names[0]][label]["privacy"] if row["relation"] == "word add/remove"]
        epsilon = proved[0]["epsilon"]
        shown = epsilon if isinstance(epsilon, str) else f"{epsilon:.4g}"
        values = " | ".join(f"{results[name][label]['perplexity']:.0f}" for name in names)
        lines.append(f"| {label} | {shown} | {values} |")
    return lines


def parties(results: dict[str, Any]) -> list[str]:
    lines = ["| set | unigram | all three | party 1 | party 2 | party 3 |", "|---|---|---|---|---|---|"]
    for name, found in results.items():
        values = [found["all"]["perplexity_unigram"], *(run["perplexity"] for run in found.values())]
        lines.append(f"| {name} | {' | '.join(f'{value:.0f}' for value in values)} |")
    return lines
