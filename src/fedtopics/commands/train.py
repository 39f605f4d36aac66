"""Train one method and write DIR/report.html, a page to look at, beside the model, run.json and ledger.json.

[bold]Examples[/bold]

  fedtopics train sotu --epsilon 6 --topics 30 --out runs/sotu

  fedtopics train mails.csv --text-column body --party-column owner --epsilon 6 --topics 50 --out runs/mails

  fedtopics train docword.kos.txt.gz --method pooled --parties 3 --set beta=0.02 --out runs/pooled-kos

  fedtopics train sotu --epsilon 6 --cluster tcp://10.0.0.5:8786 --cluster-folder shared --out runs/by-cluster
"""

import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from fedtopics import methods
from fedtopics.audit.telling import sentences
from fedtopics.commands import on_cluster, options, price, report, tables
from fedtopics.documents import lengths
from fedtopics.errors import InputError
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import with_related_words
from fedtopics.protocol.method import Method
from fedtopics.related_words import TAU
from fedtopics.runs import beside_alone, experiment
from fedtopics.runs.preparing import READ, Data, check_agreement, prepare
from fedtopics.runs.run import Run, require_free
from fedtopics.sampling.gpu.using import using

logger = logging.getLogger(__name__)


@options.takes(on_cluster.Placed, "dealing")
@options.takes(options.Settings, "settings")
def train(
    source: options.Source,
    dealing: on_cluster.Placed,
    settings: options.Settings,
    method: options.MethodName = methods.DEFAULT,
    topics: options.TopicCount = 50,
    consistency: options.Consistency = None,
    consistency_tau: options.ConsistencyTau = None,
    threads: options.Threads = None,
    device: options.Device = None,
    secure: options.Secure = False,
    secure_sum: options.SecureSum = None,
    noise: options.NoiseOf = None,
    accept_cost: price.AcceptCost = False,
    audit: options.Audited = False,
    keep: options.Keep = False,
    texts: options.TextsOption = lengths.LONG,
    out: Annotated[Path | None, typer.Option(help="New or empty folder for the run.")] = None,
    title: options.Title = None,
    as_json: options.Json = False,
) -> None:
    made = methods.make(method, n_topics=topics, **methods.for_texts(texts, method, settings.given()))
    summing = options.summing(secure_sum, noise, method=made)
    tau = _tau(made, consistency, consistency_tau)
    check_agreement(made, dealing.vocabulary_epsilon)
    if out is not None:
        require_free(out)
    drawn: dict[str, Any] = {"seed": dealing.seed, "n_threads": threads, "secure": secure}
    drawn |= {"secure_sum": summing, "consistency": consistency, "consistency_tau": tau}
    with using(device):
        data = _prepared(source, made, dealing, texts, secure=secure, accept_cost=accept_cost)
        place = dealing.place()
        run = experiment.train_on(data, method, made, audit=audit, keep=keep, cluster=place, **drawn)
        run = beside_alone.compared(run, data, texts, seed=dealing.seed, n_threads=threads)
    _warn(run.record)
    if out is not None:
        run.titled(title).save(out)
        report.put_beside(out)
    if as_json:
        options.print_json(run.record)
    else:
        tables.print_parties(data.parties, data.dealing)
        _print_run(run, out)
    if run.record.get("audit", {}).get("refuted"):  # then it has failed, whatever its topics are
        logger.error("the audit refutes what is proved: do not rely on this run, and report it (SECURITY.md)")
        raise typer.Exit(1)


def _tau(made: Method, consistency: str | None, given: float | None) -> float:
    """How strongly topics are drawn towards a relation of words, if they can be."""
    tau = TAU if given is None else given
    if consistency is not None:
        with_related_words.check(made, tau)
    elif given is not None:
        raise InputError(f"--consistency-tau needs --consistency, got {given:g} without one")
    return tau


def _warn(record: dict[str, Any]) -> None:
    if "consistency" in record:
        logger.warning(_relation_note(record))
    if record["noise"] == "simulated":
        logger.warning("the noise came from the seed, for experiments; to publish, train with --secure-noise")


def _words_note(made: Method) -> str:
    agree = "" if made.protects.startswith("person") else ", or let the parties agree on one with "
    return (
        "the vocabulary was read from the documents, which is not priced; give a public one with "
        f"--vocabulary (english-20000, say){agree}{'--vocabulary-epsilon' if agree else ''}"
    )


def _print_run(run: Run, out: Path | None) -> None:
    """Scores, topics, what attacks reached, and where it all is."""
    tables.print_runs([run])
    tables.print_topics(run.model)
    for line in sentences(run.record["audit"]) if "audit" in run.record else ():
        tables.print_titled("audit", f"  {line}")
    tables.print_saved(out)


def _prepared(
    source: str, made: Method, dealing: on_cluster.Placed, texts: str, *, secure: bool, accept_cost: bool
) -> Data:
    """The documents, once the price of the whole run is wanted: before words are agreed on."""
    dealing.check(made)
    agreed, delta = price.of_agreement(dealing.vocabulary_epsilon), Ledger().delta
    if agreed:
        most = price.MOST_WORDS
        price.require_wanted(made, agreed, made.prices(most), most, delta, accepted=accept_cost)
    reading = lengths.reading(texts, dealing.options())
    data = prepare(source, secure=secure, by_content=secure and made.hides_documents, **reading)
    if "epsilon" in made.in_force(data.test.n_words) and data.vocabulary == READ:
        logger.warning(_words_note(made))
    if not agreed:
        own = delta if made.privacy_delta is None else made.privacy_delta
        n_words = data.test.n_words
        price.require_wanted(made, [], made.prices(n_words), n_words, own, accepted=accept_cost)
    return data


def _relation_note(record: dict[str, Any]) -> str:
    used = record["consistency"]
    known = f"{used['n_known']:,} of the {record['n_words']:,} words of the vocabulary"
    return f"topics were drawn towards {used['source']}, which knows {known}, at tau {used['tau']:g}"
