"""Short texts of five kinds: messages, first sentences and titles of news, subjects, titles of reviews.

Copies of a text are on the same side of a split: on both sides they flatter every model.
"""

from __future__ import annotations

import csv
import json
import lzma
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.labeled import SETS as LABELED
from fedtopics.documents.corpus import Corpus, Document

SUBJECT = re.compile(r"^Subject:[ \t]*(.*(?:\n[ \t].*)*)", re.MULTILINE)
REPLY = re.compile(r"\A(?:(?:re|fwd?)(?:\[\d+\]|\^\d+)?:\s*)+", re.IGNORECASE)
END = re.compile(r"(?<=[a-z\d)\"'])[.!?](?=\s+[\"A-Z\d]|\s*\Z)")


@cache
def divided(name: str, max_words: int) -> tuple[Corpus, Corpus]:
    """(train, test) over the `max_words` words in the most texts; texts of one known word say nothing."""
    texts = [document for document in _READERS[name]() if document.text]
    found = Corpus.from_documents(texts, sentences=False, max_words=max_words)
    return found.select(found.lengths >= 2).split(0.1, seed=0, by_content=True)


def distinct_words(corpus: Corpus) -> float:
    """Different words of a document, on average."""
    cells = corpus.docs.astype(np.int64) * corpus.n_words + corpus.words
    return len(np.unique(cells)) / corpus.n_docs


def _messages() -> Iterator[Document]:
    for line in corpora.path("sms_spam").read_text(encoding="utf-8").splitlines():
        label, text = line.split("\t", 1)
        yield Document(text, label=label)


def _first_sentences() -> Iterator[Document]:
    for row in _rows(corpora.path("reuters")):
        text = " ".join(row["text"].split())
        end = END.search(text)
        if row["topics"]:
            yield Document(text[: end.end()] if end else text, row["id"], row["topics"][0])


def _subjects() -> Iterator[Document]:
    for row in _rows(corpora.path("20newsgroups") / LABELED["20newsgroups"].file):
        found = SUBJECT.search(row["text"])
        if found:
            yield Document(REPLY.sub("", " ".join(found[1].split())), row["id"], row["label"])


def _headlines() -> Iterator[Document]:
    for row in _rows(corpora.path("reuters")):
        yield Document(row["title"] or "", row["id"])


def _reviews() -> Iterator[Document]:
    with lzma.open(corpora.path("amazon"), "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield Document(row["Summary"])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


_READERS = {
    "sms_spam": _messages,
    "reuters first sentences": _first_sentences,
    "20newsgroups subjects": _subjects,
    "reuters titles": _headlines,
    "amazon titles": _reviews,
}
