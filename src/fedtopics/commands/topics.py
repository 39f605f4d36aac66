"""Print the topics of a trained model.

[bold]Examples[/bold]

  fedtopics topics runs/demo --words 15

  fedtopics topics runs/demo --tree

  fedtopics topics runs/demo --reduce 10
"""

from dataclasses import asdict
from typing import Annotated

import typer

from fedtopics.commands import options, tables
from fedtopics.model import TopicModel
from fedtopics.model.tree import drawn


def topics(
    folder: options.RunFolder,
    n_words: Annotated[int, typer.Option("--words", min=1, help="Words per topic.")] = 10,
    n_topics: Annotated[int | None, typer.Option("--topics", min=1, help="Largest topics only.")] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="Which topics are alike: joined two by two, the largest first.")
    ] = False,
    reduce: Annotated[
        int | None, typer.Option(min=2, help="Join topics that are most alike until so many are left.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    model = TopicModel.load(folder)
    if reduce is not None:
        model = model.reduce_topics(reduce)
    if tree:
        _show_tree(model, n_words, as_json)
    elif as_json:
        options.print_json([asdict(row) for row in model.get_topic_info(n_words)])
    else:
        tables.print_topics(model, n_topics or model.n_topics, n_words)


def _show_tree(model: TopicModel, n_words: int, as_json: bool) -> None:
    found = model.tree()
    if as_json:
        options.print_json([asdict(join) for join in found])
        return
    names = [" ".join([model.label(k), *words]) for k, words in enumerate(model.top_words(min(n_words, 5)))]
    for line in drawn(found, names):
        tables.console.print(line, soft_wrap=True)
