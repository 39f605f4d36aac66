"""What `speech.py` found, for the papers' tables on speech recognition."""

from __future__ import annotations

import json
from typing import Any

import speech
from corpora import RESULTS

from fedtopics.report.svg import side_by_side
from reproduction.bars import WIDTH, bar_chart
from reproduction.items import Finding, Numbers, Parts

SETS = {"librispeech": "LibriSpeech", "flite": "synthetic"}
NEEDED = ("FTM, epsilon 11", "FTM SentenceLDA, epsilon 11", "CALM, epsilon 6", "unigram control", "pooled")
DATA_HERE = """
    LibriSpeech test-clean, as heard by 22 settings of one recognizer, and 339 synthetic sentences (spoken by
    flite, heard by pocketsphinx); transcripts of ljspeech, ami and sotu as three parties, 50 topics; strength
    and weight chosen on other sessions. Theirs: transcripts of 200 hours at three parties, 10 hours to test,
    not public.
"""


def rates() -> dict[str, Any]:
    """The error rates of both evaluations by system, from benchmarks/results.

    Where they are not there they are measured, which takes flite (apt-get install flite), the extra
    fedtopics[speech] and about a quarter of an hour.
    """
    if missing := [name for name in SETS if not (RESULTS / f"speech_{name}.json").exists()]:
        speech.run(missing)
    found = {name: json.loads((RESULTS / f"speech_{name}.json").read_text())["systems"] for name in SETS}
    for name, systems in found.items():
        if lacking := [label for label in NEEDED if f"{label}, interpolation" not in systems]:
            raise SystemExit(f"speech_{name}.json lacks {', '.join(lacking)}; move it away to measure anew")
    return found


PARTS: Parts = {"speech rates": rates}


def _systems(numbers: Numbers, name: str, label: str) -> dict[str, dict[str, Any]]:
    """The systems that the papers' tables have, and the control."""
    systems = numbers["speech rates"][name]
    alone = [
        found.removesuffix(", interpolation") for found in systems if found.endswith("alone, interpolation")
    ]
    chosen = {
        kind: systems[f"{kind}, interpolation"] for kind in ("unigram control", *alone, label, "pooled")
    }
    return {"n-grams": systems["n-grams"]} | chosen


def judge(label: str, honest: str, numbers: Numbers) -> Finding:
    """Whether topics help beyond chance, and whether the federation's help most."""
    checks, lines, calm = {}, [], []
    for name, shown in SETS.items():
        systems = _systems(numbers, name, label)
        found = systems[label]
        alone = [found["word_error_rate"] for kind, found in systems.items() if kind.endswith("alone")]
        checks |= {
            f"{shown}: fewer errors than n-grams, beyond chance": found["minus_interval"][1] < 0,
            f"{shown}: fewer than with each party's topics": found["word_error_rate"] < min(alone),
            f"{shown}: fewer than word frequencies without topics": (
                found["word_error_rate"] < systems["unigram control"]["word_error_rate"]
            ),
        }
        low, high = (100 * value for value in found["minus_interval"])
        rescaled = numbers["speech rates"][name][f"{label}, rescaling"]["minus_n_grams"]
        table = ", ".join(f"{kind} {100 * s['word_error_rate']:.2f} %" for kind, s in systems.items())
        lines.append(
            f"""{shown}: {table}; {label} minus n-grams {100 * found["minus_n_grams"]:+.2f} points
            [{low:+.2f}, {high:+.2f}], by unigram rescaling in place of interpolation
            {100 * rescaled:+.2f}."""
        )
        private = numbers["speech rates"][name]["CALM, epsilon 6, interpolation"]
        calm.append(
            f"{shown} {100 * private['word_error_rate']:.2f} % ({100 * private['minus_n_grams']:+.2f})"
        )
    return Finding(
        checks,
        f"{' '.join(lines)} Intervals: 95 %, sessions resampled; 1 seed.",
        """FTM is the repaired variant. The hypotheses bound what any language model can gain, and the n-grams
        know the parties' text already.""",
        honest,
        f"{'; '.join(calm)} at word add/remove 6.",
    )


def chart(title: str, label: str, numbers: Numbers) -> str:
    charts = [
        bar_chart(
            {kind: [100 * s["word_error_rate"]] for kind, s in _systems(numbers, name, label).items()},
            title=f"{title}: {shown}",
            x_label="word error rate in percent, lower is better",
        )
        for name, shown in SETS.items()
    ]
    return side_by_side(charts, width=WIDTH)
