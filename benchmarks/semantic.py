"""PC-TD and semantic consistency on news and speeches: what the paper reports, measured again.

    python benchmarks/semantic.py                       every part
    python benchmarks/semantic.py taus --sets ap        one part (consistency, relations, releases, parties,
                                                        taus, topics, sigmas or speed) on one set
    python benchmarks/semantic.py --charts              draw the stored results and print the table of claims

Reads ap, reuters21578, sotu and word_vectors from FEDTOPICS_DATA (default: ../shared/data) and skips those
that are not there. Three parties by date that hold a sixth, a third and a half of the documents, as in the
paper; held-out document completion; epsilon is for a word added or removed, at delta 1e-5 for Gaussian noise.
One JSON file per part goes to benchmarks/results, charts to docs/methods (`semantic_charts.py`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import re
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import semantic_charts

from fedtopics import methods
from fedtopics.consistency import load
from fedtopics.corpus import Corpus
from fedtopics.experiment import Data, prepare, train
from fedtopics.federation import in_process
from fedtopics.reading import read

DATA = Path(os.environ.get("FEDTOPICS_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"
GLOVE = DATA / "word_vectors" / "glove100d_20k.txt.gz"
FILES = {"ap": "ap/ap.txt.gz", "reuters": "reuters21578/reuters21578.jsonl.xz", "sotu": "sotu/sotu.jsonl.xz"}
N_DOCS, N_WORDS, N_TOPICS = 1000, 3000, 30
LARGE = {"n_docs": 2000, "n_words": 4000}
# As printed, every unit and word has noise of its own in every round: small sets.
SMALL = {"n_docs": 150, "n_words": 600}
SIGMA_8 = 0.559  # epsilon 8 for a word added or removed, where words stay in their units
WITHOUT_NOISE = {"sigma": 0.12, "release": "unit"}  # one count in 10^15 is changed
# Parts with sets of their own, unless --sets names others.
SETS_OF = {
    "relations": ["ap"],
    "sigmas": ["ap"],
    "speed": ["ap"],
}
WORDNET = os.environ.get("WORDNET", "wordnet")
SHARES = (1 / 6, 1 / 2)  # of the documents, before the second and third party


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
def prepared(name: str, n_docs: int = N_DOCS, n_words: int = N_WORDS) -> Data:
    """A spread of the documents that have 30 words or more, dealt by date."""
    if name == "sotu":
        whole = read("sotu", max_words=n_words)  # the built-in passages, oldest first
    else:
        texts = [text for _, text in dated_texts(name)]
        whole = Corpus.from_texts(texts, max_words=n_words)
    long = np.flatnonzero(whole.lengths >= 30)
    chosen = long[np.linspace(0, len(long) - 1, min(n_docs, len(long))).astype(int)]
    bounds = np.searchsorted(np.arange(len(chosen)) / len(chosen), SHARES)
    parties = np.repeat(["party-1", "party-2", "party-3"], np.diff([0, *bounds, len(chosen)]))
    documents = whole.select(chosen)
    named = Corpus(
        documents.words,
        documents.offsets,
        documents.vocabulary,
        documents.sentence_offsets,
        documents.document_sentences,
        parties=tuple(map(str, parties)),
        language="en",
    )
    data = prepare(named, test_fraction=0.2)
    return Data(data.parties, data.test, name)


def available(names: list[str]) -> list[str]:
    found = [name for name in names if (DATA / FILES[name]).exists()]
    for name in set(names) - set(found):
        print(f"{name}: no data at {DATA / FILES[name]}; set FEDTOPICS_DATA")
    return found


def measured(data: Data, method: str, **settings: Any) -> dict[str, Any]:
    """Scores, price and course of one run."""
    began = process_time()
    given = {"n_topics": N_TOPICS, "show_progress": False} | settings
    record = train(data, method, **given).record
    price = [row for row in record["privacy"] if row["party"] == record["parties"][0]["name"]]
    found = {
        "method": method,
        "settings": {name: value for name, value in settings.items() if name != "consistency"},
        **record["scores"],
        "privacy": price,
        "by_round": [
            (entry["round"] + 1, entry["measures"]["perplexity"])
            for entry in record["rounds"]
            if "perplexity" in entry["measures"]
        ],
        "cpu_seconds": process_time() - began,
    }
    shown = f"{found['perplexity']:.0f}, NPMI {found['coherence_npmi']:.3f}"
    print(f"{data.source} {method} {found['settings']} -> {shown}", flush=True)
    return found


def releases(name: str, n_seeds: int) -> dict[str, Any]:
    """PC-TD as printed against `sound` with every release, on small sets."""
    given: dict[str, tuple[str, dict[str, Any]]] = {
        "paper": ("pctd", {"variant": "paper"}),
        "sound, a vector per n-gram": ("pctd", {"release": "unit", "sigma": SIGMA_8}),
        "sound, a vector per sentence": ("pctd", {"release": "unit", "unit": "sentence"}),
        "sound, a vector per document": ("pctd", {}),
        "the same, one word per unit": ("pctd", {"unit_length": 1}),
        "the same, ten words per unit": ("pctd", {"unit_length": 10}),
        "PC-TD without noise": ("pctd", WITHOUT_NOISE),
        "CALM": ("calm", {"epsilon": 8.0}),
        "shared counts, no privacy": ("shared", {"n_rounds": 100}),
    }
    data = prepared(name, **SMALL)
    facts = {"n_docs": data.train.n_docs, "n_words": data.train.n_words, "n_tokens": data.train.n_tokens}
    runs = {
        label: measured(data, method, n_topics=20, **settings) for label, (method, settings) in given.items()
    }
    return runs | {"facts": facts}


def sigmas(name: str, n_seeds: int) -> list[dict[str, Any]]:
    """Convergence by round for several sigma, as printed and sound."""
    given: list[dict[str, Any]] = [{"variant": "paper", "sigma": sigma} for sigma in (0.05, 0.25, 0.3)]
    given += [{"sigma": sigma} for sigma in (0.25, 0.56, 1.0)]
    return [measured(prepared(name, **SMALL), "pctd", n_topics=20, **settings) for settings in given]


def parties(name: str, n_seeds: int) -> dict[str, Any]:
    """The federation against each participant by itself, all at epsilon 8."""
    data = prepared(name)
    runs = {"all": measured(data, "pctd")}
    for party, corpus in data.parties.items():
        runs[party] = measured(Data({party: corpus}, data.test, name), "pctd")
    return runs


def topics(name: str, n_seeds: int) -> dict[str, Any]:
    """UMass coherence for 10 to 50 topics: LDA, PC-TD without noise, PC-TD at epsilon 8."""
    given: dict[str, tuple[str, dict[str, Any]]] = {
        "LDA": ("shared", {"n_rounds": 100}),
        "PC-TD without noise": ("pctd", WITHOUT_NOISE),
        "PC-TD, epsilon 8": ("pctd", {}),
    }
    return {
        label: [measured(prepared(name), method, **settings, n_topics=k) for k in (10, 20, 30, 40, 50)]
        for label, (method, settings) in given.items()
    }


def taus(name: str, n_seeds: int) -> list[dict[str, Any]]:
    """PC-TD at epsilon 8 with consistency of several strengths."""
    relation = load(GLOVE, prepared(name).test.vocabulary)
    return [
        measured(prepared(name), "pctd", consistency=relation, consistency_tau=tau)
        for tau in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
    ]


def consistency(name: str, n_seeds: int) -> dict[str, Any]:
    """CALM at epsilon 6 without and with consistency by public vectors."""
    return related(name, n_seeds, {"none": None, "GloVe": GLOVE})


def relations(name: str, n_seeds: int) -> dict[str, Any]:
    """The same with the two relations that can be installed."""
    return related(name, n_seeds, {"none": None, "minilm": "minilm", "wordnet": WORDNET})


def related(name: str, n_seeds: int, sources: dict[str, Any]) -> dict[str, Any]:
    """Runs of CALM by relation, one for each seed."""
    data = prepared(name, **LARGE)
    found = {label: source and load(source, data.test.vocabulary) for label, source in sources.items()}
    return {
        label: [
            measured(data, "calm", n_topics=50, seed=seed, epsilon=6.0, consistency=relation)
            for seed in range(n_seeds)
        ]
        for label, relation in found.items()
    }


def speed(name: str, n_seeds: int) -> dict[str, Any]:
    """Seconds of a round of `sound` on 2,000 documents, 50 topics, 10,000 words, 2 threads."""
    texts = [text for _, text in dated_texts(name)]
    corpus = Corpus.from_texts(texts, max_words=10_000).select(np.arange(2000))
    method = methods.make("pctd", n_topics=50, n_rounds=5)
    method.plan(1)  # sigma is calibrated once
    outcome = in_process.run(method, {"all": corpus}, seed=0, n_threads=2)
    seconds = [entry.seconds for entry in outcome.rounds]
    print("seconds by round", [round(value, 2) for value in seconds])
    facts = {"n_docs": corpus.n_docs, "n_words": corpus.n_words, "n_tokens": corpus.n_tokens}
    return facts | {"seconds": seconds}


PARTS: dict[str, Callable[[str, int], Any]] = {
    "consistency": consistency,
    "relations": relations,
    "releases": releases,
    "parties": parties,
    "taus": taus,
    "topics": topics,
    "sigmas": sigmas,
    "speed": speed,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--sets", nargs="*", help=", ".join(FILES))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--charts", action="store_true", help="only draw the stored results")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    stored = {part: RESULTS / f"semantic_{part}.json" for part in PARTS}
    for part in [] if options.charts else options.parts:
        for name in available(options.sets or SETS_OF.get(part, list(FILES))):
            found = PARTS[part](name, options.seeds)
            known = json.loads(stored[part].read_text()) if stored[part].exists() else {}
            stored[part].write_text(json.dumps(known | {name: found}, indent=1) + "\n")
    charts = {part: json.loads(file.read_text()) for part, file in stored.items() if file.exists()}
    semantic_charts.draw(charts)


if __name__ == "__main__":
    main()
