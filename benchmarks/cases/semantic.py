"""PC-TD and semantic consistency on news and speeches: what the paper reports, measured again.

Three parties by date that hold a sixth, a third and a half of the documents, as in the
paper; held-out document completion; epsilon is for a word added or removed, at delta 1e-5 for Gaussian noise.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.case import Case, Steps
from benchmarks.cases import semantic_charts, semantic_tables
from benchmarks.dated import SETS, dated_texts, prepared
from fedtopics import consistency as relations
from fedtopics import methods
from fedtopics.consistency import Relation, from_vectors, load
from fedtopics.corpus import Corpus
from fedtopics.experiment import Data, train
from fedtopics.federation import in_process
from fedtopics.methods.calm import Calm
from fedtopics.methods.pctd import Pctd

RELATIONS = ("GloVe", "wordllama", "WordNet")
PRINTED = (500, 2000)  # documents and words: the paper's 500 stories; its noise is dear
MEDIUM = (1000, 3000)
LARGE = (2000, 4000)
WITHOUT_NOISE = {"sigma": 0.12, "release": "unit"}  # one count in 10^15 is changed


@dataclass(frozen=True)
class Planned:
    """Runs of one setting, one for each seed."""

    label: str
    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    size: tuple[int, int] = LARGE
    n_seeds: int = 3
    relation: str | None = None
    party: str | None = None  # alone


def releases() -> list[Planned]:
    """PC-TD as printed, `sound`, and what they are measured by."""
    given: dict[str, tuple[str, dict[str, Any]]] = {
        "paper": ("pctd", {"variant": "paper"}),
        "sound": ("pctd", {}),
        "CALM": ("calm", {"epsilon": 8.0}),
        "shared": ("shared", {"n_rounds": 100}),
    }
    return [
        Planned(label, method, {"n_topics": 20} | settings, PRINTED)
        for label, (method, settings) in given.items()
    ]


def variants() -> list[Planned]:
    """Other releases and units."""
    given: dict[str, dict[str, Any]] = {
        "one word per unit": {"unit_length": 1},
        "ten words per unit": {"unit_length": 10},
        "without noise": WITHOUT_NOISE,
        "sentences": {"release": "unit", "unit": "sentence"},
        "flat prior": {"beta": 0.05, "base": 0.0},
    }
    return [
        Planned(label, "pctd", {"n_topics": 20} | settings, PRINTED, 1) for label, settings in given.items()
    ]


def sigmas() -> list[Planned]:
    """Convergence by round for several sigma, as printed and sound."""
    given: list[dict[str, Any]] = [{"variant": "paper", "sigma": sigma} for sigma in (0.05, 0.25, 0.3)]
    given += [{"variant": "sound", "sigma": sigma} for sigma in (0.25, 0.56, 1.0)]
    return [
        Planned(f"{each['variant']} {each['sigma']:g}", "pctd", {"n_topics": 20} | each, PRINTED, 1)
        for each in given
    ]


def parties() -> list[Planned]:
    """The federation against each participant by itself, all at epsilon 8."""
    return [Planned(name or "all", "pctd", party=name) for name in (None, "party-1", "party-2", "party-3")]


def topics() -> list[Planned]:
    """UMass coherence for 10 to 50 topics: LDA, PC-TD without noise, PC-TD at epsilon 8."""
    given: dict[str, tuple[str, dict[str, Any]]] = {
        "LDA": ("shared", {"n_rounds": 100}),
        "PC-TD without noise": ("pctd", WITHOUT_NOISE),
        "PC-TD, epsilon 8": ("pctd", {}),
    }
    return [
        Planned(f"{label}, {k}", method, settings | {"n_topics": k}, MEDIUM, 1)
        for label, (method, settings) in given.items()
        for k in (10, 20, 30, 40, 50)
    ]


def taus() -> list[Planned]:
    """PC-TD at epsilon 8 with consistency of several strengths."""
    return [
        Planned(f"{tau:g}", "pctd", {"n_topics": 30, "consistency_tau": tau}, MEDIUM, relation="GloVe")
        for tau in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
    ]


def consistency() -> list[Planned]:
    """CALM at epsilon 6 without and with each relation."""
    return [Planned(name or "none", "calm", {"epsilon": 6.0}, relation=name) for name in (None, *RELATIONS)]


@cache
def relation(source: str, name: str, size: tuple[int, int]) -> Relation:
    named = {"wordllama": "wordllama", "WordNet": os.environ.get("WORDNET", "wordnet")}
    where = named.get(source) or str(corpora.path("glove"))
    return load(where, prepared(name, *size).test.vocabulary)


def measured(part: str, label: str, name: str, seed: int) -> dict[str, Any]:
    """Scores, price and course of one run."""
    planned = next(planned for planned in PARTS[part]() if planned.label == label)
    data = prepared(name, *planned.size)
    if planned.party is not None:
        data = Data({planned.party: data.parties[planned.party]}, data.test, name)
    related = planned.relation and relation(planned.relation, name, planned.size)
    began = process_time()
    options = {"seed": seed, "n_threads": 1, "show_progress": False, "consistency": related or None}
    record = train(data, planned.method, **options, **planned.settings).record
    return {
        "settings": planned.settings,
        **record["scores"],
        "privacy": [row for row in record["privacy"] if row["party"] == record["parties"][0]["name"]],
        "by_round": [
            (entry["round"] + 1, entry["measures"]["perplexity"])
            for entry in record["rounds"]
            if "perplexity" in entry["measures"]
        ],
        "n_docs": data.train.n_docs,
        "n_tokens": data.train.n_tokens,
        "cpu_seconds": process_time() - began,
    }


def seconds() -> dict[str, Any]:
    """Seconds of a round of `sound` on 2,000 documents of ap, 50 topics, 10,000 words, 2 threads."""
    texts = [text for _, text in dated_texts("ap")]
    corpus = Corpus.from_texts(texts, max_words=10_000).select(np.arange(2000))
    method = methods.make("pctd", n_topics=50, n_rounds=5)
    method.plan(1)  # sigma is calibrated once
    outcome = in_process.run(method, {"all": corpus}, seed=0, n_threads=2)
    facts = {"n_docs": corpus.n_docs, "n_words": corpus.n_words, "n_tokens": corpus.n_tokens}
    return facts | {"seconds": [entry.seconds for entry in outcome.rounds]}


def memory(n_words: int = 50_000, n_dimensions: int = 100) -> dict[str, Any]:
    """What the relation of 50,000 words holds and takes at its peak, less the vectors; random vectors."""
    from tracemalloc import get_traced_memory, start, stop

    vectors = np.random.default_rng(0).normal(size=(n_words, n_dimensions)).astype(np.float32)
    start()
    began, cpu = perf_counter(), process_time()
    weights = from_vectors(vectors, np.arange(n_words), n_words).weights
    spent, peak = (
        {"seconds": perf_counter() - began, "cpu_seconds": process_time() - cpu},
        get_traced_memory(),
    )
    stop()
    held = weights.data.nbytes + weights.indices.nbytes + weights.indptr.nbytes
    sizes = {"n_words": n_words, "n_entries": weights.nnz, "held_bytes": held, "peak_bytes": peak[1]}
    return sizes | {"dense_bytes": 4 * n_words**2} | spent


PARTS: dict[str, Callable[[], list[Planned]]] = {
    "releases": releases,
    "consistency": consistency,
    "taus": taus,
    "parties": parties,
    "sigmas": sigmas,
    "topics": topics,
    "variants": variants,
}


def steps(part: str) -> Steps:
    """The runs of a part on every set."""
    return {
        f"{name}/{planned.label}/{seed}": partial(measured, part, planned.label, name, seed)
        for name in SETS
        for planned in PARTS[part]()
        for seed in range(planned.n_seeds)
    }


PCTD, CONSISTENCY = ("docs/methods/pctd.md",), ("docs/consistency.md",)
NEWS = tuple(SETS.values())
training = partial(Case, measures=(Pctd,), minutes=5, corpora=NEWS, pages=PCTD)
THREE = (0, 1, 2)
CASES = (
    training(
        "semantic_releases",
        "PC-TD as printed and sound, against CALM and shared counts",
        partial(steps, "releases"),
        seeds=THREE,
        tables={"pctd-releases": semantic_tables.releases},
    ),
    training(
        "semantic_variants",
        "PC-TD with other releases and units",
        partial(steps, "variants"),
    ),
    training(
        "semantic_sigmas",
        "PC-TD by round for several sigma, as printed and sound",
        partial(steps, "sigmas"),
        tables={"pctd-sigmas": semantic_tables.sigmas},
        pictures={"methods/pctd_sigmas.svg": semantic_charts.sigmas},
    ),
    training(
        "semantic_parties",
        "PC-TD's federation against each participant by itself",
        partial(steps, "parties"),
        seeds=THREE,
        tables={"pctd-parties": semantic_tables.parties},
    ),
    training(
        "semantic_topics",
        "UMass coherence for 10 to 50 topics: LDA, PC-TD without noise, PC-TD at epsilon 8",
        partial(steps, "topics"),
        tables={"pctd-topics": semantic_tables.topics},
        pictures={"methods/pctd_topics.svg": semantic_charts.topics},
    ),
    training(
        "semantic_taus",
        "PC-TD at epsilon 8 with consistency of several strengths",
        partial(steps, "taus"),
        measures=(Pctd, relations),
        corpora=(*NEWS, "glove"),
        seeds=THREE,
        tables={"pctd-taus": semantic_tables.taus},
        pictures={"methods/pctd_taus.svg": semantic_charts.taus},
    ),
    training(
        "semantic_consistency",
        "CALM at epsilon 6 without and with each relation of words",
        partial(steps, "consistency"),
        measures=(Calm, relations),
        corpora=(*NEWS, "glove"),
        needs={"wordllama": "vectors"},
        seeds=THREE,
        pages=CONSISTENCY,
        tables={"consistency-relations": semantic_tables.consistency},
    ),
    training(
        "semantic_speed",
        "seconds of a round of sound PC-TD on 2,000 documents with 10,000 words, two threads",
        lambda: {"ap": seconds},
        minutes=1,
        corpora=("ap stories",),
        timed=True,
    ),
    training(
        "semantic_memory",
        "memory of the relation of 50,000 words",
        lambda: {"random vectors": memory},
        measures=(relations,),
        corpora=(),
        timed=True,
        pages=CONSISTENCY,
        tables={"consistency-memory": semantic_tables.memory},
    ),
)
