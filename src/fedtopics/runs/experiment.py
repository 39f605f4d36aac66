"""Data, method, engine, scores and ledger in one record: `train` gives a `Run`, `compare` several."""

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter, process_time
from typing import Any

from fedtopics.audit.auditing import audit as audited
from fedtopics.cluster import session
from fedtopics.cluster.settings import Cluster
from fedtopics.documents import lengths
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.scores import scores, topic_scores
from fedtopics.evaluation.usefulness import verdict
from fedtopics.methods import DEFAULT, for_texts, make
from fedtopics.methods import settings as settings_of
from fedtopics.model import TopicModel
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.progress import bar, part
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import Outcome
from fedtopics.protocol.method import Method
from fedtopics.protocol.summed import checked
from fedtopics.protocol.summing import Summing
from fedtopics.protocol.with_related_words import with_consistency
from fedtopics.related_words import TAU
from fedtopics.runs import beside_alone, record
from fedtopics.runs.kept import check_keeps
from fedtopics.runs.preparing import (
    NONE_HELD_OUT,
    READING,
    Data,
    check_agreement,
    check_dealing,
    prepare,
    public_relation,
    require_held_out,
)
from fedtopics.runs.run import Run
from fedtopics.runs.watch import Watch, shower
from fedtopics.sampling.gpu.using import using

logger = logging.getLogger(__name__)


def train(
    source: str | Sequence[str] | Corpus | Data,
    method: str = DEFAULT,
    *,
    n_topics: int = 50,
    seed: int = 0,
    n_threads: int | None = None,
    n_parties: int | None = None,
    test_fraction: float = 0.1,
    secure: bool = False,
    secure_sum: Summing | None = None,
    show_progress: bool | None = None,
    consistency: Any = None,
    consistency_tau: float = TAU,
    audit: bool = False,
    keep: bool = False,
    cluster: Cluster | str | None = None,
    device: str | None = None,
    texts: str = lengths.LONG,
    **settings: Any,
) -> Run:
    """Train `method` on a federation in this process and score it on held-out documents.

    source         a name, path, table, texts or corpus, or what `prepare` gave
    method, n_topics   its name (`fedtopics.methods.names` lists them), and how many topics it is to find
    seed           of sampling, dealing and simulated noise; whoever knows it can take the noise off
    n_threads, device   all cores, and no GPU; or "cuda", or "auto" (see `LDA`); the result is the same
    n_parties, test_fraction   as for `prepare`
    secure         privacy noise from the operating system: for models to be published
    secure_sum     the server sees totals over parties alone; they may draw noise together
    show_progress  a bar: True, False, or None for "on a terminal only"
    consistency, consistency_tau   public word relation that the server draws topics towards, and how strongly
    audit          attack the method with canaries, and write what was reached into the record
    keep           what parties may use again stays with the run, for a later `update` (`Run.kept`)
    cluster        a `Cluster`, or the address of its scheduler, on which the parties work (`fedtopics[dask]`)
    texts          "short" for titles, messages and the like: fewer words, and settings that serve them
    settings       the method's own, and those of `prepare` where `source` is yet to be read
    """
    reading = lengths.reading(texts, {name: settings.pop(name) for name in READING if name in settings})
    made = make(method, n_topics=n_topics, **for_texts(texts, method, settings))
    if secure_sum is not None:
        checked(made, secure_sum)
    if keep:
        check_keeps(made)
    check_agreement(made, reading.get("vocabulary_epsilon"))
    place = session.placed(cluster, made)
    reading |= {"by_content": secure and made.hides_documents, "seed": seed, "secure": secure}
    data = prepare(source, n_parties=n_parties, test_fraction=test_fraction, **reading)
    options: dict[str, Any] = {"seed": seed, "n_threads": n_threads, "show_progress": show_progress}
    options |= {"consistency": consistency, "consistency_tau": consistency_tau, "cluster": place}
    options |= {"secure": secure, "secure_sum": secure_sum, "audit": audit, "keep": keep}
    with using(device):
        run = train_on(data, method, made, **options)
        return _told(beside_alone.compared(run, data, texts, seed=seed, n_threads=n_threads))


def train_on(
    data: Data,
    name: str,
    method: Method,
    *,
    seed: int = 0,
    n_threads: int | None = None,
    secure: bool = False,
    secure_sum: Summing | None = None,
    show_progress: bool | None = None,
    consistency: Any = None,
    consistency_tau: float = TAU,
    audit: bool = False,
    keep: bool = False,
    cluster: Cluster | None = None,
    **before: Any,
) -> Run:
    """Train `method` called `name` on prepared documents: see `train`; `before`: `begun`, `kept`."""
    check_dealing(data.dealing, secure)
    method = method if secure_sum is None else method.for_sums()  # parties, too, send what adds up
    n_threads = n_threads or os.cpu_count() or 1
    relation = public_relation(consistency, data)
    for note in [*method.notes(data.test.n_words), *method.outlook(data.amounts_by(secure_sum))]:
        logger.warning("%s: %s", name, note)
    watch, began, working = Watch(data.test, n_threads), perf_counter(), process_time()
    bars = bar(f"Training {name}", total=method.n_rounds, shown=show_progress)
    with session.opened(cluster, method) as place, bars as shown:
        outcome = in_process.run(
            method if relation is None else with_consistency(method, relation, consistency_tau),
            data.parties,
            seed=seed,
            ledger=_ledger(data, method),
            n_threads=n_threads,
            secure=secure,
            summing=secure_sum,
            on_round=shower(shown),
            monitor=watch,
            contribute=place.contribute,
            **before,
        )
    for remark in outcome.remarks:
        logger.warning("%s: %s", name, remark)
    facts: dict[str, Any] = place.facts() | {
        "seed": seed,
        "seconds": perf_counter() - began - watch.seconds,
        "processor_seconds": process_time() - working - watch.processor_seconds,
    }
    if secure_sum is not None:
        facts["secure_sum"] = record.summed(secure_sum, len(data.parties), outcome.ledger)
    facts |= {} if relation is None else {"consistency": record.drawn_towards(relation, consistency_tau)}
    told = _record(name, method, data, outcome, facts)
    outcome = _described(outcome, told, data.test.language)
    model, told["scores"], local = _score(outcome, data, n_threads)
    told |= {"n_topics": model.n_topics, **verdict(told)}
    _add_scores(told["parties"], local)
    if audit:
        found = audited(method, data.parties, seed=seed, n_threads=n_threads, summing=secure_sum)
        told["audit"] = found.to_dict()
    return Run(told, model, outcome.local_models, outcome.ledger, dict(outcome.kept) if keep else {})


def compare(
    source: str | Sequence[str] | Corpus | Data,
    methods: Iterable[str],
    *,
    epsilon: float | Sequence[float] | None = None,
    seed: int = 0,
    n_seeds: int = 1,
    n_parties: int | None = None,
    test_fraction: float = 0.1,
    own: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Any,
) -> list[Run]:
    """Runs of several methods on the same data; each record holds the scores of the others beside its own.

    source, n_parties, test_fraction   as for `prepare`
    methods    their names
    epsilon    one or several: methods that have an epsilon run with every one that is given
    seed       the first of `n_seeds` that all run with; the documents are dealt once, by this one
    own        settings of single methods, by name
    options    anything else that `train` takes, for all of them
    """
    if n_seeds < 1:
        raise InputError(f"expected at least 1 seed, got {n_seeds}")
    if not test_fraction:
        raise InputError(NONE_HELD_OUT)
    data = prepare(source, n_parties=n_parties, test_fraction=test_fraction, seed=seed)
    require_held_out(data)
    planned = [
        (name, price, number)
        for name in methods
        for price in _prices(name, epsilon)
        for number in range(seed, seed + n_seeds)
    ]
    runs = []
    for place, (name, price, number) in enumerate(planned, start=1):
        with part(place, of=len(planned)):
            given = {**options, **price, **(own or {}).get(name, {})}
            runs.append((price, train(data, name, seed=number, **given)))
    paid, trained = zip(*runs, strict=True)
    runs = list(zip(paid, beside_alone.all_told(trained), strict=True))
    return [replace(run, record=run.record | {"compared": _others(run, price, runs)}) for price, run in runs]


def _told(run: Run) -> Run:
    """The `run`, and on the log that it is of no use, where it is: nobody has to look for it."""
    for warning in run.warnings:
        logger.warning("%s: %s", run.record["method"], warning)
    return run


def _prices(method: str, epsilon: float | Sequence[float] | None) -> list[dict[str, Any]]:
    """The settings of each run of a method: one for each epsilon, if it takes any."""
    if epsilon is None or "epsilon" not in settings_of(method):
        return [{}]
    return [{"epsilon": value} for value in (epsilon if isinstance(epsilon, Sequence) else [epsilon])]


def _others(run: Run, price: dict[str, Any], runs: list[tuple[dict[str, Any], Run]]) -> list[dict[str, Any]]:
    """The scores of other methods with the same seed and, where both were given one, the same epsilon."""
    return [
        {name: other.record[name] for name in ("method", "variant", "scores", "warnings")}
        | {"privacy": other.privacy_line}
        for paid, other in runs
        if other.record["method"] != run.record["method"]
        and other.record["seed"] == run.record["seed"]
        and ({} in (price, paid) or price == paid)
    ]


def _ledger(data: Data, method: Method) -> Ledger:
    """What the parties have spent so far, at the method's delta where it has one and nothing is spent yet."""
    entries = list(data.ledger.entries)
    delta = None if entries else method.privacy_delta
    return replace(data.ledger, delta=data.ledger.delta if delta is None else delta, entries=entries)


def _score(outcome: Outcome, data: Data, n_threads: int) -> tuple[TopicModel, dict[str, Any], dict[str, Any]]:
    """The model to report, its scores, and the scores of each party's own model.

    Where the server learns no topics (`alone`) the party that does best on the held-out documents is
    reported, or whose topics are most coherent: the hardest baseline to beat.
    """
    local = {name: scored(model, data, n_threads) for name, model in outcome.local_models.items()}
    if outcome.model is not None:
        return outcome.model, scored(outcome.model, data, n_threads), local
    rank, better = ("perplexity", 1) if data.test.n_docs else ("coherence_npmi", -1)
    best = min(local, key=lambda name: (better * local[name][rank], name))
    return outcome.local_models[best], local[best], local


def scored(model: TopicModel, data: Data, n_threads: int) -> dict[str, Any]:
    """All scores; those of held-out documents are None where there are none."""
    if data.test.n_docs:
        return scores(model, data.train, data.test, n_threads=n_threads)
    return {"perplexity": None, "perplexity_unigram": None, **topic_scores(model, data.train)}


def _add_scores(parties: list[dict[str, Any]], local: Mapping[str, Any]) -> None:
    for party in parties:
        if party["name"] in local:
            party["scores"] = local[party["name"]]


def _described(outcome: Outcome, kept: dict[str, Any], language: str | None) -> Outcome:
    """The outcome with cards."""
    local = {name: record.with_card(model, kept, language) for name, model in outcome.local_models.items()}
    model = None if outcome.model is None else record.with_card(outcome.model, kept, language)
    return replace(outcome, model=model, local_models=local)


def _record(name: str, method: Method, data: Data, outcome: Outcome, facts: dict[str, Any]) -> dict[str, Any]:
    """The part of a run record that training decides."""
    if data.dealing:
        facts["dealing"] = data.dealing
    parties = [
        {"name": party, "n_docs": corpus.n_docs, "n_tokens": corpus.n_tokens}
        | ({} if corpus.n_persons is None else {"n_persons": corpus.n_persons})
        for party, corpus in sorted(data.parties.items())
    ]
    return record.made(
        name,
        method,
        engine="in_process",
        source=data.source,
        n_words=data.test.n_words,
        vocabulary=data.vocabulary,
        parties=parties,
        privacy=outcome.ledger.statements(),
        noise=outcome.ledger.noise,
        rounds=outcome.rounds,
        party_topics=outcome.party_topics,
        remarks=outcome.remarks,
        n_empty_docs=data.train.n_empty + data.test.n_empty,
        **facts,
    )
