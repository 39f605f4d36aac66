"""Print the topics of a trained model.

[bold]Examples[/bold]

  fedtopics topics runs/demo --words 15

  fedtopics topics runs/demo --tree

  fedtopics topics runs/demo --reduce 10

  fedtopics topics runs/speeches --over-time speeches.csv --time-column year --period decade

  fedtopics topics runs/speeches --over-time speeches.csv --time-column year --event vietnam --story 17

  fedtopics topics runs/demo --intrusion sheet.csv      # then, filled in: --answers sheet.csv
"""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from fedtopics import files
from fedtopics.commands import options, tables
from fedtopics.commands.chosen_model import chosen_model
from fedtopics.errors import InputError
from fedtopics.evaluation.intrusion import Question, graded, questions, sheet
from fedtopics.evaluation.over_time import OverTime, over_time
from fedtopics.model import TopicModel
from fedtopics.model.tree import drawn

Events: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--event", help="Words of an event whose course is shown, of --over-time; may be repeated."),
]
Story: TypeAlias = Annotated[
    int | None, typer.Option(min=0, help="Topic of which is shown what it says by period, of --over-time.")
]


@options.takes(options.Reading, "reading")
def topics(
    folder: options.RunFolder,
    reading: options.Reading,
    n_words: Annotated[int, typer.Option("--words", min=1, help="Words per topic.")] = 10,
    n_topics: Annotated[int | None, typer.Option("--topics", min=1, help="Largest topics only.")] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="Which topics are alike: joined two by two, the largest first.")
    ] = False,
    reduce: Annotated[
        int | None, typer.Option(min=2, help="Join topics that are most alike until so many are left.")
    ] = None,
    by: Annotated[
        str, typer.Option(help="Words that are distinctive, or the most probable ones.")
    ] = "distinctive",
    common: Annotated[
        int | None, typer.Option(min=1, help="So many words that all topics have in common, one per line.")
    ] = None,
    documents: Annotated[
        str | None, typer.Option("--over-time", help="Documents whose topics are shown by period.")
    ] = None,
    time_column: Annotated[
        str, typer.Option(help="Column with years or ISO dates, of --over-time.")
    ] = "date",
    period: Annotated[str, typer.Option(help="month, year, decade or century.")] = "year",
    events: Events = None,
    story: Story = None,
    intrusion: Annotated[
        Path | None, typer.Option(help="New file for questions to people: which word does not belong?")
    ] = None,
    answers: Annotated[Path | None, typer.Option(help="These questions, filled in.")] = None,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    model = chosen_model(folder)
    if reduce is not None:
        model = model.reduce_topics(reduce)
    if common is not None:
        options.say("\n".join(model.common_words(common)))
    elif documents is not None:
        corpus = reading.all_words(documents, model, label_column=time_column)
        asked = partial(over_time, period=period, events=events or (), n_words=n_words)
        _show_over_time(asked(model, corpus, corpus.labels or ()), story, as_json)
    elif events or story is not None:
        raise InputError("--event and --story need --over-time with documents; give it")
    elif intrusion is not None:
        options.require_new_file(intrusion, "--intrusion")
        files.publish(intrusion, sheet(questions(model, seed=seed, by=by)))
        options.say(f"{intrusion}: write into its last column which word does not belong")
    elif answers is not None:
        _show_grades(model, questions(model, seed=seed, by=by), answers, as_json)
    elif tree:
        _show_tree(model, n_words, as_json)
    elif as_json:
        options.print_json([asdict(row) for row in model.get_topic_info(n_words)])
    else:
        tables.print_topics(model, n_topics or model.n_topics, n_words, by=by)


def _show_over_time(found: OverTime, story: int | None, as_json: bool) -> None:
    if as_json:
        options.print_json(found.to_dict())
        return
    shown = str(found) if story is None else f"{found.story(story)}\n\n{found.courses()}".rstrip("\n")
    tables.console.print(shown, soft_wrap=True, highlight=False, markup=False)
    options.say("these shares are of the documents themselves: for who holds them, not to be published")


def _show_grades(model: TopicModel, asked: list[Question], answers: Path, as_json: bool) -> None:
    content = answers.read_bytes()
    encoding = "utf-16" if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    found = graded(asked, content.decode(encoding, errors="replace"))
    share = sum(found.values()) / len(found)
    if as_json:
        options.print_json({"share": share, "topics": found})
        return
    missed = [model.names[topic] for topic, right in found.items() if not right]
    options.say(f"the intruder was found in {sum(found.values())} of {len(found)} topics ({share:.0%})")
    for name in missed:
        options.say(f"missed: {name}")


def _show_tree(model: TopicModel, n_words: int, as_json: bool) -> None:
    found = model.tree()
    if as_json:
        options.print_json([asdict(join) for join in found])
        return
    names = [
        " ".join([f"topic {k}" if model.labels is None else model.label(k), *words])
        for k, words in enumerate(model.top_words(min(n_words, 5)))
    ]
    for line in drawn(found, names):
        tables.console.print(line, soft_wrap=True)
