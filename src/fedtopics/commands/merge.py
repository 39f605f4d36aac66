"""Make one model of two, whose words may differ: topics that are the same become one. It costs no privacy.

Example: fedtopics merge runs/north runs/south --out models/both
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options, tables
from fedtopics.commands.chosen_model import chosen_model
from fedtopics.errors import InputError
from fedtopics.model import merge as merged
from fedtopics.model.merging import SAME


def merge(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="A model: its topics keep their numbers.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND", help="Another model, or a folder of a run.")],
    out: Annotated[Path, typer.Option(help="New or empty folder for the model.")],
    threshold: Annotated[
        float, typer.Option(min=0, max=1, help="Least similarity of topics that become one.")
    ] = SAME,
    as_json: options.Json = False,
) -> None:
    if out.exists() and any(out.iterdir()):
        raise InputError(f"{out} exists and is not empty; choose another --out, nothing is overwritten")
    models = chosen_model(first), chosen_model(second)
    found = merged(*models, threshold=threshold)
    found.save(out)
    n_same = models[0].n_topics + models[1].n_topics - found.n_topics
    if as_json:
        facts = {"n_topics": found.n_topics, "n_same": n_same, "n_words": found.n_words}
        options.print_json(facts)
        return
    tables.print_topics(found, found.n_topics)
    options.say(
        f"{n_same} topics are the same in both; {found.n_topics} topics over {found.n_words} words: {out}"
    )
