"""What `speech.py` found, for the papers' tables on speech recognition."""

from __future__ import annotations

import json
from typing import Any

import speech
from corpora import RESULTS

from reproduction.items import Finding, verdict
from reproduction.results import Kept

SETS = {"librispeech": "LibriSpeech", "flite": "synthetic"}


def measured_rates(kept: Kept, labels: tuple[str, ...]) -> dict[str, Any]:
    """The error rates of the two evaluations; measured where the stored ones lack a kind of topics."""
    for name in SETS:
        kept(name, lambda n=name: _rates(n, labels))
    return kept.parts


def _rates(name: str, labels: tuple[str, ...]) -> dict[str, Any]:
    file = RESULTS / f"speech_{name}.json"
    if not file.exists():
        speech.run([name])
    stored: dict[str, Any] = json.loads(file.read_text())
    missing = [label for label in labels if f"{label}, interpolation" not in stored["systems"]]
    if missing:
        raise SystemExit(f"{file} has no results of {', '.join(missing)}; move it away to measure anew")
    return stored


def rates_found(parts: dict[str, Any], label: str, honest: str) -> Finding:
    """Whether topics help at all, whether the federation's help most, and by how much."""
    lines, helped, best, significant = [], [], [], []
    for name, shown in SETS.items():
        systems = parts[name]["systems"]
        found = systems[f"{label}, interpolation"]
        alone = {k: s for k, s in systems.items() if k.endswith("alone, interpolation")}
        helped.append(found["minus_n_grams"] < 0)
        significant.append(found["minus_interval"][1] < 0)
        best.append(found["word_error_rate"] < min(s["word_error_rate"] for s in alone.values()))
        rates = ", ".join(
            f"{kind} {100 * systems[f'{kind}, interpolation']['word_error_rate']:.2f} %"
            for kind in (
                "unigram control",
                *(k.removesuffix(", interpolation") for k in alone),
                label,
                "pooled",
            )
        )
        low, high = (100 * value for value in found["minus_interval"])
        rescaled = systems[f"{label}, rescaling"]
        lines.append(
            f"{shown}: n-grams {100 * systems['n-grams']['word_error_rate']:.2f} %, {rates}; "
            f"difference of {label} {100 * found['minus_n_grams']:+.2f} [{low:+.2f}, {high:+.2f}], by "
            "unigram "
            f"rescaling {100 * rescaled['minus_n_grams']:+.2f}."
        )
    calm = ", ".join(
        f"{shown} {100 * parts[name]['systems']['CALM, epsilon 6, interpolation']['word_error_rate']:.2f} % "
        f"({100 * parts[name]['systems']['CALM, epsilon 6, interpolation']['minus_n_grams']:+.2f})"
        for name, shown in SETS.items()
    )
    return Finding(
        verdict(all(significant), all(best)),
        " ".join(lines) + " Sessions resampled, 95 %.",
        f"A gain beyond chance: {_where(significant)}; any gain: {_where(helped)}; federated topics better "
        "than "
        f"each party's: {_where(best)}. N-best lists bound what any language model can do.",
        honest,
        f"{calm} at word add/remove 6.",
    )


def _where(each: list[bool]) -> str:
    names = [shown for shown, value in zip(SETS.values(), each, strict=True) if value]
    return "on " + " and ".join(names) if names else "on neither"
