"""Train a classifier of labeled documents on their topics and score it on others.

The run's topics, those of other runs and those that single parties keep stand side by side.

[bold]Examples[/bold]

  fedtopics classify runs/mails mails.csv --text-column body --label-column kind

  fedtopics classify runs/private sotu --against runs/pooled --against runs/alone --words
"""

import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from fedtopics.applications import classification
from fedtopics.applications.classification import NAMES, Classified, split_by_class, split_by_column
from fedtopics.commands import options, tables
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.runs.run import Run

logger = logging.getLogger(__name__)


@options.takes(options.Reading, "reading")
def classify(
    folder: options.RunFolder,
    source: options.Source,
    reading: options.Reading,
    label_column: Annotated[str | None, typer.Option(help="Column with the class of each document.")] = None,
    split_column: Annotated[
        str | None, typer.Option(help="Column that says train or test; without it every class is split 4:1.")
    ] = None,
    against: Annotated[list[Path] | None, typer.Option(help="Another run; may be repeated.")] = None,
    classifier: Annotated[str, typer.Option(help="logistic or svm.")] = "logistic",
    words: Annotated[bool, typer.Option("--words", help="Add the TF-IDF of the words.")] = False,
    resamples: Annotated[int, typer.Option(min=1, help="Bootstrap samples of the test documents.")] = 500,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    models = _models([folder, *(against or [])])
    model = next(iter(models.values()))
    corpus = reading.all_words(source, model, label_column=label_column, party_column=split_column)
    train, test = split_by_column(corpus) if split_column else split_by_class(corpus, seed=seed)
    found = classification.classify(
        models,
        train,
        test,
        classifier=classifier,
        words=words,
        n_resamples=resamples,
        seed=seed,
        n_threads=threads,
        progress=None,
    )
    if as_json:
        options.print_json({"n_train": train.n_docs, "n_test": test.n_docs, "results": [*map(_plain, found)]})
        return
    logger.warning("classifier trained on %d documents, scored on %d others", train.n_docs, test.n_docs)
    tables.print_rows([_row(result) for result in found])


def _models(folders: list[Path]) -> dict[str, TopicModel]:
    """The topics of each run and of its parties, by names that tell them apart."""
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise InputError("expected different runs to compare, got one twice")
    models: dict[str, TopicModel] = {}
    for folder in folders:
        run = Run.load(folder)
        name = f"{run.record['method']} ({folder.name})"
        if run.record["method"] != "alone":
            models[name] = run.model
        models |= {f"{name}: {party}": model for party, model in run.local_models.items()}
    return models


def _plain(result: Classified) -> dict[str, Any]:
    scores = {
        name: {"value": score.value, "interval": score.interval} for name, score in result.scores.items()
    }
    return {"features": result.features, "scores": scores}


def _row(result: Classified) -> dict[str, str]:
    """Intervals below their values: side by side they would not fit a terminal."""
    return {"topics": result.features} | {
        name: str(result.scores[name]).replace(" ", "\n", 1) for name in NAMES
    }
