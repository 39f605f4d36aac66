"""The tables of speech recognition on the page on applications, from what is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks import stored
from benchmarks.markdown_tables import table


def rates(name: str) -> str:
    """Word error rates, and differences to the n-grams and to the control, in percent with intervals."""
    head = ["language model", "word error rate", "minus n-grams", "minus control", "strength", "weight"]
    facts = stored.values("speech")[name]["facts"]
    size = (
        f"{facts['n_test']:,} test utterances of {facts['n_test_sessions']} sessions, "
        f"{facts['n_hypotheses']:.2f} hypotheses each; the best ones: {100 * facts['best_possible']:.2f} %."
    )
    return f"{size}\n\n{table(head, list(map(_cells, *zip(*systems(name), strict=True))))}"


def systems(name: str) -> Iterator[tuple[str, dict[str, Any], list[float]]]:
    """Every language model: its name, what was found, and the differences of other seeds."""
    found = stored.values("speech")[name]
    for label in ("first pass", "n-grams"):
        yield label, found[label], []
    for label, by_way in found["systems"].items():
        seeds = found.get("other seeds", {}).get(label, {}).values()
        for way, judged in by_way.items():
            yield f"{label}, {way}", judged, [seed[way] for seed in seeds]


def _cells(label: str, found: dict[str, Any], other_seeds: Sequence[float]) -> list[str]:
    beyond = ""
    if "minus_control" in found and not label.startswith("unigram control"):
        beyond = _interval(found["minus_control"], found["minus_control_interval"], "+.2f")
    others = [f"{100 * value:+.2f}" for value in other_seeds]
    return [
        label,
        _interval(found["word_error_rate"], found["interval"], ".2f"),
        ", ".join([_interval(found["minus_n_grams"], found["minus_interval"], "+.2f"), *others]),
        beyond,
        f"{found['setting']['strength']:g}",
        f"{found['setting']['weight']:g}",
    ]


def _interval(value: float, interval: Sequence[float], form: str) -> str:
    low, high = (format(100 * end, form) for end in interval)
    return f"{format(100 * value, form)} [{low}, {high}]"
