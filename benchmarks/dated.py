"""News and speeches with their dates, dealt among three parties by date."""

from __future__ import annotations

import gzip
import json
import lzma
import re
from dataclasses import replace
from datetime import datetime
from functools import cache

import numpy as np

from benchmarks import corpora
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.runs.preparing import Data, prepare

SETS = {"ap": "ap stories", "reuters": "reuters", "sotu": "sotu"}
SHARES = (1 / 6, 1 / 2)  # of the documents, before the second and third party
N_WORDS = 8000


def dated_texts(name: str) -> list[tuple[str, str]]:
    """(date, text) of every document of a set, oldest first."""
    path = corpora.path(SETS[name])
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
    named = replace(whole.select(chosen), parties=tuple(map(str, dealt)), language="en")
    data = prepare(named, test_fraction=0.2)
    return Data(data.parties, data.test, name)


HALVES = ("reuters", "20newsgroups", "sotu")


@cache
def halves(name: str) -> tuple[Data, Data, tuple[str, ...]]:
    """The older and the newer half of a set, over all words, and the words of the older half alone.

    The words of a half are its 8,000 commonest. Documents of 30 words or more are dealt to three parties in
    turn; every tenth is held out.

    20 newsgroups has its own two parts by date; passages of speeches share a list.
    """
    if name == "sotu":
        whole = read("sotu", max_words=N_WORDS)
        middle = whole.n_docs // 2
        parts = [whole.select(np.arange(middle)), whole.select(np.arange(middle, whole.n_docs))]
        return _dealt(parts[0]), _dealt(parts[1]), whole.vocabulary
    texts = _newsgroups() if name == "20newsgroups" else _split([text for _, text in dated_texts(name)])
    first, second = (Corpus.from_texts(part, max_words=N_WORDS).vocabulary for part in texts)
    words = list(dict.fromkeys([*first, *second]))
    older, newer = (_dealt(Corpus.from_texts(part, vocabulary=words)) for part in texts)
    return older, newer, first


def _split(texts: list[str]) -> tuple[list[str], list[str]]:
    return texts[: len(texts) // 2], texts[len(texts) // 2 :]


def _newsgroups() -> tuple[list[str], list[str]]:
    with lzma.open(
        corpora.path("20newsgroups") / "20news_bydate_raw.jsonl.xz", "rt", encoding="utf-8"
    ) as file:
        rows = [json.loads(line) for line in file]
    parts = [[row["text"] for row in rows if row["split"] == part] for part in ("train", "test")]
    return parts[0], parts[1]


def _dealt(corpus: Corpus) -> Data:
    """Documents at three parties in turn; every tenth is held out."""
    long = replace(corpus.select(np.flatnonzero(corpus.lengths >= 30)), parties=None)
    place = np.arange(long.n_docs)
    train = long.select(np.flatnonzero(place % 10 != 9))
    own = np.arange(train.n_docs) % 3
    parties = {f"party-{number + 1}": train.select(np.flatnonzero(own == number)) for number in range(3)}
    return Data(parties, long.select(np.flatnonzero(place % 10 == 9)), "halves")
