"""Corpora small enough that every setting of a figure takes seconds, and one run on them."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
from corpora import DATA
from ftm import Watched, prepared

from fedtopics import methods
from fedtopics.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.coherence import umass
from fedtopics.evaluation.cooccurrence import cooccurrences
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.experiment import Data, prepare
from fedtopics.federation import in_process
from fedtopics.reading import read

SEEDS = (0, 1, 2)


def some(corpus: Corpus, n_docs: int) -> Corpus:
    """The first documents of a corpus."""
    return corpus.select(np.arange(corpus.n_docs) < n_docs)


@cache
def kos(n_parties: int = 3) -> Data:
    """A fifth of KOS over its 1,000 most frequent words, three or four unlike, unequal parties."""
    data = prepared("kos", max_words=1000)
    if data is None:
        raise InputError(f"expected uci_kos in {DATA}, got nothing; set FEDTOPICS_DATA")
    if n_parties != 3:
        data = prepare(str(DATA / "uci_kos"), n_parties=n_parties, max_words=1000)
    parties = {name: some(party, max(2, party.n_docs // 5)) for name, party in data.parties.items()}
    return Data(parties, data.test, "kos")


@cache
def reuters() -> Data:
    """1,200 Reuters stories of 30 words or more over 1,000 words, with sentences; three parties."""
    path = DATA / "reuters21578" / "reuters21578.jsonl.xz"
    if not path.exists():
        raise InputError(f"expected reuters21578 in {DATA}, got nothing; set FEDTOPICS_DATA")
    corpus = read(str(path), max_words=1000)
    chosen = corpus.select(np.flatnonzero(corpus.lengths >= 30)[::8][:1500])
    return prepare(chosen, n_parties=3, test_fraction=0.2)


def run(data: Data, name: str, seed: int = 0, *, every: int = 1, **settings: Any) -> dict[str, Any]:
    """Perplexity by round (every so many), of the parties' own models and of the last; bytes; UMass."""
    began = perf_counter()
    watched = Watched(methods.make(name, **settings), data.test, every=every)
    outcome = in_process.run(watched, data.parties, seed=seed, n_threads=1)  # type: ignore[arg-type]
    local = {party: perplexity(model, data.test) for party, model in outcome.local_models.items()}
    result: dict[str, Any] = {
        "by_round": watched.perplexities,
        "local": local,
        "bytes": [entry.bytes_up + entry.bytes_down for entry in outcome.rounds],
        "seconds": perf_counter() - began,
        "perplexity": min(local.values()) if outcome.model is None else perplexity(outcome.model, data.test),
    }
    if outcome.model is not None:
        counts = cooccurrences(outcome.model.top_words(10), data.train)
        result["umass"] = float(umass(counts).mean())
        result["n_topics"] = outcome.model.n_topics
    return result


def unigram(data: Data) -> float:
    """What a model without topics reaches."""
    return unigram_perplexity(data.train, data.test)
