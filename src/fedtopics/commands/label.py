"""Name topics: by hand, or by the words that set them apart. Reports and tables show the names from then on.

[bold]Examples[/bold]

  fedtopics label runs/demo 3="foreign trade" 7=war

  fedtopics label runs/demo --words 3
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options, report, tables
from fedtopics.commands.chosen_model import chosen_model
from fedtopics.errors import InputError
from fedtopics.model import TopicModel


def label(
    folder: options.RunFolder,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[TOPIC=NAME]...", help="Names by topic.")
    ] = None,
    words: Annotated[
        int | None, typer.Option(min=1, help="Name all topics by so many words that set them apart.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    model = chosen_model(folder)
    if words is not None:
        model = model.name_topics(lambda shown: ", ".join(shown[:words]), n=words)
    if names:
        model = model.set_topic_labels(dict(_parsed(name) for name in names))
    if words is not None or names:
        _keep(model, folder)
    if as_json:
        options.print_json(dict(enumerate(model.names)))
    else:
        tables.print_topics(model, model.n_topics)


def _parsed(given: str) -> tuple[int, str]:
    topic, sign, name = given.partition("=")
    if not sign or not topic.strip().isdecimal() or not name.strip():
        raise InputError(f'expected TOPIC=NAME, as 3="foreign trade", got {given!r:.60}')
    return int(topic), name.strip()


def _keep(model: TopicModel, folder: Path) -> None:
    """Names are written beside the numbers, which stay as they are; so does the record of the run."""
    model.save(folder, overwrite=True)
    if (folder / "run.json").is_file():
        report.put_beside(folder)
