"""Every method at the same true epsilon: KOS, AP and ohsumed at word add/remove 4, 6 and 8.

Three unequal parties by what their documents are about, 50 topics.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.corpora import dealt
from benchmarks.dot_charts import dot_chart
from benchmarks.markdown_tables import table
from fedtopics import evaluation, methods, sampling
from fedtopics.commands.leaderboard import plain
from fedtopics.privacy.price.budget import Budget
from fedtopics.runs.leaderboard import COLUMNS, Candidate, Place, leaderboard, ranked

SETS = ("kos", "ap", "ohsumed")
BUDGETS = (4.0, 6.0, 8.0)
DELTA = 1e-6
DRAWN = ("calm", "ftm (sound)", "lplda (sound)", "pctd (sound)")
HEAD = ("method", "perplexity", "coherence (NPMI)", "megabytes sent", "seconds", "topics", "")


def labels() -> list[str]:
    """Every method in every variant."""
    variants = {name: "variant" in methods.settings(name) for name in methods.names()}
    return [
        label
        for name, has in variants.items()
        for label in ((f"{name} (sound)", f"{name} (paper)") if has else (name,))
    ]


def placed(name: str, epsilon: float, label: str) -> dict[str, Any]:
    """One method at one budget: its settings, its scores and the epsilon that its ledger proves."""
    budget = Budget("word add/remove", epsilon, DELTA)
    (place,) = leaderboard(dealt(name), budget, names=[label], seeds=[0], n_threads=1)
    return plain(place)


def boards() -> str:
    """The boards of every set; ranks in parentheses."""
    lines = []
    for name, by_epsilon in stored.values("leaderboard").items():
        for epsilon, found in by_epsilon.items():
            board = ranked([_place(place) for place in found.values()])
            title = f"{name}, word add/remove epsilon {epsilon}, delta at most {DELTA:g}, one seed"
            lines += [title, "", table(HEAD, [_row(place) for place in board]), ""]
    return "\n".join(lines).strip()


def picture() -> str:
    """Perplexity of the private methods over that of `shared`, on every set and at every epsilon."""
    rows: dict[str, dict[str, list[float]]] = {}
    for name, by_epsilon in stored.values("leaderboard").items():
        for epsilon, found in sorted(by_epsilon.items()):
            exact = found["shared"]["scores"]["perplexity"]
            shown = {
                label: [found[label]["scores"]["perplexity"] / exact] for label in DRAWN if label in found
            }
            rows[f"{name}, {epsilon}"] = shown
    return dot_chart(
        rows,
        (0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.4),
        title="50 topics, one true epsilon (4, 6 or 8)",
        x_label="perplexity relative to shared: farther left is better",
    )


def _place(found: dict[str, Any]) -> Place:
    return Place(Candidate(**found["candidate"]), found["scores"], found["ranks"], found["epsilon"])


def _row(place: Place) -> list[str]:
    shown = {"perplexity": "{:.0f}", "coherence": "{:.3f}", "bytes": "{:,.1f}"}
    cells = []
    for column in (*COLUMNS, "topics"):
        value = place.scores.get(column, 0.0) / (1e6 if column == "bytes" else 1)
        rank = f" ({place.ranks[column]})" if column in place.ranks else ""
        cells.append(shown.get(column, "{:.0f}").format(value) + rank if place.scores else "")
    proved = "" if place.epsilon is None else f"proved {place.epsilon:.4g}"
    return [place.candidate.label, *cells, place.candidate.why or proved]


board = partial(
    case, measures=(sampling, evaluation, methods), corpora=SETS, pages=("docs/evidence/leaderboard.md",)
)


@board(
    "leaderboard",
    minutes=15,
    shows={"leaderboard": boards, "evidence/leaderboard.svg": picture},
    summary=boards,
)
def steps() -> Steps:
    """Every method at the same true epsilon: KOS, AP and ohsumed at word add/remove 4, 6 and 8."""
    return {
        f"{name}/{epsilon:g}/{label}": partial(placed, name, epsilon, label)
        for name in SETS
        for epsilon in BUDGETS
        for label in labels()
    }
