"""What the commands print for people: tables of runs, topics and methods."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fedtopics.commands import epsilons
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import printable
from fedtopics.evaluation.usefulness import unsure
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


# Where nobody reads along, lines of prose stay whole: a program may look for them.
IS_READ = sys.stdout.isatty()
console = HarmlessConsole(width=None if IS_READ else 120)
WIDE = 100  # columns from which on a table of runs has all its scores
SCORES = {
    "perplexity": ("perplexity", ".0f"),
    "NPMI": ("coherence_npmi", ".3f"),
    "UMass": ("coherence_umass", ".2f"),
    "diversity": ("diversity", ".2f"),
}


def plain_table(*columns: str) -> Table:
    """A table without a frame, which has room for more on a narrow terminal."""
    return Table(*columns, box=SIMPLE_HEAD, pad_edge=False, show_edge=False)


def print_note(text: str, style: str = "") -> None:
    """A line of prose, wrapped to the terminal where there is one."""
    console.print(text, style=style or None, soft_wrap=not IS_READ)


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
        print_note(f"parties: {dealing}, which depends on the texts and is not priced")


def print_runs(runs: list[Run]) -> None:
    """One line per run (per party for `alone`), below the unigram that every model should beat."""
    units, wide = epsilons.units(runs), console.width >= WIDE
    told = {"topics": any(_has_others(run) for run in runs), "seed": len({_seed(run) for run in runs}) > 1}
    facts = [name for name, is_shown in told.items() if is_shown]
    narrow = ["UMass", "diversity"][: 1 + told["seed"]]  # what there is no room for
    scores = [name for name in SCORES if wide or name not in narrow]
    print_note("held-out documents of all parties; perplexity: lower is better, the others: higher", "italic")
    table = plain_table("method")
    prices = [f"epsilon{' ' if wide else chr(10)}({unit})" for unit in units]
    for column in (*facts, *scores, "seconds", *prices):
        table.add_column(column, justify="right")
    unigram = runs[0].scores["perplexity_unigram"]
    if unigram is not None:
        table.add_row(Text("no topics", "dim"), *("" for _ in facts), f"{unigram:.0f}")
    for run in runs:
        seconds = _shown(run.record.get("seconds"), ".1f")
        for name, found in _rows(run):
            own = {"topics": str(run.record["n_topics"]), "seed": str(_seed(run))}
            cells = [_shown(found[SCORES[score][0]], SCORES[score][1]) for score in scores]
            cells = [*(own[name] for name in facts), *cells]
            table.add_row(name, *cells, seconds, *(epsilons.cell(run, unit) for unit in units))
    console.print(table)
    for note in epsilons.notes(runs, units):
        print_note(note, "dim")
    for warning in dict.fromkeys(f"{_named(run)}: {warning}" for run in runs for warning in run.warnings):
        print_note(warning, "bold red")
    for note in dict.fromkeys(f"{_named(run)}: {note}" for run in runs for note in unsure(run.scores)):
        print_note(note, "bold")


def _seed(run: Run) -> Any:
    return run.record["seed"]


def _has_others(run: Run) -> bool:
    """Whether the model has another number of topics than was asked for."""
    return bool(run.record["n_topics"] != run.record.get("settings", {}).get("n_topics"))


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
    print_note(f"{shown} of {method}" if method else shown, "italic")
    table = plain_table()
    table.add_column("topic")
    table.add_column("share", justify="right", no_wrap=True)
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
    table = plain_table(*rows[0])
    for row in rows:
        table.add_row(*map(_cell, row.values()))
    console.print(table)


def _cell(value: float | str | None) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.4g}"


def print_titled(title: str, text: str) -> None:
    """A paragraph behind its title, which stands out."""
    console.print(Text.assemble((printable(title), "bold"), printable(text)), soft_wrap=not IS_READ)
