"""`fedtopics topics`, `transform`, `evaluate` and `methods`: using what was trained."""

from __future__ import annotations

import csv
import io
import logging
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics import methods as all_methods
from fedtopics.commands import options, tables
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.documents.text.harmless import cell
from fedtopics.evaluation.scores import scores_on
from fedtopics.model import TopicModel

logger = logging.getLogger(__name__)


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("topics")(topics)
    app.command("transform")(transform)
    app.command("evaluate")(evaluate)
    app.command("methods")(methods)


def topics(
    folder: options.RunFolder,
    n_words: Annotated[int, typer.Option("--words", min=1, help="Words per topic.")] = 10,
    n_topics: Annotated[int | None, typer.Option("--topics", min=1, help="Largest topics only.")] = None,
    as_json: options.Json = False,
) -> None:
    """Print the topics of a trained model.

    Example: fedtopics topics runs/demo --words 15
    """
    model = TopicModel.load(folder)
    if as_json:
        options.print_json([asdict(row) for row in model.get_topic_info(n_words)])
    else:
        tables.print_topics(model, n_topics or model.n_topics, n_words)


@options.takes(options.Reading, "reading")
def transform(
    folder: options.RunFolder,
    source: Annotated[str, typer.Argument(metavar="INPUT", help="Documents, in any form that train reads.")],
    reading: options.Reading,
    out: Annotated[Path | None, typer.Option(help="CSV file to write; standard output if not given.")] = None,
    threads: options.Threads = None,
) -> None:
    """Write the topic mixture of each document as CSV: id, then one column per topic.

    Example: fedtopics transform runs/demo letters.csv --text-column body --out letters-mixtures.csv
    """
    model = TopicModel.load(folder)
    options.require_new_file(out, "--out")
    corpus = _documents(source, reading, model)
    mixtures = model.transform(corpus, n_threads=threads)
    ids = corpus.ids or tuple(map(str, range(corpus.n_docs)))
    table = io.StringIO(newline="")
    writer = csv.writer(table)
    writer.writerow(["id", *(cell(model.label(topic)) for topic in range(model.n_topics))])
    for name, mixture in zip(ids, mixtures.tolist(), strict=True):
        writer.writerow([cell(name), *(f"{share:.6g}" for share in mixture)])
    if out is None:
        sys.stdout.write(table.getvalue())
    else:
        files.publish(out, table.getvalue(), new=True)
        tables.console.print(f"mixtures of {corpus.n_docs} documents: {out}", soft_wrap=True)


@options.takes(options.Reading, "reading")
def evaluate(
    folder: options.RunFolder,
    source: options.Source,
    reading: options.Reading,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    """Score a trained model on documents that it has not seen.

    Example: fedtopics evaluate runs/demo letters.csv --text-column body
    """
    model = TopicModel.load(folder)
    corpus = _documents(source, reading, model)
    found = scores_on(model, corpus, n_threads=threads or os.cpu_count() or 1)
    if as_json:
        options.print_json(found)
    else:
        tables.print_scores(found)


def _documents(source: str, reading: options.Reading, model: TopicModel) -> Corpus:
    """The documents over the model's vocabulary; no word is filtered before that."""
    corpus = read(
        source,
        language=model.language or "en",
        stop_words=False,
        min_df=1,
        max_df=1.0,
        sentences=False,
        progress=None,
        **reading.options(),
    )
    known = model.read(corpus)
    logger.warning(
        "the model knows %.0f %% of the %d tokens; %d of %d documents have no known word",
        100 * known.n_tokens / max(corpus.n_tokens, 1),
        corpus.n_tokens,
        known.n_empty,
        known.n_docs,
    )
    return known


def methods(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A method: lists its settings.", show_default=False)
    ] = None,
    as_json: options.Json = False,
) -> None:
    """List the methods with what each one guarantees and where it comes from, or the settings of one.

    Example: fedtopics methods fedlda
    """
    if name is None:
        _list_methods(as_json)
    else:
        _list_settings(name, as_json)


def _list_settings(name: str, as_json: bool) -> None:
    """What `--set` takes for this method, with defaults and meanings."""
    method = all_methods.find(name)
    meaning = all_methods.meanings(method)
    rows = [
        {"setting": setting, "default": default, "meaning": meaning[setting]}
        for setting, default in all_methods.settings(method).items()
    ]
    if as_json:
        options.print_json({"method": name, "settings": rows})
        return
    tables.console.print(f"{name}: {method.about.summary}; {method.about.guarantee}", soft_wrap=True)
    tables.print_rows(
        [row | {"default": "" if row["default"] is None else str(row["default"])} for row in rows]
    )


def _list_methods(as_json: bool) -> None:
    abouts = {name: all_methods.find(name).about for name in all_methods.names()}
    rows = [
        {"method": name, "summary": about.summary, "guarantee": about.guarantee, "citation": about.citation}
        for name, about in abouts.items()
    ]
    if as_json:
        options.print_json({"methods": rows})
    else:
        tables.print_rows(rows)
