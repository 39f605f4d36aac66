"""Real corpora for the benchmarks of speed, from FEDTOPICS_DATA (default: ../shared/data)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read

DATA = Path(os.environ.get("FEDTOPICS_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
RESULTS = Path(__file__).parent / "results"

# path, reading options, how many times over
SETS: dict[str, tuple[str, dict[str, Any], int]] = {
    "nips": ("uci_nips_reduced/docword.nips7605.txt.gz", {}, 1),
    "20newsgroups": ("20newsgroups", {"min_df": 10, "max_df": 0.5}, 1),
    "imdb": ("imdb", {"stop_words": False, "min_df": 10, "max_df": 1.0}, 2),
}


def available() -> list[str]:
    """The sets that are there."""
    return [name for name, (path, _, _) in SETS.items() if (DATA / path).exists()]


def load(name: str) -> tuple[Corpus, Corpus]:
    """(train, test): nine tenths and one tenth of the documents."""
    path, options, times = SETS[name]
    train, test = read(DATA / path, **options).split(0.1, seed=0)
    return repeated(train, times), test


def repeated(corpus: Corpus, times: int) -> Corpus:
    """The documents several times over."""
    lengths = np.tile(corpus.lengths, times)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return Corpus(np.tile(corpus.words, times), offsets, corpus.vocabulary)
