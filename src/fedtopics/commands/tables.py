"""What the commands print for people: tables of runs, topics and methods."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import printable
from fedtopics.model import TopicModel
from fedtopics.runs.preparing import BY_TOPIC
from fedtopics.runs.run import Run, label


class HarmlessConsole(Console):
    """A console that shows texts as they are: no markup in them, and no escape sequence."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """The text as rich shows it, in a table or outside."""
        return super().render_str(printable(text), **options)


console = HarmlessConsole(width=None if sys.stdout.isatty() else 120)


def print_parties(parties: Mapping[str, Corpus], dealing: str) -> None:
    """Who holds how much, and who decided that."""
    print_rows(
        [
            {"party": name, "documents": f"{corpus.n_docs:,}", "tokens": f"{corpus.n_tokens:,}"}
            | ({} if corpus.n_persons is None else {"persons": f"{corpus.n_persons:,}"})
            for name, corpus in parties.items()
        ]
    )
    print_dealing(dealing)


def print_dealing(dealing: str) -> None:
    """That the parties are no real ones, where they are none."""
    if dealing == BY_TOPIC:
        console.print(f"parties: {dealing}, which depends on the texts and is not priced", soft_wrap=True)


def print_runs(runs: list[Run]) -> None:
    """One line per run (per party for `alone`), below the unigram that every model should beat."""
    table = Table(
        title="held-out documents of all parties; perplexity: lower is better, the others: higher",
        title_justify="left",
    )
    table.add_column("method")
    for column in ("perplexity", "NPMI", "UMass", "diversity", "seconds"):
        table.add_column(column, justify="right")
    table.add_column("privacy", overflow="fold")
    unigram = runs[0].scores["perplexity_unigram"]
    if unigram is not None:
        table.add_row(Text("no topics", "dim"), f"{unigram:.0f}", "", "", "", "", "")
    for run in runs:
        for name, scores in _rows(run):
            table.add_row(
                name,
                _shown(scores["perplexity"], ".0f"),
                _shown(scores["coherence_npmi"], ".3f"),
                _shown(scores["coherence_umass"], ".2f"),
                _shown(scores["diversity"], ".2f"),
                _shown(run.record.get("seconds"), ".1f"),
                run.privacy_line,
            )
    console.print(table)
    for run in runs:
        for warning in run.warnings:
            console.print(f"{_named(run)}: {warning}", style="bold red", soft_wrap=True)


def _named(run: Run) -> str:
    """The method, and its epsilon where it has one."""
    return label(run.record) + ("" if run.epsilon is None else f" at epsilon {run.epsilon:g}")


def _shown(score: float | None, form: str) -> str:
    """A score, or a dash where there were no documents for it."""
    return "-" if score is None else format(score, form)


def _rows(run: Run) -> list[tuple[str, dict[str, Any]]]:
    own = [(party["name"], party["scores"]) for party in run.record["parties"] if "scores" in party]
    if run.record["method"] != "alone":
        return [(label(run.record), run.scores)]
    return [(f"alone: {name}", scores) for name, scores in own]


def print_topics(
    model: TopicModel, n_topics: int = 10, n_words: int = 8, method: str = "", by: str = "distinctive"
) -> None:
    shares = model.topic_shares
    order = range(model.n_topics) if shares is None else (-shares).argsort(kind="stable")
    shown = "topics" if n_topics >= model.n_topics else f"largest {n_topics} of {model.n_topics} topics"
    table = Table(title=f"{shown} of {method}" if method else shown, title_justify="left")
    table.add_column("topic", justify="right")
    table.add_column("share", justify="right")
    table.add_column("words")
    words = model.top_words(n_words, by)
    for topic in list(order)[:n_topics]:
        share = "" if shares is None else f"{100 * shares[topic]:.1f} %"
        name = str(topic) if model.labels is None else f"{topic} {model.label(topic)}"
        table.add_row(name, share, " ".join(words[topic]))
    console.print(table)


def print_saved(folder: Path | None) -> None:
    """Where the run went, and what to type next."""
    if folder is None:
        console.print("not saved; give --out DIR to keep the model")
        return
    console.print(f"report: {folder / 'report.html'}   topics: fedtopics topics {folder}", soft_wrap=True)


def print_rows(rows: Sequence[Mapping[str, float | str | None]]) -> None:
    """A table whose columns are the keys of its rows; numbers with four digits, None as nothing."""
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    console.print(table)


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.4g}"


def print_titled(title: str, text: str) -> None:
    console.print(title, style="bold", end="")
    console.print(text, soft_wrap=True)
