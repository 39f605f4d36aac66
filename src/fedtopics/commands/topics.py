"""Print the topics of a trained model.

Example: fedtopics topics runs/demo --words 15
"""

from dataclasses import asdict
from typing import Annotated

import typer

from fedtopics.commands import options, tables
from fedtopics.model import TopicModel


def topics(
    folder: options.RunFolder,
    n_words: Annotated[int, typer.Option("--words", min=1, help="Words per topic.")] = 10,
    n_topics: Annotated[int | None, typer.Option("--topics", min=1, help="Largest topics only.")] = None,
    as_json: options.Json = False,
) -> None:
    model = TopicModel.load(folder)
    if as_json:
        options.print_json([asdict(row) for row in model.get_topic_info(n_words)])
    else:
        tables.print_topics(model, n_topics or model.n_topics, n_words)
