"""`fedtopics topics`, `transform`, `evaluate` and `methods`: using what was trained."""

from __future__ import annotations

import csv
import logging
import os
import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from fedtopics import methods as all_methods
from fedtopics.commands import options, tables
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.documents.text.harmless import cell
from fedtopics.evaluation.scores import scores_on
from fedtopics.model import TopicModel
from fedtopics.runs.run import label

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
    with nullcontext(sys.stdout) if out is None else out.open("x", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", *(cell(model.label(topic)) for topic in range(model.n_topics))])
        for name, mixture in zip(ids, mixtures.tolist(), strict=True):
            writer.writerow([cell(name), *(f"{share:.6g}" for share in mixture)])
    if out is not None:
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
    rows = _settings(name)
    if as_json:
        options.print_json({"method": name, "settings": rows})
        return
    for variant in all_methods.variants(name) or (None,):
        about = all_methods.find(name, variant).about
        called = label({"method": name, "variant": variant})
        tables.console.print(f"{called}: {about.summary}; {about.guarantee}", soft_wrap=True)
    _print_told(rows)


def _settings(name: str) -> list[dict[str, Any]]:
    """Each setting once; for each variant where it belongs to one alone, or differs."""
    variants = all_methods.variants(name) or (None,)
    found: dict[str, list[dict[str, Any]]] = {}
    for variant in variants:
        meaning = all_methods.meanings(name, variant)
        for setting, default in all_methods.settings(name, variant).items():
            told = {"default": variants[0] if setting == "variant" else default, "meaning": meaning[setting]}
            rows = found.setdefault(setting, [])
            if rows and {key: rows[-1][key] for key in told} == told:
                rows[-1]["variant"] = None
            else:
                rows.append({"setting": setting, "variant": variant, **told})
    return [row for rows in found.values() for row in rows]


def _list_methods(as_json: bool) -> None:
    rows = [
        {"method": name, "variant": variant, **asdict(all_methods.find(name, variant).about)}
        for name in all_methods.names()
        for variant in all_methods.variants(name) or (None,)
    ]
    if as_json:
        options.print_json({"methods": rows})
    else:
        _print_told(rows)


def _print_told(rows: list[dict[str, Any]]) -> None:
    """A table of what is told at all: a column in which nothing stands is left out."""
    columns = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    tables.print_rows([{key: "" if row[key] is None else str(row[key]) for key in columns} for row in rows])
