"""PC-TD and semantic consistency on news and speeches: what the paper reports, measured again.

    python benchmarks/semantic.py                       every part, about 20 minutes of CPU time
    python benchmarks/semantic.py taus --sets ap        one part (releases, consistency, taus, parties,
                                                        sigmas, topics, variants, speed, memory) on one set
    python benchmarks/semantic.py --charts              only draw the charts of what is stored

Reads ap, reuters21578, sotu and word_vectors from FEDTOPICS_DATA (default: ../shared/data) and skips those
that are not there. Three parties by date that hold a sixth, a third and a half of the documents, as in the
paper; held-out document completion; epsilon is for a word added or removed, at delta 1e-5 for Gaussian noise.
Each run is stored when it is there, in one JSON file per part in benchmarks/results, and not made again
(move the file away for that). Charts go to docs/methods; `python benchmarks/tables.py` writes the tables.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import semantic_charts
import stored

from fedtopics import methods
from fedtopics.consistency import Relation, from_vectors, load
from fedtopics.corpus import Corpus
from fedtopics.experiment import Data, prepare, train
from fedtopics.federation import in_process
from fedtopics.reading import read

DATA = Path(os.environ.get("FEDTOPICS_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
FILES = {"ap": "ap/ap.txt.gz", "reuters": "reuters21578/reuters21578.jsonl.xz", "sotu": "sotu/sotu.jsonl.xz"}
RELATIONS = {
    "GloVe": str(DATA / "word_vectors" / "glove100d_20k.txt.gz"),
    "wordllama": "wordllama",
    "WordNet": os.environ.get("WORDNET", "wordnet"),
}
PRINTED = (500, 2000)  # documents and words: the paper's 500 stories; its noise is dear
MEDIUM = (1000, 3000)
LARGE = (2000, 4000)
WITHOUT_NOISE = {"sigma": 0.12, "release": "unit"}  # one count in 10^15 is changed
SHARES = (1 / 6, 1 / 2)  # of the documents, before the second and third party


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


PARTS: dict[str, Callable[[], list[Planned]]] = {
    "releases": releases,
    "consistency": consistency,
    "taus": taus,
    "parties": parties,
    "sigmas": sigmas,
    "topics": topics,
    "variants": variants,
}


def dated_texts(name: str) -> list[tuple[str, str]]:
    """(date, text) of every document of a set, oldest first."""
    path = DATA / FILES[name]
    if name == "ap":
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as file:
            found = re.findall(r"<DOCNO>\s*AP(\d+)\S*\s*</DOCNO>\s*<TEXT>(.*?)</TEXT>", file.read(), re.S)
        return sorted(found)
    with lzma.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    days = [datetime.strptime(row["date"].split()[0], "%d-%b-%Y").date().isoformat() for row in rows]
    return sorted(zip(days, (row["text"] for row in rows), strict=True))


@cache
def prepared(name: str, n_docs: int, n_words: int) -> Data:
    """A spread of the documents that have 30 words or more, dealt by date."""
    if name == "sotu":
        whole = read("sotu", max_words=n_words)  # the built-in passages, oldest first
    else:
        texts = [text for _, text in dated_texts(name)]
        whole = Corpus.from_texts(texts, max_words=n_words)
    long = np.flatnonzero(whole.lengths >= 30)
    chosen = long[np.linspace(0, len(long) - 1, min(n_docs, len(long))).astype(int)]
    bounds = np.searchsorted(np.arange(len(chosen)) / len(chosen), SHARES)
    dealt = np.repeat(["party-1", "party-2", "party-3"], np.diff([0, *bounds, len(chosen)]))
    documents = whole.select(chosen)
    named = Corpus(
        documents.words,
        documents.offsets,
        documents.vocabulary,
        documents.sentence_offsets,
        documents.document_sentences,
        parties=tuple(map(str, dealt)),
        language="en",
    )
    data = prepare(named, test_fraction=0.2)
    return Data(data.parties, data.test, name)


@cache
def relation(source: str, name: str, size: tuple[int, int]) -> Relation:
    return load(RELATIONS[source], prepared(name, *size).test.vocabulary)


def measured(planned: Planned, name: str, seed: int) -> dict[str, Any]:
    """Scores, price and course of one run."""
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


def speed() -> dict[str, Any]:
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


SINGLE: dict[str, Callable[[], dict[str, Any]]] = {"speed": speed, "memory": memory}


def file_of(part: str) -> Path:
    return RESULTS / f"semantic_{part}.json"


def run_part(part: str, names: list[str]) -> None:
    """The runs of a part that are not stored, each stored when it is there."""
    if part in SINGLE:
        if not file_of(part).exists():
            stored.save(stored.load(file_of(part)) | SINGLE[part](), file_of(part))
        print(part, stored.load(file_of(part)), flush=True)
        return
    for name in names:
        for planned in PARTS[part]():
            for seed in map(str, range(planned.n_seeds)):
                if seed in stored.load(file_of(part)).get(name, {}).get(planned.label, {}):
                    continue
                found = measured(planned, name, int(seed))
                results = stored.load(file_of(part))
                results.setdefault(name, {}).setdefault(planned.label, {})[seed] = found
                stored.save(results, file_of(part))
                shown = f"{found['perplexity']:.0f}, NPMI {found['coherence_npmi']:.3f}"
                print(
                    f"{part} {name} {planned.label} {seed}: {shown}, {found['cpu_seconds']:.0f} s", flush=True
                )


def available(names: list[str]) -> list[str]:
    found = [name for name in names if (DATA / FILES[name]).exists()]
    for name in set(names) - set(found):
        print(f"{name}: no data at {DATA / FILES[name]}; set FEDTOPICS_DATA")
    return found


def main() -> None:
    every = [*PARTS, *SINGLE]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=every, help=", ".join(every))
    parser.add_argument("--sets", nargs="*", default=list(FILES), help=", ".join(FILES))
    parser.add_argument("--charts", action="store_true", help="only draw the stored results")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    for part in [] if options.charts else options.parts:
        run_part(part, available(options.sets))
    semantic_charts.draw({part: stored.load(file_of(part)) for part in every if file_of(part).exists()})


if __name__ == "__main__":
    main()
