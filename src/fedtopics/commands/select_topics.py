"""Train plain LDA with several numbers of topics, print their scores and draw them.

[bold]Example[/bold]

  fedtopics select-topics sotu --candidates 10,20,30,50 --plot sotu-topics.svg
"""

import os
from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics.commands import options
from fedtopics.documents.reading import read
from fedtopics.errors import InputError
from fedtopics.evaluation import selection
from fedtopics.progress import bar
from fedtopics.report.selection_plot import selection_plot


@options.takes(options.Preparing, "preparing")
def select_topics(
    source: options.Source,
    preparing: options.Preparing,
    candidates: Annotated[str, typer.Option(help="Numbers of topics, with commas between.")] = ",".join(
        map(str, selection.CANDIDATES)
    ),
    sweeps: Annotated[int, typer.Option(min=1, help="Passes over the documents for each number.")] = 200,
    test_fraction: options.TestFraction = 0.1,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    plot: Annotated[Path | None, typer.Option(help="SVG file to draw the scores to.")] = None,
    as_json: options.Json = False,
) -> None:
    numbers = _numbers(candidates)
    options.require_new_file(plot, "--plot", ".svg")
    corpus = read(source, progress=None, **preparing.options())
    with bar("Training", total=len(set(numbers)) * sweeps) as shown:
        found = selection.select_topics(
            corpus,
            numbers,
            n_sweeps=sweeps,
            test_fraction=test_fraction,
            seed=seed,
            n_threads=threads or os.cpu_count() or 1,
            on_sweeps=shown.advance,
        )
    if plot is not None:
        files.publish(plot, selection_plot(found), new=True)
    if as_json:
        scored = [{"n_topics": c.n_topics, "scores": c.scores} for c in found.candidates]
        options.print_json({"best": found.best, "candidates": scored, "warnings": found.warnings})
    else:
        options.say(str(found))


def _numbers(text: str) -> list[int]:
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        raise InputError(f"--candidates expects whole numbers with commas between, got {text!r}") from None
