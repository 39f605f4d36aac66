"""Hush against training without privacy: what it costs to protect whole documents, and whole persons.

30 topics over the 5,000 most frequent words, which are read from the documents and not priced; delta 1e-6; a
tenth of the documents to test on, the same for all seeds. "total": all documents are at one party, so that
there is one noise in total. "parties": they are dealt to three unequal parties by what they are about, and
each of these adds noise of its own. `shared` trains on the same documents with the same seed.
"""

from ctypes import CDLL
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks.case import Steps, case
from benchmarks.cases import hush_charts, hush_tables
from benchmarks.cases.peers import memory
from benchmarks.corpora import path, repeated
from benchmarks.persons import written
from benchmarks.runner import in_own_process
from fedtopics import evaluation, methods, sampling
from fedtopics.documents.reading import read
from fedtopics.methods import hush
from fedtopics.methods.alone import Alone
from fedtopics.methods.hush.method import USELESS
from fedtopics.methods.shared import Shared
from fedtopics.privacy.price.gaussian import noise_multiplier
from fedtopics.protocol import in_process
from fedtopics.related_words import general_english
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import Data, prepare

SEEDS = (0, 1, 2)
N_TOPICS, N_WORDS, DELTA = 30, 5000, 1e-6
TUNED, UNTOUCHED = ("enron_spam", "reuters", "20newsgroups"), ("imdb", "ohsumed", "kos")
EPSILONS = (8.0, 4.0)
FURTHER = {"enron_spam": (2.0,), "imdb": (2.0,)}  # epsilons of sets with many documents
DEALINGS = {"total": 1, "parties": 3}  # parties
SIZES, SMALL_EPSILONS, FEW_TOPICS = (1000, 2500, 5000, 10_000), (8.0, 4.0, 2.0, 1.0), (10, 30)
N_TIMED = 50_000  # documents


@cache
def documents(name: str, n_parties: int = 1, party_column: str | None = None) -> Data:
    """A corpus at so many parties, or at those that its documents name."""
    number = None if party_column else n_parties
    reading = {"party_column": party_column} if party_column else {}
    return prepare(str(path(name)), n_parties=number, max_words=N_WORDS, show_progress=False, **reading)


@cache
def first(name: str, n_docs: int) -> Data:
    """Some of the documents of a corpus, drawn at random, over the words of all; tested on the same ones."""
    whole = documents(name)
    order = np.random.default_rng(1).permutation(whole.train.n_docs)
    return replace(whole, parties={"all": whole.train.select(np.sort(order[:n_docs]))})


def trained(
    data: Data, method: str, seed: int, *, n_topics: int = N_TOPICS, **settings: Any
) -> dict[str, Any]:
    """Scores and price of one training, and whether its topics were withdrawn as no better than none."""
    began = process_time()
    options = {"n_topics": n_topics, "seed": seed, "n_threads": 1, "show_progress": False}
    record = train(data, method, **options, **settings).record
    return {
        **record["scores"],
        "n_docs": [party["n_docs"] for party in record["parties"]],
        "privacy": [row for row in record["privacy"] if row["party"] == record["parties"][0]["name"]],
        "withdrawn": USELESS in record["notes"],
        "cpu_seconds": process_time() - began,
    }


def by_dealing(name: str, n_parties: int, method: str, seed: int, **settings: Any) -> dict[str, Any]:
    return trained(documents(name, n_parties), method, seed, **settings)


def by_owner(method: str, seed: int, **settings: Any) -> dict[str, Any]:
    """Enron mails at those who got them; of `alone` the perplexity of every owner's topics."""
    data = documents("enron_spam", party_column="owner")
    if method != "alone":
        return trained(data, method, seed, **settings)
    run = train(data, method, n_topics=N_TOPICS, seed=seed, n_threads=1, show_progress=False, **settings)
    parties = run.record["parties"]
    return {party["name"]: {**party["scores"], "n_docs": party["n_docs"]} for party in parties}


def by_persons(name: str, method: str, seed: int, **settings: Any) -> dict[str, Any]:
    """Documents of persons; `hush` protects each person with all of theirs."""
    data = written(name, N_WORDS)
    return trained(data, method, seed, **settings) | {"n_persons": data.train.n_persons}


def few_documents(name: str, n_docs: int, n_topics: int, epsilon: float, seed: int) -> dict[str, Any]:
    """Scores of hush, or of `shared` at epsilon 0, and the documents for one deviation of noise."""
    data = first(name, n_docs)
    if epsilon == 0:
        return trained(data, "shared", seed, n_topics=n_topics)
    per_sigma = data.train.n_docs / noise_multiplier(epsilon, DELTA)
    found = trained(data, "hush", seed, n_topics=n_topics, epsilon=epsilon, delta=DELTA)
    return found | {"documents_per_sigma": per_sigma}


def cost(seed: int) -> dict[str, Any]:
    """Seconds, most memory and megabytes sent of a run on 50,000 imdb reviews by two threads."""
    corpus = read(str(path("imdb")), progress=False, max_words=N_WORDS, sentences=False)
    corpus = repeated(corpus, -(-N_TIMED // corpus.n_docs)).select(np.arange(N_TIMED))
    method = methods.make("hush", epsilon=8.0, delta=DELTA, n_topics=N_TOPICS)
    CDLL(None).malloc_trim(0)  # what reading took and gave back does not count
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    began, spent = perf_counter(), process_time()
    outcome = in_process.run(method, {"all": corpus}, seed=seed, n_threads=2)
    return {
        "n_docs": corpus.n_docs,
        "n_tokens": corpus.n_tokens,
        "seconds": perf_counter() - began,
        "cpu_seconds": process_time() - spent,
        "memory_mb": memory("VmHWM"),  # with the documents
        "sent_mb": sum(entry.bytes_up for entry in outcome.rounds) / 1e6,
        "received_mb": sum(entry.bytes_down for entry in outcome.rounds) / 1e6,
    }


def hushed(epsilon: float, unit: str = "document") -> dict[str, Any]:
    return {"epsilon": epsilon, "delta": DELTA, "unit": unit}


measured = (hush, general_english, sampling, evaluation)
about_hush = partial(case, pages=("docs/methods/hush.md",), seeds=SEEDS)


@about_hush(
    "hush_quality",
    measures=(*measured, Shared),
    minutes=20,
    corpora=(*TUNED, *UNTOUCHED),
    shows={"hush-quality": hush_tables.quality},
    summary=hush_tables.quality,
)
def quality_steps() -> Steps:
    """Perplexity and coherence of hush against training without privacy, on six corpora."""
    made: Steps = {}
    for name in (*TUNED, *UNTOUCHED):
        for seed in SEEDS:
            made[f"{name}/shared/{seed}"] = partial(by_dealing, name, 1, "shared", seed)
            for epsilon in (*EPSILONS, *FURTHER.get(name, ())):
                for dealing, n_parties in DEALINGS.items():
                    step = partial(by_dealing, name, n_parties, "hush", seed, **hushed(epsilon))
                    made[f"{name}/{dealing} {epsilon:g}/{seed}"] = step
    return made


@about_hush(
    "hush_parties",
    measures=(*measured, Shared, Alone),
    minutes=3,
    corpora=("enron_spam",),
    shows={"hush-parties": hush_tables.parties},
    summary=hush_tables.parties,
)
def parties_steps() -> Steps:
    """Hush of six owners of mails together against each of them alone, without privacy."""
    settings = {f"hush {epsilon:g}": ("hush", hushed(epsilon)) for epsilon in EPSILONS}
    runs: dict[str, tuple[str, dict[str, Any]]] = {
        "shared": ("shared", {}),
        "alone": ("alone", {}),
        **settings,
    }
    return {
        f"{label}/{seed}": partial(by_owner, method, seed, **given)
        for label, (method, given) in runs.items()
        for seed in SEEDS
    }


@about_hush(
    "hush_persons",
    measures=(*measured, Shared),
    minutes=40,
    corpora=("blogs", "imdb"),
    shows={"hush-persons": hush_tables.persons},
    summary=hush_tables.persons,
)
def persons_steps() -> Steps:
    """Hush with persons as units: authors of blogs, and imdb reviews grouped by three."""
    made: Steps = {}
    for name in ("imdb", "blogs"):
        for seed in SEEDS:
            made[f"{name}/shared/{seed}"] = partial(by_persons, name, "shared", seed)
            for epsilon in EPSILONS:
                step = partial(by_persons, name, "hush", seed, **hushed(epsilon, "person"))
                made[f"{name}/hush {epsilon:g}/{seed}"] = step
    return made


@about_hush(
    "hush_cost",
    measures=(hush, general_english, sampling),
    minutes=1,
    corpora=("imdb",),
    timed=True,
    shows={"hush-cost": hush_tables.cost},
    summary=hush_tables.cost,
)
def cost_steps() -> Steps:
    """Seconds, memory and megabytes sent of a whole run on 50,000 documents by two threads."""
    return {f"imdb/{seed}": partial(in_own_process, partial(cost, seed)) for seed in SEEDS}


@about_hush(
    "hush_limits",
    measures=(*measured, Shared),
    minutes=6,
    seeds=(0,),
    corpora=TUNED,
    shows={"hush-limits": hush_tables.limits, "methods/hush_limits.svg": hush_charts.limits},
)
def limits_steps() -> Steps:
    """What hush keeps of the gain over the unigram, by documents for one deviation of noise."""
    return {
        f"{name}/{n_docs}/{n_topics}/{epsilon:g}/0": partial(
            few_documents, name, n_docs, n_topics, epsilon, 0
        )
        for name in TUNED
        for n_docs in SIZES
        for n_topics in FEW_TOPICS
        for epsilon in (0.0, *SMALL_EPSILONS)
    }
