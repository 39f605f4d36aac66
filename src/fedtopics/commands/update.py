"""Go on from a run with new documents: topics keep their numbers, new and fading ones are named.

Method and settings are those of the run. The price is that of the new documents, told before they are read.

[bold]Examples[/bold]

  fedtopics update runs/mails new-mails.csv --text-column body --party-column owner --out runs/mails-2

  fedtopics update runs/mails new-mails.csv --text-column body --new-topics 5 --out runs/mails-3
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics.commands import options, price, report, tables
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.errors import InputError
from fedtopics.evaluation.usefulness import unsure
from fedtopics.model.merging import union
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs.run import Run, require_free
from fedtopics.runs.updating import continuing_method


@options.takes(options.Dealing, "dealing")
def update(
    folder: options.RunFolder,
    source: options.Source,
    dealing: options.Dealing,
    new_topics: Annotated[int, typer.Option(min=0, help="Topics that may form beside those there are.")] = 0,
    new_words: Annotated[
        Path | None, typer.Option(help="Public words that join the vocabulary, one per line.")
    ] = None,
    rounds: options.Rounds = None,
    threads: options.Threads = None,
    secure: options.Secure = False,
    consistency: options.Consistency = None,
    accept_cost: price.AcceptCost = False,
    out: Annotated[Path | None, typer.Option(help="New or empty folder for the run.")] = None,
    as_json: options.Json = False,
) -> None:
    if out is not None:
        require_free(out)
    given = {name: value for name, value in dealing.options().items() if value is not None}
    for name in ("vocabulary", "max_words", "min_df", "max_df", "vocabulary_epsilon"):
        if name in given:
            raise InputError(
                f"the words are those of the run, got --{name.replace('_', '-')}; give --new-words"
            )
    words = () if new_words is None else read_vocabulary(new_words)
    old = Run.load(folder)
    method = continuing_method(old, new_topics, rounds)
    n_words = len(union(old.model.vocabulary, words))
    delta = Ledger().delta if method.privacy_delta is None else method.privacy_delta
    price.require_wanted(method, [], method.prices(n_words), n_words, delta, accepted=accept_cost)
    run = old.update(
        source,
        n_new_topics=new_topics,
        words=words,
        n_rounds=rounds,
        n_threads=threads,
        secure=secure,
        consistency=consistency,
        **given,
    )
    if out is not None:
        run.save(out)
        report.put_beside(out)
    if as_json:
        options.print_json(run.record)
        return
    tables.print_runs([run])
    tables.print_topics(run.model)
    for note in run.record["notes"]:
        if note not in unsure(run.scores):  # which was said below the scores
            options.say(note)
    tables.print_saved(out)
