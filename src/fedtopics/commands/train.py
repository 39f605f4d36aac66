"""`fedtopics train`, `compare` and `demo`: from documents to a model with its scores and its price."""

from __future__ import annotations

import logging
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any

import typer

from fedtopics import methods
from fedtopics.commands import options, report, tables
from fedtopics.errors import InputError
from fedtopics.protocol import with_related_words
from fedtopics.related_words import TAU
from fedtopics.runs import experiment
from fedtopics.runs.preparing import READ, prepare
from fedtopics.runs.run import require_free

TRAIN_EXAMPLES = """
Train one method and write DIR/report.html, a page to look at, beside the model, run.json and ledger.json.

[bold]Examples[/bold]

  fedtopics train sotu --epsilon 6 --topics 30 --out runs/sotu

  fedtopics train mails.csv --text-column body --party-column owner --epsilon 6 --topics 50 --out runs/mails

  fedtopics train docword.kos.txt.gz --method pooled --parties 3 --set beta=0.02 --out runs/pooled-kos
"""
COMPARE_EXAMPLES = """
Train several methods on the same data and print one table; with --out also write a page that compares them.

[bold]Examples[/bold]

  fedtopics compare sotu --methods alone,calm,shared,pooled --epsilon 6 --topics 30

  fedtopics compare sotu --methods alone,calm,ftm,shared --epsilons 4,6,8 --seeds 3 --out runs/curves

  fedtopics compare docword.kos.txt.gz --methods alone,shared,pooled --parties 3 --json > kos.json
"""


logger = logging.getLogger(__name__)
DEMO_TOPICS = 30
DEMO_DISTINCT = 60  # different words of a passage of 150 words, stop words left out: a guess for the forecast
DEMO_METHODS = ["alone", methods.DEFAULT, "shared", "pooled"]


def register(app: typer.Typer) -> None:
    """Add these commands to the application."""
    app.command("demo")(demo)
    app.command("train", help=TRAIN_EXAMPLES)(train)
    app.command("compare", help=COMPARE_EXAMPLES)(compare)


@options.takes(options.Dealing, "dealing")
def train(
    source: options.Source,
    dealing: options.Dealing,
    method: Annotated[str, typer.Option(help="See `fedtopics methods`.")] = methods.DEFAULT,
    variant: options.Variant = None,
    epsilon: options.Epsilon = None,
    topics: options.Topics = 50,
    rounds: options.Rounds = None,
    settings: options.Setting = None,
    consistency: options.Consistency = None,
    consistency_tau: options.ConsistencyTau = None,
    threads: options.Threads = None,
    secure: options.Secure = False,
    out: Annotated[Path | None, typer.Option(help="New or empty folder for the run.")] = None,
    as_json: options.Json = False,
) -> None:
    given = options.method_settings(variant, epsilon, rounds, settings)
    made = methods.make(method, n_topics=topics, **given)
    tau = TAU if consistency_tau is None else consistency_tau
    if consistency is not None:
        with_related_words.check(made, tau)
    elif consistency_tau is not None:
        raise InputError(f"--consistency-tau needs --consistency, got {consistency_tau:g} without one")
    if out is not None:
        require_free(out)
    data = prepare(source, secure=secure, **dealing.options())
    if "epsilon" in methods.settings(methods.find(method)) and data.vocabulary == READ:
        logger.warning(
            "the vocabulary was read from the documents, which is not priced; give a public one with "
            "--vocabulary, or let the parties agree on one with --vocabulary-epsilon"
        )
    run = experiment.train_on(
        data,
        made,
        seed=dealing.seed,
        n_threads=threads,
        secure=secure,
        consistency=consistency,
        consistency_tau=tau,
    )
    if consistency is not None:
        logger.warning(_relation_note(run.record))
    if run.record["noise"] == "simulated":
        logger.warning(
            "the noise came from the seed, for experiments; train what is to be published with --secure-noise"
        )
    if out is not None:
        run.save(out)
        report.put_beside(out)
    if as_json:
        options.print_json(run.record)
        return
    tables.print_parties(data.parties, data.dealing)
    tables.print_runs([run])
    tables.print_topics(run.model)
    tables.print_saved(out)


def _relation_note(record: dict[str, Any]) -> str:
    used = record["consistency"]
    known = f"{used['n_known']:,} of the {record['n_words']:,} words of the vocabulary"
    return f"topics were drawn towards {used['source']}, which knows {known}, at tau {used['tau']:g}"


@options.takes(options.Dealing, "dealing")
def compare(
    source: options.Source,
    dealing: options.Dealing,
    names: Annotated[
        str, typer.Option("--methods", help="Methods, with commas between.")
    ] = "alone,calm,shared,pooled",
    epsilon: options.Epsilon = None,
    epsilons: Annotated[
        str | None, typer.Option(help="Several of them, with commas between.", show_default=False)
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Number of seeds for each method.")] = 1,
    topics: options.Topics = 50,
    rounds: options.Rounds = None,
    threads: options.Threads = None,
    out: Annotated[Path | None, typer.Option(help="New or empty folder for the records and a page.")] = None,
    as_json: options.Json = False,
) -> None:
    chosen = [name.strip() for name in names.split(",")]
    given = options.method_settings(None, None, rounds, None)
    prices = _prices(epsilon, epsilons)
    for name in chosen:
        methods.make(name, n_topics=topics, **given)
    if out is not None:
        require_free(out)
    data = prepare(source, **dealing.options())
    if not as_json:
        tables.print_parties(data.parties, data.dealing)
    runs = experiment.compare(
        data,
        chosen,
        epsilon=prices,
        seed=dealing.seed,
        n_seeds=seeds,
        n_topics=topics,
        n_threads=threads,
        **given,
    )
    page = None if out is None else report.save_comparison(runs, out)
    if as_json:
        options.print_json({"runs": [run.record for run in runs]})
        return
    tables.print_runs(runs)
    if page is not None:
        tables.console.print(f"report: {page}", soft_wrap=True)


def _prices(epsilon: float | None, epsilons: str | None) -> list[float] | None:
    if epsilons is None:
        return None if epsilon is None else [epsilon]
    if epsilon is not None:
        raise InputError("expected --epsilon or --epsilons, got both; leave one out")
    try:
        return [float(number) for number in epsilons.split(",")]
    except ValueError:
        raise InputError(f"--epsilons expects numbers with commas between, got {epsilons!r}") from None


def demo(
    out: Annotated[
        Path | None, typer.Option(help="New or empty folder for the run; runs/demo or the next free one.")
    ] = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
) -> None:
    """Train on two centuries of speeches held by three parties: private and not, in under a minute.

    Example: fedtopics demo --out runs/first
    """
    out = _next_free(Path("runs/demo")) if out is None else require_free(out)
    data = prepare("sotu", seed=seed)
    tables.print_parties(data.parties, data.dealing)
    own = {methods.DEFAULT: {"distinct_words": DEMO_DISTINCT}}
    runs = experiment.compare(data, DEMO_METHODS, n_topics=DEMO_TOPICS, seed=seed, n_threads=threads, own=own)
    tables.print_runs(runs)
    federated = runs[DEMO_METHODS.index(methods.DEFAULT)]
    tables.print_topics(federated.model, method=methods.DEFAULT)
    federated.save(out)
    report.put_beside(out)
    tables.print_saved(out)


def _next_free(folder: Path) -> Path:
    """The folder, or the first of folder-2, folder-3, ... that is not there yet."""
    numbered = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(path for path in chain([folder], numbered) if not path.exists())
