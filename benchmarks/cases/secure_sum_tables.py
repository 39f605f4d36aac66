"""The tables of the page on secure sums, from what its cases stored; a dash stands for what was not run."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from benchmarks import stored
from benchmarks.markdown_tables import spread, table

HOWS = {
    "central": "one noise in the middle: all documents in one place",
    "together 0": "drawn together, t = 0",
    "together 1": "drawn together, t = 1",
    "together 2": "drawn together, t = 2",
    "each": "all of it by each party",
}
KINDS = {
    "keeps": "last counts of each party are kept",
    "totals": "found from totals (CALM now)",
    "drops": "dropped",
}
MOST = 1.03  # of the perplexity with one noise in the middle


def cost() -> str:
    """Processor time and bytes of a party, and seconds of a round."""
    found = stored.values("secure_sum_cost")
    masks = list(found.get("mask", {}).values())
    rounds = found.get("round", {})
    without, within = (
        [run["seconds_a_round"] for run in rounds.get(name, {}).values()] for name in ("without", "with")
    )
    rows = [
        ["processor time of one of 50 parties, 10,000 x 50 integers, s", _spread(masks, "seconds"), "1"],
        ["bytes of that, times a float32 array", _spread(masks, "times_float32", 3), "2.1"],
        ["three parties over TLS, 4 MB each way: seconds a round, plain", _numbers(without), ""],
        ["the same with a secure sum", _numbers(within), ""],
        ["more than plain, s", _more(without, within), "0.15"],
    ]
    return table(["", "measured", "at most"], rows)


def noise() -> str:
    """Perplexity of hush by how noise is drawn."""
    found = stored.values("secure_sum_noise")
    central = found.get("central", {})
    rows = []
    for how, title in HOWS.items():
        runs = found.get(how, {})
        ratios = [runs[seed]["perplexity"] / central[seed]["perplexity"] for seed in runs if seed in central]
        most = f"{MOST}" if how.startswith("together") else ""
        rows.append([title, _spread(list(runs.values()), "perplexity", 0), _numbers(ratios, 3), most])
    return table(["noise", "perplexity", "ratio to one noise", "at most"], rows)


def absent() -> str:
    """Perplexity of CALM where a party is away."""
    found = stored.values("secure_sum_calm").get("absent", {})
    rows = []
    for when, kinds in found.items():
        cells = [_spread(list(kinds.get(kind, {}).values()), "perplexity", 0) for kind in KINDS]
        rows.append([when, *cells])
    return table(["one of three parties is away", *KINDS.values()], rows)


def bits() -> str:
    """Perplexity of CALM by the bits after the point."""
    found = stored.values("secure_sum_calm").get("bits", {})
    rows = [[kept, _spread(list(runs.values()), "perplexity", 1)] for kept, runs in found.items()]
    return table(["bits after the point", "perplexity"], rows)


def _spread(runs: list[dict[str, Any]], name: str, digits: int = 2) -> str:
    return _numbers([run[name] for run in runs], digits)


def _numbers(numbers: list[float], digits: int = 3) -> str:
    return spread(numbers, digits) if numbers else "–"


def _more(without: list[float], within: list[float]) -> str:
    return f"{fmean(within) - fmean(without):.3f}" if without and within else "–"
