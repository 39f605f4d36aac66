"""Train every method so that its ledger proves the same epsilon, and rank them.

Ranks are by perplexity, coherence (NPMI), bytes sent by all, and seconds of processor time. Methods that
prove nothing for the relation are listed without a rank.

[bold]Examples[/bold]

  fedtopics leaderboard sotu --epsilon 6 --topics 30

  fedtopics leaderboard sotu --epsilon 200 --relation "document add/remove" --max-length 150
"""

from collections.abc import Sequence
from dataclasses import asdict
from math import inf
from typing import Annotated, Any

import typer

from fedtopics.commands import options, tables
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import check_relation
from fedtopics.runs import leaderboard as boards
from fedtopics.runs.beside_alone import ALONE
from fedtopics.runs.leaderboard import COLUMNS, Place
from fedtopics.runs.preparing import prepare


@options.takes(options.Dealing, "dealing")
def leaderboard(
    source: options.Source,
    dealing: options.Dealing,
    epsilon: Annotated[float, typer.Option(help="The budget of every party, all rounds together.")] = 6.0,
    relation: Annotated[str, typer.Option(help="What it protects.")] = "word add/remove",
    delta: Annotated[float, typer.Option(help="Chance that the promise may fail.")] = 1e-6,
    max_length: Annotated[
        int | None,
        typer.Option(min=1, help="Public maximum of words of a document, to price whole documents."),
    ] = None,
    names: Annotated[str | None, typer.Option("--methods", help="Some methods only, with commas.")] = None,
    topics: options.TopicCount = 50,
    seeds: Annotated[int, typer.Option(min=1, help="Runs of every method; means are shown.")] = 1,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    budget = Budget(check_relation(relation), epsilon, delta)
    data = prepare(source, **dealing.options())
    board = boards.leaderboard(
        data,
        budget,
        names=names.split(",") if names else None,
        n_topics=topics,
        seeds=range(dealing.seed, dealing.seed + seeds),
        n_threads=threads,
        **({} if max_length is None else {"max_length": max_length}),
    )
    if as_json:
        options.print_json({"budget": asdict(budget), "places": [plain(place) for place in board]})
    else:
        tables.console.print(f"{relation} epsilon {epsilon:g}, delta at most {delta:g}, all rounds together")
        alone = min((p.scores["perplexity"] for p in board if p.candidate.method == ALONE), default=inf)
        tables.print_rows([*_without_topics(board), *(_row(place, alone) for place in board)])


def plain(place: Place) -> dict[str, Any]:
    return asdict(place) | {"label": place.candidate.label}


def _without_topics(board: Sequence[Place]) -> list[dict[str, str]]:
    """The unigram that every method should beat; nothing where none was trained."""
    known = [place.scores["perplexity_unigram"] for place in board if place.scores]
    blank = dict.fromkeys(("method", *COLUMNS, "topics", "privacy"), "")
    return [blank | {"method": "no topics", "perplexity": f"{known[0]:.0f}"}] if known else []


def _row(place: Place, alone: float) -> dict[str, str]:
    cells = {column: _cell(place, column) for column in (*COLUMNS, "topics")}
    note = place.candidate.why or f"proved {place.epsilon:.4g}"
    return {"method": place.candidate.label} | cells | {"privacy": "; ".join([note, *_against(place, alone)])}


def _against(place: Place, alone: float) -> list[str]:
    """Why the topics are of no use, in a few words; `alone` is the perplexity of the best party alone."""
    if not (found := place.scores):
        return []
    said = {
        "no better than no topics": found["perplexity"] >= found["perplexity_unigram"],
        "words as by chance": found["coherence"] <= found["chance"],
        "alone does better": place.candidate.method != ALONE and found["perplexity"] >= alone,
    }
    return [text for text, holds in said.items() if holds]


def _cell(place: Place, column: str) -> str:
    if column not in place.scores:
        return ""
    value = place.scores[column]
    shown = {
        "perplexity": f"{value:.0f}",
        "coherence": f"{value:.3f}",
        "bytes": f"{value / 1e3:,.1f} kB" if value < 1e5 else f"{value / 1e6:,.1f} MB",
        "seconds": f"{value:.1f}",
        "topics": f"{value:.0f}",
    }[column]
    return f"{shown} ({place.ranks[column]})" if column in place.ranks else shown
