"""Every method at the same true epsilon: KOS, AP and ohsumed at word add/remove 4, 6 and 8.

    python benchmarks/leaderboard.py                 all sets and budgets, with tables at the end
    python benchmarks/leaderboard.py kos --seeds 3   one set, three seeds
    python benchmarks/leaderboard.py --table         only print the stored results

Three unequal parties by what their documents are about, 50 topics. Methods stored already are not run
again. Results go to benchmarks/results/leaderboard_SET.json.
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from typing import Any

from corpora import RESULTS
from ftm import SETS, prepared
from markdown_tables import table as markdown_table

import fedtopics
from fedtopics import methods
from fedtopics.commands.ranking import plain
from fedtopics.dealing import Data
from fedtopics.experiment import train
from fedtopics.leaderboard import COLUMNS, Candidate, Place, leaderboard, ranked
from fedtopics.privacy.ledger import Budget

BUDGETS = (4.0, 6.0, 8.0)
DELTA = 1e-6


def run(name: str, n_seeds: int, chosen: list[str]) -> None:
    """Add those of the chosen methods that are missing on the boards of a set to its file."""
    file = RESULTS / f"leaderboard_{name}.json"
    made_by = {"version": fedtopics.__version__, "n_seeds": n_seeds}
    stored = json.loads(file.read_text()) if file.exists() else made_by | {"budgets": {}}
    if any(stored[key] != value for key, value in made_by.items()):
        raise SystemExit(f"{file} was made with {stored['version']}, {stored['n_seeds']} seeds; move it away")
    data: Data | None = None
    for epsilon, label in product(BUDGETS, chosen):
        places = stored["budgets"].setdefault(f"{epsilon:g}", [])
        if any(place["label"] == label for place in places):
            continue
        data = data or prepared(name)
        if data is None:
            return
        board = ranked([*map(_place, places), *_found(data, epsilon, label, n_seeds)])
        stored["budgets"][f"{epsilon:g}"] = [plain(place) for place in board]
        file.write_text(json.dumps(stored, indent=1) + "\n")
        print(f"{name}: {label} at epsilon {epsilon:g}", flush=True)


def run_equal(name: str) -> None:
    """Train CALM with as many topics as FTM kept, at every budget, and add it to the file of the set."""
    file = RESULTS / f"leaderboard_{name}.json"
    stored = json.loads(file.read_text())
    for epsilon, places in stored["budgets"].items():
        ftm = next(place for place in places if place["label"] == "ftm (sound)")
        known = stored.setdefault("equal_topics", {})
        if epsilon in known or (data := prepared(name)) is None:
            continue
        n_topics = round(ftm["scores"]["topics"])
        found = train(
            data, "calm", epsilon=float(epsilon), n_topics=n_topics, n_threads=1, show_progress=False
        )
        known[epsilon] = {"n_topics": n_topics, **found.scores}
        file.write_text(json.dumps(stored, indent=1) + "\n")
        print(f"{name}: calm with {n_topics} topics at epsilon {epsilon}", flush=True)


def equal_table() -> str:
    """FTM and CALM with the same number of topics, as Markdown."""
    rows = []
    for name in SETS:
        stored = json.loads((RESULTS / f"leaderboard_{name}.json").read_text())
        for epsilon, calm in stored["equal_topics"].items():
            ftm = next(p for p in stored["budgets"][epsilon] if p["label"] == "ftm (sound)")["scores"]
            cells = [f"{ftm['perplexity']:.0f}", f"{calm['perplexity']:.0f}"]
            cells += [f"{ftm['coherence']:.3f}", f"{calm['coherence_npmi']:.3f}"]
            rows.append([name, epsilon, str(calm["n_topics"]), *cells])
    names = ["ftm", "calm", "ftm, NPMI", "calm, NPMI"]
    return markdown_table(["set", "epsilon (word add/remove)", "topics", *names], rows)


def labels() -> list[str]:
    """Every method in every variant."""
    variants = {name: "variant" in methods.settings(methods.find(name)) for name in methods.names()}
    return [
        label
        for name, has in variants.items()
        for label in ((f"{name} (sound)", f"{name} (paper)") if has else (name,))
    ]


def _found(data: Data, epsilon: float, label: str, n_seeds: int) -> list[Place]:
    budget = Budget("word add/remove", epsilon, DELTA)
    return leaderboard(data, budget, names=[label], seeds=range(n_seeds), n_threads=1)


def _place(stored: dict[str, Any]) -> Place:
    return Place(Candidate(**stored["candidate"]), stored["scores"], stored["ranks"], stored["epsilon"])


def table(name: str) -> str:
    """The stored boards as Markdown; ranks in parentheses."""
    stored = json.loads((RESULTS / f"leaderboard_{name}.json").read_text())
    lines = []
    seeds = "one seed" if stored["n_seeds"] == 1 else f"means of {stored['n_seeds']} seeds"
    for epsilon, places in stored["budgets"].items():
        lines += [
            f"{name}, word add/remove epsilon {epsilon}, delta at most {DELTA:g}, {seeds}",
            "",
            "| method | perplexity | coherence (NPMI) | megabytes sent | seconds | topics | |",
            "|---|---|---|---|---|---|---|",
            *(_row(place) for place in places),
            "",
        ]
    return "\n".join(lines)


def _row(place: dict[str, Any]) -> str:
    scores, ranks = place["scores"], place["ranks"]
    shown = {"perplexity": "{:.0f}", "coherence": "{:.3f}", "bytes": "{:,.1f}"}
    cells = []
    for column in (*COLUMNS, "topics"):
        value = scores.get(column, 0.0) / (1e6 if column == "bytes" else 1)
        rank = f" ({ranks[column]})" if column in ranks else ""
        cells.append(shown.get(column, "{:.0f}").format(value) + rank if scores else "")
    proved = "" if place["epsilon"] is None else f"proved {place['epsilon']:.4g}"
    return f"| {place['label']} | {' | '.join(cells)} | {place['candidate']['why'] or proved} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", help=", ".join(SETS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--methods", nargs="*", default=labels(), metavar="LABEL", help="some; all by default"
    )
    parser.add_argument("--table", action="store_true", help="only print the stored results")
    options = parser.parse_args()
    names = options.sets or list(SETS)
    for name in [] if options.table else names:
        run(name, options.seeds, options.methods)
        run_equal(name)
    for name in names:
        if (RESULTS / f"leaderboard_{name}.json").exists():
            print(table(name))


if __name__ == "__main__":
    main()
