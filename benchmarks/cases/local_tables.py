"""The tables of the local methods' pages, from what their cases stored."""

from __future__ import annotations

from itertools import groupby
from math import log
from statistics import fmean
from typing import Any

from benchmarks import stored
from benchmarks.markdown_tables import spread, table

CHANNELS = ("none", "rrp", "krr", "t-krr", "hm")
SAMPLERS = {"gibbs": "Gibbs", "metropolis": "Metropolis-Hastings"}
VARIED = {
    "epsilon": "nominal epsilon",
    "n_topics": "topics",
    "delta": "delta",
    "n_reports": "l of M = 150",
    "counting": "counting",
}
Run = dict[str, Any]


def channels() -> str:
    """FedLDA as printed: perplexity after the last round, by set, sampler and channel."""
    rows = [
        [name, shown, _unigram(entry), *(spread(_found(entry, sampler, c)) for c in CHANNELS)]
        for name, entry in _load("channels").items()
        for sampler, shown in SAMPLERS.items()
    ]
    return table(["set", "sampler", "unigram", *CHANNELS], rows)


def varying() -> str:
    """FedLDA as printed, one setting changed at a time."""
    rows = []
    for name, entry in _load("varying").items():
        for setting, shown in VARIED.items():
            by_channel = groupby(entry[setting].values(), key=lambda run: run["settings"]["channel"])
            for channel, runs in by_channel:
                found = ", ".join(f"{r['settings'][setting]}: {r['perplexity']:.0f}" for r in runs)
                rows.append([name, shown, channel, found])
    return table(["set", "varied", "channel", "value: perplexity"], rows)


def totals() -> str:
    """Reports made once against tuples, at the same total for a document replaced."""
    rows = []
    for name, entry in _load("totals").items():
        for total, found in entry["totals"].items():
            tuples = min(run["perplexity"] for run in found["tuples"].values())
            by_channel = [
                [r["perplexity"] for r in found["sound"].values() if r["settings"]["channel"] == channel]
                for channel in ("krr", "ue")
            ]
            known = [entry["facts"]["unigram"], entry["none"], found["private_unigram"], tuples]
            below = 100 * (1 - max(map(fmean, by_channel)) / tuples)
            held = f"{name} {entry['facts']['n_users']} users"
            cells = [f"{float(total):.0f}", *(f"{value:.0f}" for value in known)]
            rows.append([held, *cells, *map(spread, by_channel), f"{below:.0f} %"])
    head = ["set", "total", "unigram (not private)", "no privacy (pooled)", "private unigram"]
    return table([*head, "tuples, best split", "sound, krr", "sound, ue", "sound below tuples"], rows)


def attacks() -> str:
    """What a listener has of the documents after forty rounds, and after one."""
    rows = []
    for name, entry in _load("attacks").items():
        for label, run in entry["40"].items():
            first = entry["1"][label]
            scores = [f"{run[score]:.3f}" for score in ("recall", "precision", "theta_error", "bound")]
            rows.append([name, _described(run), f"{first['recall']:.3f}", *scores])
    head = ["set", "method", "recall, 1 round", "recall", "precision", "error of theta", "bound on recall"]
    return table(head, rows)


def bits() -> str:
    """LP-LDA as printed against its Laplace baseline, by f."""
    rows = []
    for name, entry in _load("bits").items():
        printed, laplace = (list(entry[kind].values()) for kind in ("paper", "laplace"))
        rates = [run["settings"]["f"] for run in printed]
        groups = {"LP-LDA, `paper`": printed} | {
            f"Laplace, sensitivity {scale:g}": [r for r in laplace if r["settings"]["sensitivity"] == scale]
            for scale in sorted({run["settings"]["sensitivity"] for run in laplace})
        }
        rows += [
            [name, f"{entry['none']:.0f}", _unigram(entry), label, *(f"{r['perplexity']:.0f}" for r in runs)]
            for label, runs in groups.items()
        ]
    head = ["set", "no privacy", "unigram", ""]
    return table([*head, *(f"f = {f:g} (bit {log((1 - f / 2) / (f / 2)):.2f})" for f in rates)], rows)


def equal_words() -> str:
    """LP-LDA as printed and sound, at the same epsilon for a word replaced."""
    rows = []
    for name, entry in _load("bits").items():
        for epsilon in (4.0, 6.0):
            of = {
                variant: [
                    run["perplexity"]
                    for run in entry["equal"].values()
                    if (run["settings"]["variant"], run["settings"]["epsilon"]) == (variant, epsilon)
                ]
                for variant in ("paper", "sound")
            }
            below = 100 * (1 - fmean(of["sound"]) / fmean(of["paper"]))
            rows.append([name, f"{epsilon:g}", *map(spread, of.values()), f"{below:.0f} %"])
    return table(["set", "epsilon (word replace)", "`paper`", "`sound`", "sound below"], rows)


def monitor() -> str:
    """The monitor's readings after 30, 150 and 300 iterations, and what one draw loses in truth."""
    rows = []
    for name, entry in _load("monitor").items():
        for level in ("word", "document"):
            for form in ("printed", "corrected"):
                readings = entry["readings"][f"{level} {form}"]
                exact = f"{entry['one_draw_exactly']:.2f}" if level == "word" else ""
                rows.append([name, level, form, *(f"{readings[i]:.3g}" for i in (2, 14, 29)), exact])
    return table(["set", "level", "formula", "30", "150", "300 iterations", "one draw, exactly"], rows)


def monitor_cost() -> str:
    """CPU time of a sweep with the monitor, in sweeps without."""
    found = _load("monitor").items()
    return table(list(_load("monitor")), [[f"{entry['cost_of_monitoring']:.2f}" for _, entry in found]])


def _load(part: str) -> dict[str, Any]:
    return stored.values(f"local_privacy_{part}")


def _unigram(entry: dict[str, Any]) -> str:
    return f"{entry['facts']['unigram']:.0f}"


def _found(entry: dict[str, Any], sampler: str, channel: str) -> list[float]:
    wanted = {"sampler": sampler, "channel": channel}
    return [run["perplexity"] for run in entry["runs"].values() if wanted.items() <= run["settings"].items()]


def _described(run: Run) -> str:
    variant = run.get("variant", "sound")
    return f"{run['method']} {variant}, {run.get('channel', 'bits')}, epsilon {run['epsilon']:g}"
