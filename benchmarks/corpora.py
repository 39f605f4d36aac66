"""Real corpora, from FEDTOPICS_DATA (default: ../shared/data).

The Blog Authorship Corpus, which may not be passed on, may be elsewhere: FEDTOPICS_BLOGS names its folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import ROOT
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.errors import InputError
from fedtopics.runs.preparing import Data, prepare

DATA = Path(os.environ.get("FEDTOPICS_DATA", ROOT / ".." / "shared" / "data"))
PATHS = {
    "20newsgroups": "20newsgroups",
    "amazon": "amazon_fine_food/Reviews_first7567.csv.xz",
    "ami": "ami_transcripts",
    "ap": "ap/ap.dat.gz",
    "ap stories": "ap/ap.txt.gz",
    "blogs": os.environ.get("FEDTOPICS_BLOGS", "blogs"),  # an absolute path, or one below FEDTOPICS_DATA
    "enron_spam": "enron_spam",
    "glove": "word_vectors/glove100d_20k.txt.gz",
    "imdb": "imdb",
    "kos": "uci_kos",
    "librispeech": "librispeech_text",
    "ljspeech": "ljspeech_text",
    "nips": "uci_nips_reduced/docword.nips7605.txt.gz",
    "ohsumed": "ohsumed_medical",
    "reuters": "reuters21578/reuters21578.jsonl.xz",
    "sms_spam": "sms_spam/SMSSpamCollection",
    "sotu": "sotu/sotu.jsonl.xz",
}


class MissingDataError(InputError):
    """A corpus is not there."""


def path(name: str) -> Path:
    """Where a corpus is; an error that says what to do where it is not."""
    check([name], "this")
    return DATA / PATHS[name]


def check(names: Iterable[str], who: str) -> None:
    """Refuse to begin without these corpora."""
    if missing := [PATHS[name] for name in names if not (DATA / PATHS[name]).exists()]:
        raise MissingDataError(
            f"{who} reads {', '.join(missing)}, which {DATA} does not hold; "
            "let FEDTOPICS_DATA name the folder that does. Nothing was measured, what is stored stays"
        )


FEW_WORDS: dict[str, dict[str, Any]] = {  # how corpora are read that parties hold
    "kos": {},
    "ap": {"max_words": 8000},
    "ohsumed": {"max_words": 8000},
    "reuters": {"max_words": 8000},
    "nips": {},
    "imdb": {"max_words": 5000},
}


@cache
def dealt(name: str, max_words: int | None = None) -> Data:
    """A corpus at three unequal parties by what its documents are about, and documents to test on."""
    reading = FEW_WORDS[name] | ({} if max_words is None else {"max_words": max_words})
    data = prepare(str(path(name)), n_parties=3, **reading)
    return Data(data.parties, data.test, name)


def part(data: Data, share: float, name: str) -> Data:
    """The first documents of each party, and the same to test on."""
    parties = {
        party: corpus.select(np.arange(corpus.n_docs) < max(2, int(share * corpus.n_docs)))
        for party, corpus in data.parties.items()
    }
    return Data(parties, data.test, name)


ALL_WORDS: dict[str, tuple[dict[str, Any], int]] = {  # reading options, how many times over
    "nips": ({}, 1),
    "20newsgroups": ({"min_df": 10, "max_df": 0.5}, 1),
    "imdb": ({"stop_words": False, "min_df": 10, "max_df": 1.0}, 2),
}


@cache
def pooled(name: str) -> tuple[Corpus, Corpus]:
    """(train, test) of a corpus in one place, for measuring speed: nine tenths and one tenth of it."""
    options, times = ALL_WORDS[name]
    train, test = read(path(name), **options).split(0.1, seed=0)
    return repeated(train, times), test


def repeated(corpus: Corpus, times: int) -> Corpus:
    """The documents several times over."""
    lengths = np.tile(corpus.lengths, times)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return Corpus(np.tile(corpus.words, times), offsets, corpus.vocabulary)


@dataclass(frozen=True)
class Users:
    """A corpus whose documents are users: how it is read, how many are drawn, the paper's topics."""

    corpus: str
    reading: dict[str, Any]
    n_users: int
    n_topics: int


USERS = {
    "amazon": Users("amazon", {"text_column": "Text", "min_df": 5}, 1000, 20),
    "enron_spam": Users("enron_spam", {"max_words": 3309}, 5000, 30),
    "imdb": Users("imdb", {"max_words": 10_000}, 3000, 50),
    "kos": Users("kos", {"max_words": 1000}, 3000, 50),
    "nips": Users("nips", {"max_words": 1000}, 1349, 50),
    "enron ham": Users("enron_spam", {"max_words": 1000}, 8000, 50),
}


@cache
def users(name: str, n_users: int | None = None) -> tuple[Corpus, Corpus]:
    """(users, test documents) drawn at random, a fifth as many to test on."""
    source = USERS[name]
    corpus = read(str(path(source.corpus)), progress=None, **source.reading)
    if name == "enron ham":
        corpus = corpus.select(np.array(corpus.labels) == "ham")
    corpus = corpus.select(corpus.lengths >= 2)
    order = np.random.default_rng(0).permutation(corpus.n_docs)
    n_users = min(n_users or source.n_users, int(0.9 * corpus.n_docs))
    return corpus.select(order[:n_users]), corpus.select(order[n_users : n_users + max(200, n_users // 5)])
