"""Every method at the same true epsilon: KOS, AP and ohsumed at word add/remove 4, 6 and 8.

Three unequal parties by what their documents are about, 50 topics.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.corpora import dealt
from benchmarks.markdown_tables import table
from fedtopics import evaluation, methods, sampling
from fedtopics.commands.leaderboard import plain
from fedtopics.errors import InputError
from fedtopics.privacy.price.budget import Budget
from fedtopics.runs.experiment import train
from fedtopics.runs.leaderboard import COLUMNS, Candidate, Place, leaderboard, ranked

SETS = ("kos", "ap", "ohsumed")
BUDGETS = (4.0, 6.0, 8.0)
DELTA = 1e-6
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


def with_equal_topics(name: str, epsilon: float) -> dict[str, Any]:
    """CALM with as many topics as FTM kept, which the case `leaderboard` has found."""
    ftm = stored.values("leaderboard").get(name, {}).get(f"{epsilon:g}", {}).get("ftm (sound)")
    if ftm is None:
        raise InputError("expected the results of the case leaderboard, got none; run it first")
    n_topics = round(ftm["scores"]["topics"])
    found = train(dealt(name), "calm", epsilon=epsilon, n_topics=n_topics, n_threads=1, show_progress=False)
    return {"n_topics": n_topics, **found.scores}


def equal_topics() -> str:
    """FTM and CALM with the same number of topics."""
    rows = []
    for name, by_epsilon in stored.values("leaderboard_equal_topics").items():
        for epsilon, calm in by_epsilon.items():
            ftm = stored.values("leaderboard")[name][epsilon]["ftm (sound)"]["scores"]
            cells = [f"{ftm['perplexity']:.0f}", f"{calm['perplexity']:.0f}"]
            cells += [f"{ftm['coherence']:.3f}", f"{calm['coherence_npmi']:.3f}"]
            rows.append([name, epsilon, str(calm["n_topics"]), *cells])
    names = ["ftm", "calm", "ftm, NPMI", "calm, NPMI"]
    return table(["set", "epsilon (word add/remove)", "topics", *names], rows)


def boards() -> str:
    """The boards of every set; ranks in parentheses."""
    lines = []
    for name, by_epsilon in stored.values("leaderboard").items():
        for epsilon, found in by_epsilon.items():
            board = ranked([_place(place) for place in found.values()])
            title = f"{name}, word add/remove epsilon {epsilon}, delta at most {DELTA:g}, one seed"
            lines += [title, "", table(HEAD, [_row(place) for place in board]), ""]
    return "\n".join(lines).strip()


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


@board("leaderboard", minutes=15, shows={"leaderboard": boards}, summary=boards)
def steps() -> Steps:
    """Every method at the same true epsilon: KOS, AP and ohsumed at word add/remove 4, 6 and 8."""
    return {
        f"{name}/{epsilon:g}/{label}": partial(placed, name, epsilon, label)
        for name in SETS
        for epsilon in BUDGETS
        for label in labels()
    }


@board("leaderboard_equal_topics", minutes=10, shows={"equal-topics": equal_topics}, summary=equal_topics)
def equal_topics_steps() -> Steps:
    """CALM with as many topics as FTM kept on the leaderboard."""
    return {f"{n}/{epsilon:g}": partial(with_equal_topics, n, epsilon) for n in SETS for epsilon in BUDGETS}
