"""Go on from a finished run with new documents: write the plan of it, for the parties to accept.

Topics keep their numbers. What the parties released in that run is used again at no price; new documents pay
what documents of a run pay. Each party gives new documents alone (`party start --data`). Methods other than
calm begin anew, in all of their rounds, and the topics that come of it are joined with those there are.

Example: fedtopics federation go-on hub --run run-1 --new-words words-of-this-year.txt
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options
from fedtopics.commands.plan_shown import print_plan
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.errors import InputError
from fedtopics.network.coordinator import continuing
from fedtopics.network.coordinator.folder import OPEN, CoordinatorFolder


def go_on(
    folder: options.Member,
    run: Annotated[str, typer.Option(help="A finished run; its topics keep their numbers.")],
    new_topics: Annotated[int, typer.Option(min=0, help="Topics that may form beside those there are.")] = 0,
    new_words: Annotated[
        Path | None, typer.Option(help="Public words that join the vocabulary, one per line.")
    ] = None,
    rounds: options.Rounds = None,
) -> None:
    hub = CoordinatorFolder(folder)
    under_way = [known.name for known in hub.runs() if known.status().state in OPEN]
    if under_way:
        raise InputError(
            f"expected no run under way, got {', '.join(under_way)}; wait for its end, or abort it"
        )
    words = () if new_words is None else read_vocabulary(new_words)
    plan = continuing.write(hub, run, words=words, n_new_topics=new_topics, n_rounds=rounds)
    print_plan(plan)
    options.say(
        f"\nthe plan in {folder} continues {run}; send each party its folder in approved/ to accept anew,"
    )
    options.say(f"with new documents alone; then: fedtopics federation run submit {folder}")
