"""PC-TD and semantic consistency on news and speeches: what the paper reports, measured again.

Three parties by date that hold a sixth, a third and a half of the documents, as in the paper; held-out
document completion; epsilon is for a word added or removed, at delta 1e-5 for Gaussian noise.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache, partial
from time import perf_counter, process_time
from typing import Any, TypeAlias

import numpy as np

from benchmarks import corpora
from benchmarks.case import Steps, case
from benchmarks.cases import semantic_charts, semantic_tables
from benchmarks.dated import SETS, dated_texts, prepared
from fedtopics import methods
from fedtopics import related_words as consistency
from fedtopics.documents.corpus import Corpus
from fedtopics.methods import pctd
from fedtopics.methods.calm import Calm
from fedtopics.protocol import in_process
from fedtopics.related_words import RelatedWords, from_vectors, load
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import Data

RELATIONS = ("GloVe", "wordllama", "WordNet")
PRINTED = (500, 2000)  # documents and words: the paper's 500 stories; its noise is dear
MEDIUM = (1000, 3000)
LARGE = (2000, 4000)
Size: TypeAlias = tuple[int, int]
WITHOUT_NOISE = {"sigma": 0.12, "release": "unit"}  # one count in 10^15 is changed


@cache
def relation(source: str, name: str, size: Size) -> RelatedWords:
    named = {"wordllama": "wordllama", "WordNet": os.environ.get("WORDNET", "wordnet")}
    where = named.get(source) or str(corpora.path("glove"))
    return load(where, prepared(name, *size).test.vocabulary)


def measured(
    name: str,
    method: str,
    seed: int,
    *,
    size: Size = LARGE,
    related_by: str | None = None,
    party: str | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Scores, price and course of one run, of all parties or of one alone."""
    data = prepared(name, *size)
    if party is not None:
        data = Data({party: data.parties[party]}, data.test, name)
    related = related_by and relation(related_by, name, size)
    began = process_time()
    options = {"seed": seed, "n_threads": 1, "show_progress": False, "consistency": related or None}
    record = train(data, method, **options, **settings).record
    return {
        "settings": settings,
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
    method.prices(1)  # sigma is calibrated once
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


def runs(label: str, method: str, n_seeds: int = 3, **given: Any) -> Steps:
    """Runs of one setting on every set, one for each seed."""
    return {
        f"{name}/{label}/{seed}": partial(measured, name, method, seed, **given)
        for name in SETS
        for seed in range(n_seeds)
    }


def together(parts: Iterable[Steps]) -> Steps:
    return {name: step for part in parts for name, step in part.items()}


PRINTED_RUN = {"n_topics": 20, "size": PRINTED}
THREE, NEWS = (0, 1, 2), tuple(SETS.values())
about_pctd = partial(case, measures=(pctd,), corpora=NEWS, pages=("docs/methods/pctd.md",))
related = partial(case, pages=("docs/how-to/consistency.md",))


@about_pctd("semantic_releases", minutes=6, seeds=THREE, shows={"pctd-releases": semantic_tables.releases})
def releases() -> Steps:
    """PC-TD as printed and sound, against CALM and shared counts."""
    return (
        runs("paper", "pctd", variant="paper", **PRINTED_RUN)
        | runs("sound", "pctd", **PRINTED_RUN)
        | runs("CALM", "calm", epsilon=8.0, **PRINTED_RUN)
        | runs("shared", "shared", n_rounds=100, **PRINTED_RUN)
    )


@about_pctd("semantic_variants", minutes=3)
def variants() -> Steps:
    """PC-TD with other releases and units."""
    given: dict[str, dict[str, Any]] = {
        "one word per unit": {"unit_length": 1},
        "ten words per unit": {"unit_length": 10},
        "without noise": WITHOUT_NOISE,
        "sentences": {"release": "unit", "unit": "sentence"},
        "flat prior": {"beta": 0.05, "base": 0.0},
    }
    return together(runs(label, "pctd", 1, **PRINTED_RUN, **settings) for label, settings in given.items())


@about_pctd(
    "semantic_sigmas",
    minutes=6,
    shows={"pctd-sigmas": semantic_tables.sigmas, "methods/pctd_sigmas.svg": semantic_charts.sigmas},
)
def sigmas() -> Steps:
    """PC-TD by round for several sigma, as printed and sound."""
    given = [("paper", sigma) for sigma in (0.05, 0.25, 0.3)] + [("sound", s) for s in (0.25, 0.56, 1.0)]
    return together(
        runs(f"{variant} {sigma:g}", "pctd", 1, variant=variant, sigma=sigma, **PRINTED_RUN)
        for variant, sigma in given
    )


@about_pctd("semantic_parties", minutes=1, seeds=THREE, shows={"pctd-parties": semantic_tables.parties})
def parties() -> Steps:
    """PC-TD's federation against each participant by itself, all at epsilon 8."""
    return together(
        runs(name or "all", "pctd", party=name) for name in (None, "party-1", "party-2", "party-3")
    )


@about_pctd(
    "semantic_topics",
    minutes=2,
    shows={"pctd-topics": semantic_tables.topics, "methods/pctd_topics.svg": semantic_charts.topics},
)
def topics() -> Steps:
    """UMass coherence for 10 to 50 topics: LDA, PC-TD without noise, PC-TD at epsilon 8."""
    given: dict[str, tuple[str, dict[str, Any]]] = {
        "LDA": ("shared", {"n_rounds": 100}),
        "PC-TD without noise": ("pctd", WITHOUT_NOISE),
        "PC-TD, epsilon 8": ("pctd", {}),
    }
    return together(
        runs(f"{label}, {k}", method, 1, n_topics=k, size=MEDIUM, **settings)
        for label, (method, settings) in given.items()
        for k in (10, 20, 30, 40, 50)
    )


@about_pctd(
    "semantic_taus",
    minutes=1,
    measures=(pctd, consistency),
    corpora=(*NEWS, "glove"),
    seeds=THREE,
    shows={"pctd-taus": semantic_tables.taus, "methods/pctd_taus.svg": semantic_charts.taus},
)
def taus() -> Steps:
    """PC-TD at epsilon 8 with consistency of several strengths."""
    train_related = partial(runs, method="pctd", n_topics=30, size=MEDIUM, related_by="GloVe")
    return together(train_related(f"{t:g}", consistency_tau=t) for t in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5))


@related(
    "semantic_consistency",
    minutes=3,
    measures=(Calm, consistency),
    corpora=(*NEWS, "glove"),
    needs={"wordllama": "vectors"},
    seeds=THREE,
    shows={"consistency-relations": semantic_tables.consistency},
)
def relations() -> Steps:
    """CALM at epsilon 6 without and with each relation of words."""
    return together(runs(name or "none", "calm", epsilon=6.0, related_by=name) for name in (None, *RELATIONS))


@about_pctd("semantic_speed", minutes=1, corpora=("ap stories",), timed=True)
def speed() -> Steps:
    """Seconds of a round of sound PC-TD on 2,000 documents with 10,000 words, two threads."""
    return {"ap": seconds}


@related(
    "semantic_memory",
    minutes=1,
    measures=(consistency,),
    timed=True,
    shows={"consistency-memory": semantic_tables.memory},
)
def relation_memory() -> Steps:
    """Memory of the relation of 50,000 words."""
    return {"random vectors": memory}
