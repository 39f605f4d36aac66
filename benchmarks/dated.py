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
