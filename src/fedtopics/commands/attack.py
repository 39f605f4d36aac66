"""Let a listener count what users with one document each report, for every local method.

Example: fedtopics attack docword.kos.txt.gz --max-words 3000 --rounds 40
"""

from typing import Annotated, Any

import numpy as np
import typer

from fedtopics.commands import options, tables
from fedtopics.documents.reading import read


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
    from fedtopics.audit.listener import attacks

    corpus = read(source, progress=None, **preparing.options())
    corpus = corpus.select(np.sort(np.random.default_rng(seed).permutation(corpus.n_docs)[:users]))
    rows = attacks(corpus, n_topics=topics, n_rounds=rounds, seed=seed, n_threads=threads or 1)
    if as_json:
        options.print_json({"rounds": rounds, "users": corpus.n_docs, "attacks": rows})
        return
    tables.print_rows([_attack_row(row) for row in rows])
    tables.print_note(
        f"{corpus.n_docs} users, {rounds} rounds. recall: share of a document's words that are named (fedlda "
        "paper: of its first 150); bound: the largest expected recall that reports made once allow, which "
        "chance may exceed, 1 where users report in every round. epsilon: fedlda paper, nominal for one "
        "tuple; fedlda sound, document replaced; lplda, word replaced."
    )
    for note in dict.fromkeys(note for row in rows for note in row["notes"]):
        told_by = [row for row in rows if note in row["notes"]]
        named = ", ".join("{method} {variant} {channel}".format(**row) for row in told_by)
        tables.print_titled(named, f": {note}")


def _attack_row(row: dict[str, Any]) -> dict[str, str]:
    numbers = {name: f"{row[name]:.3f}" for name in ("recall", "bound", "precision", "theta_error")}
    if not row["n_named"]:
        numbers["precision"] = "–"
    settings = {name: row[name] for name in ("method", "variant", "channel")}
    told = settings | {"epsilon": f"{row['epsilon']:g}"} | numbers
    return {name.replace("_", " "): value for name, value in told.items()}
