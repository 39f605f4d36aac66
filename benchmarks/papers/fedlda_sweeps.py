"""FedLDA, Figure 5e to 5l: perplexity by one setting after the other."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.drawing import line_charts
from benchmarks.papers.fedlda_runs import (
    CHANNELS,
    DATA_HERE,
    ONE,
    PAPER,
    SETS,
    THREE,
    calm_found,
    calm_runs,
    honest,
    of,
    runs,
    widest,
)
from benchmarks.papers.items import Finding, Item, Numbers, Parts, listed, mean
from fedtopics.report.svg import Line

NOISY = CHANNELS[:4]
ONCE = "; the baselines 1 seed"
EPSILONS = (5.0, 7.5, 10.0)
TOPICS = (10, 20, 40)
DELTAS = (0.02, 0.05, 0.1, 0.2)
REPORTS = (1, 15, 45, 105, 150)  # of 150 tuples


def swept(setting: str, values: tuple[float, ...], channels: tuple[str, ...]) -> Parts:
    """Runs by one setting and channel."""
    parts = calm_runs()
    for channel in channels:
        for value in values:
            seeds = THREE if channel in ("rrp", "none") else ONE
            parts |= runs(seeds, channel=channel, **{setting: value})
    return parts


def line(numbers: Numbers, name: str, channel: str, setting: str, values: tuple[float, ...]) -> list[float]:
    return [mean(of(numbers, name, channel=channel, **{setting: value})) for value in values]


def lines(
    numbers: Numbers, setting: str, values: tuple[float, ...], channels: tuple[str, ...]
) -> dict[tuple[str, str], list[float]]:
    """Mean perplexities by the setting, of each set and channel."""
    return {(n, c): line(numbers, n, c, setting, values) for n in SETS for c in channels}


def table(found: dict[tuple[str, str], list[float]]) -> str:
    return "; ".join(f"{name} {channel}: {listed(values)}" for (name, channel), values in found.items())


def chart(
    title: str, x_label: str, setting: str, values: tuple[float, ...], channels: tuple[str, ...]
) -> Callable[[Numbers], str]:
    def draw(numbers: Numbers) -> str:
        def drawn(name: str, channel: str) -> Line:
            found = [of(numbers, name, channel=channel, **{setting: value}) for value in values]
            return Line(channel, values, list(map(mean, found)), [(min(v), max(v)) for v in found])

        panels = {f"FedLDA, {title}, {name}": [drawn(name, channel) for channel in channels] for name in SETS}
        return line_charts(panels, x_label)

    return draw


def finding(numbers: Numbers, checks: dict[str, bool], measured: str, why: str) -> Finding:
    return Finding(checks, f"{measured} ({widest(numbers, ONCE)}).", why, honest(), calm_found(numbers))


def judge_epsilon(numbers: Numbers) -> Finding:
    found = lines(numbers, "epsilon", EPSILONS, NOISY)
    best = all(
        found[name, "rrp"][n] < min(found[name, c][n] for c in NOISY[1:]) for name in SETS for n in range(3)
    )
    return finding(
        numbers,
        {
            "perplexity falls with epsilon under every channel": all(v[-1] < v[0] for v in found.values()),
            "RRP best throughout": best,
        },
        f"at nominal epsilon 5, 7.5, 10: {table(found)}",
        """At equal nominal epsilon RRP changes fewer words, and into words of the same topics; that is what
        it gives away.""",
    )


def judge_topics(numbers: Numbers) -> Finding:
    channels = ("rrp", "krr", "none")
    found = lines(numbers, "n_topics", TOPICS, channels)
    close = all(a < 1.05 * b for n in SETS for a, b in zip(found[n, "rrp"], found[n, "none"], strict=True))
    return finding(
        numbers,
        {
            "more topics, lower perplexity, with RRP and without noise": all(
                found[n, c][-1] < found[n, c][0] for n in SETS for c in ("rrp", "none")
            ),
            "with kRR too": all(found[n, "krr"][-1] < found[n, "krr"][0] for n in SETS),
            "RRP better than kRR": all(
                a < b for n in SETS for a, b in zip(found[n, "rrp"], found[n, "krr"], strict=True)
            ),
            "RRP within 5 % of no privacy": close,
        },
        f"with 10, 20, 40 topics: {table(found)}",
        "Uniform noise is spread over more topics as their number grows.",
    )


def judge_delta(numbers: Numbers) -> Finding:
    found = lines(numbers, "delta", DELTAS, ("rrp", "t-krr"))
    small = DELTAS.index(0.05)
    return finding(
        numbers,
        {
            "t-kRR gains from a larger delta": all(
                found[n, "t-krr"][-1] < found[n, "t-krr"][0] for n in SETS
            ),
            "RRP changes by less than 5 % from 0.05 to 0.2": all(
                float(np.ptp(found[n, "rrp"][small:])) < 0.05 * mean(found[n, "rrp"]) for n in SETS
            ),
        },
        f"at delta 0.02, 0.05, 0.1, 0.2: {table(found)}",
        """t-kRR never reports the words it leaves out, so that held-out documents are scored on them by the
        prior alone; RRP's chance of noise goes with 1 / delta^2.""",
    )


def judge_reports(numbers: Numbers) -> Finding:
    found = lines(numbers, "n_reports", REPORTS, ("rrp",))
    at = {reports: [found[n, "rrp"][REPORTS.index(reports)] for n in SETS] for reports in REPORTS}

    def all_below(a: int, b: int) -> bool:
        return all(x < y for x, y in zip(at[a], at[b], strict=True))

    gains = [[a - b for a, b in pairwise(values)] for values in found.values()]
    close = all(abs(a / b - 1) < 0.05 for a, b in zip(at[105], at[150], strict=True))
    return finding(
        numbers,
        {
            "one tuple is too few": all_below(15, 1) and all_below(105, 15),
            "the gain shrinks": all(gain[-1] < gain[0] for gain in gains),
            "70 % within 5 % of all": close,
        },
        f"with 1, 15, 45, 105, 150 of 150 tuples: {table(found)}",
        "Every tuple is paid for, which the paper's figure does not count.",
    )


def swept_item(
    letters: str,
    claim: str,
    setting: tuple[str, str, tuple[Any, ...]],
    channels: tuple[str, ...],
    judge: Callable[[Numbers], Finding],
) -> Item:
    first, second = letters
    name, shown, values = setting
    title = f"Figure 5{first}, {second}"
    return Item(
        f"fedlda-figure-5{letters}",
        PAPER,
        f"Figure 5{first}, 5{second}: {shown}",
        claim,
        DATA_HERE,
        swept(name, values, channels),
        judge,
        chart(title, shown, name, values, channels),
    )


ITEMS = [
    swept_item(
        "eg",
        "Perplexity falls with epsilon for all methods; RRP is best.",
        ("epsilon", "nominal epsilon of a tuple", EPSILONS),
        NOISY,
        judge_epsilon,
    ),
    swept_item(
        "fh",
        "Perplexity falls with the number of topics for all methods; RRP is best and close to no privacy.",
        ("n_topics", "number of topics", TOPICS),
        ("rrp", "krr", "none"),
        judge_topics,
    ),
    swept_item(
        "ik",
        "A larger delta helps t-kRR much and changes RRP little.",
        ("delta", "delta", DELTAS),
        ("rrp", "t-krr"),
        judge_delta,
    ),
    swept_item(
        "jl",
        "One tuple is too few; a larger ratio helps, less and less; 0.7 is nearly as good as 1.",
        ("n_reports", "sampled tuples of 150", REPORTS),
        ("rrp",),
        judge_reports,
    ),
]
