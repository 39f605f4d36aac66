"""The tables of the page on applications, from what `classification.py` and `speech.py` stored."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from markdown_tables import table

RESULTS = Path(__file__).parent / "results"
SETS = ("enron_spam", "sms_spam", "imdb", "20newsgroups", "ohsumed")
SCORES = ("accuracy", "precision", "recall", "f1")


def classification() -> str:
    """Means over the seeds, the spread of AUC (largest less smallest), and its difference to `pooled`."""
    head = ["set", "seeds", "topics", "accuracy", "precision", "recall", "F1", "AUC (spread)", "AUC - pooled"]
    rows = []
    for name in SETS:
        seeds = list(_load(f"classification_{name}")["seeds"].values())
        for features in seeds[0]:
            areas = [seed[features]["auc"][0] for seed in seeds]
            behind = fmean(area - seed["pooled"]["auc"][0] for area, seed in zip(areas, seeds, strict=True))
            scores = [f"{fmean(seed[features][score][0] for seed in seeds):.3f}" for score in SCORES]
            area = f"{fmean(areas):.3f} ({max(areas) - min(areas):.3f})"
            rows.append([name, str(len(seeds)), features, *scores, area, f"{100 * behind:+.1f} points"])
    return table(head, rows)


def librispeech() -> str:
    """Real recognizer outputs."""
    return _speech("librispeech")


def flite() -> str:
    """Synthetic speech."""
    return _speech("flite")


def _speech(name: str) -> str:
    """Word error rates, and differences to the n-grams and to the control, in percent with intervals."""
    head = ["language model", "word error rate", "minus n-grams", "minus control", "strength", "weight"]
    found = _load(f"speech_{name}")
    size = (
        f"{found['n_test']:,} test utterances of {found['n_test_sessions']} sessions, "
        f"{found['n_hypotheses']:.2f} hypotheses each; the best ones: {100 * found['best_possible']:.2f} %."
    )
    return f"{size}\n\n{table(head, list(_systems(found['systems'])))}"


def _systems(systems: dict[str, Any]) -> Iterator[list[str]]:
    for label, found in systems.items():
        beyond = ""
        if "minus_control" in found and not label.startswith("unigram control"):
            beyond = _interval(found["minus_control"], found["minus_control_interval"], "+.2f")
        setting = found["setting"]
        others = [f"{100 * value:+.2f}" for value in found.get("other_seeds", {}).values()]
        yield [
            label,
            _interval(found["word_error_rate"], found["interval"], ".2f"),
            ", ".join([_interval(found["minus_n_grams"], found["minus_interval"], "+.2f"), *others]),
            beyond,
            f"{setting['strength']:g}",
            f"{setting['weight']:g}",
        ]


def _interval(value: float, interval: Sequence[float], form: str) -> str:
    low, high = (format(100 * end, form) for end in interval)
    return f"{format(100 * value, form)} [{low}, {high}]"


def _load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


TABLES = {"classification": classification, "librispeech": librispeech, "flite": flite}
