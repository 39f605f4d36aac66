"""Documents for shards, and runs of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from cluster.here import Here

from fedtopics import methods
from fedtopics.cluster.party import OnCluster, Workers
from fedtopics.documents.corpus import Corpus
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import Outcome
from fedtopics.protocol.method import Method

N_WORDS = 60


def documents(n_docs: int, seed: int) -> Corpus:
    """Documents of two kinds, of 5 to 30 words, three of each person, in sentences of any length."""
    generator = np.random.default_rng(seed)
    lengths = generator.integers(5, 30, n_docs)
    kinds = np.repeat(generator.integers(0, 2, n_docs), lengths)
    words = generator.integers(0, N_WORDS // 2, lengths.sum()) + kinds * (N_WORDS // 2)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    inside = np.sort(generator.choice(lengths.sum(), n_docs, replace=False))
    sentences = np.unique(np.concatenate([offsets, inside]))
    return Corpus(
        words.astype(np.int32),
        offsets,
        tuple(f"w{word}" for word in range(N_WORDS)),
        sentence_offsets=sentences,
        document_sentences=np.searchsorted(sentences, offsets),
        persons=tuple(f"p{number % (n_docs // 3 + 1)}" for number in range(n_docs)),
    )


PARTIES = {"north": documents(90, 1), "south": documents(70, 2)}
MADE = {
    "calm": {"n_rounds": 5, "epsilon": 4.0},
    "calm sentences": {"n_rounds": 3, "unit": "sentence", "held_out": 0.2},
    "pctd": {"n_rounds": 3, "sigma": 1.0, "unit": "sentence"},
    "shared": {"n_rounds": 5},
    "shared warp": {"n_rounds": 3, "sampler": "warp"},
    "hush": {"n_rounds": 7},
    "hush persons": {"n_rounds": 7, "unit": "person"},
}


def made(name: str, **given: Any) -> Method:
    return methods.make(name.split()[0], n_topics=3, **MADE[name] | given)


def trained(
    method: Method, folder: Path, workers: Workers | None = None, n_shards: int | None = 5, **given: Any
) -> Outcome:
    """A run of both parties on workers, or shard after shard in this process."""
    folder.mkdir(exist_ok=True)
    place = OnCluster(method, workers or Here(), folder, n_shards)
    return in_process.run(method, PARTIES, seed=4, contribute=place.contribute, **given)


def bits(outcome: Outcome) -> bytes:
    assert outcome.model is not None
    return outcome.model.topic_word.tobytes()


def without_persons(corpus: Corpus) -> Corpus:
    return replace(corpus, persons=None)
