"""Let a listener count what users with one document each report, for every local method.

Example: fedtopics privacy attack docword.kos.txt.gz --max-words 3000 --rounds 40
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from logging.handlers import BufferingHandler
from typing import Annotated, Any

import numpy as np
import typer

from fedtopics import methods
from fedtopics.commands import options, tables
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.progress import track

LOCAL_METHODS: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("fedlda", {"variant": "paper", "channel": name, "epsilon": 7.5})
        for name in ("rrp", "krr", "t-krr", "hm")
    ),
    *(("fedlda", {"variant": "sound", "channel": name, "epsilon": 128.0}) for name in ("krr", "ue")),
    ("lplda", {"variant": "paper", "epsilon": 4.0}),
    ("lplda", {"variant": "sound", "epsilon": 4.0}),
)


@options.takes(options.Preparing, "preparing")
def attack(
    source: options.Source,
    preparing: options.Preparing,
    topics: options.TopicCount = 20,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds that the listener hears.")] = 40,
    users: Annotated[int, typer.Option(min=2, help="Documents drawn at random; each is a user.")] = 1000,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    from fedtopics.audit.listener import listen

    corpus = _sample(read(source, progress=None, **preparing.options()), users, seed)
    rows: list[dict[str, Any]] = []
    for name, given in track(LOCAL_METHODS, "Listening", total=len(LOCAL_METHODS)):
        method = methods.make(name, n_topics=topics, n_rounds=rounds, **given)
        with _warnings_kept() as told:
            heard = listen(method, corpus, seed=seed, n_threads=threads or 1)
        row = {"method": name, "channel": "bits"} | given | {"bound": heard.bound} | asdict(heard.recovered)
        warned = [record.getMessage() for record in told]
        rows.append(row | {"notes": [*method.notes(corpus.n_words), *warned]})
    if as_json:
        options.print_json({"rounds": rounds, "users": corpus.n_docs, "attacks": rows})
        return
    tables.print_rows([_attack_row(row) for row in rows])
    tables.console.print(
        f"{corpus.n_docs} users, {rounds} rounds. recall: share of a document's words that are named (fedlda "
        "paper: of its first 150); bound: the largest expected recall that reports made once allow, which "
        "chance may exceed, 1 where users report in every round. epsilon: fedlda paper, nominal for one "
        "tuple; fedlda sound, document replaced; lplda, word replaced.",
        soft_wrap=True,
    )
    for note in dict.fromkeys(note for row in rows for note in row["notes"]):
        told_by = [row for row in rows if note in row["notes"]]
        named = ", ".join("{method} {variant} {channel}".format(**row) for row in told_by)
        tables.print_titled(named, f": {note}")


@contextmanager
def _warnings_kept() -> Iterator[list[logging.LogRecord]]:
    """The warnings that are logged meanwhile, which nobody else gets to see."""
    kept, logger = BufferingHandler(10**6), logging.getLogger("fedtopics")
    kept.setLevel(logging.WARNING)
    before, logger.propagate = logger.propagate, False
    logger.addHandler(kept)
    try:
        yield kept.buffer
    finally:
        logger.removeHandler(kept)
        logger.propagate = before


def _sample(corpus: Corpus, n_docs: int, seed: int) -> Corpus:
    """Some documents drawn at random; all where there are no more."""
    chosen = np.random.default_rng(seed).permutation(corpus.n_docs)[:n_docs]
    return corpus.select(np.sort(chosen))


def _attack_row(row: dict[str, Any]) -> dict[str, str]:
    numbers = {name: f"{row[name]:.3f}" for name in ("recall", "bound", "precision", "theta_error")}
    if not row["n_named"]:
        numbers["precision"] = "–"
    settings = {name: row[name] for name in ("method", "variant", "channel")}
    told = settings | {"epsilon": f"{row['epsilon']:g}"} | numbers
    return {name.replace("_", " "): value for name, value in told.items()}
