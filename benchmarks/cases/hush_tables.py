"""The tables of the page on hush, from what its cases stored; a dash stands for what was not run.

A ratio is the mean over seeds of perplexity (or NPMI) over that of `shared` with the same seed, with the
smallest and largest in brackets. Where hush withdrew its topics, as no better than word frequencies, the
perplexity is that of the private frequencies, it is said of how many seeds, and there is no NPMI of topics.
"""

from collections.abc import Sequence
from math import log
from statistics import fmean
from typing import Any, TypeAlias

from benchmarks import stored
from benchmarks.markdown_tables import spread, table

Runs: TypeAlias = dict[str, dict[str, Any]]  # by seed

TITLES = {
    "imdb": "imdb",
    "enron_spam": "Enron",
    "reuters": "Reuters",
    "20newsgroups": "20 newsgroups",
    "ohsumed": "ohsumed",
    "kos": "KOS",
    "blogs": "blogs",
}
TARGETS = {  # most that the ratio may be, with one noise in total
    "8": {"imdb": 1.04, "enron_spam": 1.15, "reuters": 1.22, "20newsgroups": 1.25},
    "4": {"imdb": 1.09, "enron_spam": 1.30, "reuters": 1.40, "20newsgroups": 1.45},
}
MOST = {"seconds": 60.0, "memory": 2000.0, "sent": 30.0}  # targets of a whole run: s, MB, MB
EPSILONS = ("8", "4", "2")
OTHERS = {
    "hush": "hush",
    "DP-EM": "DP-EM, random start",
    "VIPS": "VIPS",
    "calm": "CALM, eight words of a document",
    "pctd (sound)": "PC-TD `sound`, four words of a document",
}


def quality() -> str:
    """Hush by set and epsilon, one noise in total and one per party, with the targets."""
    rows = []
    for name, title in TITLES.items():
        found = stored.values("hush_quality").get(name, {})
        shared = found.get("shared", {})
        for epsilon in EPSILONS:
            total, parties = (found.get(f"{dealing} {epsilon}", {}) for dealing in ("total", "parties"))
            if not (total or parties):
                continue
            target = TARGETS.get(epsilon, {}).get(name)
            about = [title, _documents(total or parties), epsilon, _mean(shared), _unigram(shared)]
            one = [
                _mean(total),
                _ratio(total, shared),
                f"{target:.2f}" if target else "",
                _npmi(total, shared),
            ]
            rows.append([*about, *one, _ratio(parties, shared), _npmi(parties, shared)])
    head = [
        "set",
        "documents",
        "epsilon",
        "`shared`",
        "no topics",
        "hush, one noise in total",
        "ratio",
        "target",
    ]
    return table([*head, "NPMI ratio", "one noise per party, ratio", "NPMI ratio"], rows)


def parties() -> str:
    """Perplexity of every owner's own topics, and of all of them together."""
    found = stored.values("hush_parties")
    alone: Runs = found.get("alone", {})
    owners = sorted({owner for run in alone.values() for owner in run})
    rows = []
    for owner in owners:
        own = {seed: run[owner] for seed, run in alone.items()}
        rows.append([f"{owner} alone, no privacy", f"{_first(own)['n_docs']:,}", _mean(own)])
    titles = {"hush 8": "hush, epsilon 8", "hush 4": "hush, epsilon 4", "shared": "`shared`, no privacy"}
    for label, title in titles.items():
        runs = found.get(label, {})
        rows.append([f"all, {title}", _documents(runs), _mean(runs) + _withdrawn(runs)])
    rows.append(["no topics", "", _unigram(found.get("shared", {}))])
    return table(["owner", "documents", "perplexity"], rows)


def persons() -> str:
    """Hush with persons as units."""
    rows = []
    for name, title in {"imdb": "imdb, reviews by three", "blogs": "blogs, by author"}.items():
        found = stored.values("hush_persons").get(name, {})
        shared = found.get("shared", {})
        for epsilon in EPSILONS[:2]:
            runs = found.get(f"hush {epsilon}", {})
            number = f"{_first(runs)['n_persons']:,}" if runs else "–"
            about = [title, number, _documents(runs), epsilon, _mean(shared), _unigram(shared)]
            rows.append([*about, _mean(runs), _ratio(runs, shared), _npmi(runs, shared)])
    head = ["set", "persons", "documents", "epsilon", "`shared`", "no topics", "hush", "ratio", "NPMI ratio"]
    return table(head, rows)


def baselines() -> str:
    """Perplexity, ratio and NPMI of everyone at the same budget."""
    results = stored.values("hush_baselines")
    sets = {name: TITLES[name] for name in ("enron_spam", "imdb")}
    rows = []
    for label, title in OTHERS.items():
        cells = [title]
        for name in sets:
            runs, shared = (results.get(name, {}).get(each, {}) for each in (label, "shared"))
            cells += [_mean(runs), _ratio(runs, shared), _value(runs, "coherence_npmi")]
        rows.append(cells)
    shared_cells, unigram_cells = ["`shared`, no privacy"], ["no topics"]
    for name in sets:
        shared = results.get(name, {}).get("shared", {})
        shared_cells += [_mean(shared), "1", _value(shared, "coherence_npmi")]
        unigram_cells += [_unigram(shared), "", ""]
    head = [cell for title in sets.values() for cell in (f"{title}, perplexity", "ratio", "NPMI")]
    return table(["", *head], [*rows, shared_cells, unigram_cells])


def tuning() -> str:
    """What each setting of the others gave on Reuters, the best first."""
    rows = []
    for label, tried in stored.values("hush_tuning").items():
        for setting, found in sorted(tried.items(), key=lambda item: float(item[1]["perplexity"])):
            rows.append([label, setting, f"{found['perplexity']:.0f}"])
    return table(["method", "setting", "perplexity"], rows)


def cost() -> str:
    """Seconds, memory and megabytes of a whole run, with the targets."""
    runs = stored.values("hush_cost").get("imdb", {})
    rows = [
        ["seconds, two threads", _each(runs, "seconds"), f"{MOST['seconds']:.0f}"],
        ["most memory, MB", _each(runs, "memory_mb"), f"{MOST['memory']:,.0f}"],
        ["sent by a party, MB", _each(runs, "sent_mb"), f"{MOST['sent']:.0f}"],
        ["received by it, MB", _each(runs, "received_mb"), ""],
    ]
    return table(["a run on 50,000 documents, 5,000 words, 30 topics", "measured", "target"], rows)


def limits() -> str:
    """By documents for one deviation of noise: ratio to `shared`, ratio to the unigram, share kept."""
    points = sorted(limit_points(), key=lambda point: (point["n_topics"], point["x"]))
    rows = [
        [
            str(point["n_topics"]),
            f"{point['x']:,.0f}",
            TITLES[point["name"]],
            f"{point['n_docs']:,}",
            f"{point['epsilon']:g}",
            f"{point['ratio']:.2f}",
            f"{point['to_unigram']:.2f}",
            f"{point['kept']:.2f}",
            point["withdrawn"],
        ]
        for point in points
    ]
    head = ["topics", "documents / sigma", "set", "documents", "epsilon", "ratio to `shared`"]
    return table([*head, "ratio to no topics", "kept", "withdrawn"], rows)


def limit_points() -> list[dict[str, Any]]:
    """Means over seeds; kept = log(unigram / hush) / log(unigram / shared)."""
    points = []
    for name, by_size in stored.values("hush_limits").items():
        for n_docs, by_topics in by_size.items():
            for n_topics, by_epsilon in by_topics.items():
                shared = by_epsilon.get("0", {})
                for epsilon, runs in by_epsilon.items():
                    if both := [seed for seed in runs if seed in shared and epsilon != "0"]:
                        known = {"name": name, "n_docs": int(n_docs), "n_topics": int(n_topics)}
                        means = _limit([runs[seed] for seed in both], [shared[seed] for seed in both])
                        points.append(known | {"epsilon": float(epsilon)} | means)
    return points


def _limit(runs: Sequence[dict[str, Any]], shared: Sequence[dict[str, Any]]) -> dict[str, Any]:
    unigram = runs[0]["perplexity_unigram"]
    found, without = (fmean(log(run["perplexity"]) for run in each) for each in (runs, shared))
    return {
        "x": runs[0]["documents_per_sigma"],
        "ratio": fmean(
            run["perplexity"] / other["perplexity"] for run, other in zip(runs, shared, strict=True)
        ),
        "to_unigram": fmean(run["perplexity"] / unigram for run in runs),
        "kept": (log(unigram) - found) / (log(unigram) - without),
        "withdrawn": f"{sum(run['withdrawn'] for run in runs)} of {len(runs)}",
    }


def _first(runs: Runs) -> dict[str, Any]:
    return next(iter(runs.values()))


def _documents(runs: Runs) -> str:
    return f"{sum(_first(runs)['n_docs']):,}" if runs else "–"


def _mean(runs: Runs) -> str:
    return spread([run["perplexity"] for run in runs.values()]) if runs else "–"


def _unigram(runs: Runs) -> str:
    return f"{_first(runs)['perplexity_unigram']:.0f}" if runs else "–"


def _value(runs: Runs, score: str) -> str:
    values = [run[score] for run in _kept(runs).values()]
    return f"{fmean(values):.3f}" if values else "–"


def _each(runs: Runs, score: str) -> str:
    return f"{fmean(run[score] for run in runs.values()):,.1f}" if runs else "–"


def _ratio(runs: Runs, shared: Runs) -> str:
    values = [run["perplexity"] / shared[seed]["perplexity"] for seed, run in runs.items() if seed in shared]
    if not values:
        return "–"
    return f"{fmean(values):.3f} ({min(values):.3f} to {max(values):.3f}){_withdrawn(runs)}"


def _npmi(runs: Runs, shared: Runs) -> str:
    score, kept = "coherence_npmi", _kept(runs)
    values = [run[score] / shared[seed][score] for seed, run in kept.items() if seed in shared]
    return f"{fmean(values):.2f}" if values else "–"


def _kept(runs: Runs) -> Runs:
    """The runs that have topics to show."""
    return {seed: run for seed, run in runs.items() if not run.get("withdrawn")}


def _withdrawn(runs: Runs) -> str:
    number = len(runs) - len(_kept(runs))
    return f"; withdrawn in {number} of {len(runs)}" if number else ""
