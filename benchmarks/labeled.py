"""Labeled real corpora for the applications."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from benchmarks import corpora
from fedtopics.applications.classification import split_by_class, split_by_column
from fedtopics.documents import splitting
from fedtopics.documents.corpus import Corpus, Document
from fedtopics.documents.text.word_filter import WordFilter

HEADER = re.compile(r"\A.*?\n\n", re.DOTALL)


@dataclass(frozen=True)
class Labeled:
    """A labeled set: the file in its corpus (none where it is one), and how it is used here.

    own_split   whether the set says which documents are for testing; else every class is split 4:1
    owners      whether it says who holds what; else three unlike parties are dealt
    """

    file: str
    n_topics: int
    max_words: int
    own_split: bool = False
    owners: bool = False


SETS = {
    "enron_spam": Labeled("enron_spam.jsonl.xz", 50, 8000, owners=True),
    "sms_spam": Labeled("", 20, 2000),
    "imdb": Labeled("imdb_50k.jsonl.xz", 50, 5000, own_split=True),
    "20newsgroups": Labeled("20news_bydate_raw.jsonl.xz", 50, 8000, own_split=True),
    "ohsumed": Labeled("ohsumed_single_23.jsonl.xz", 50, 8000, own_split=True),
}


@dataclass(frozen=True)
class Divided:
    """Training documents by party, test documents of all; over words chosen from the training documents."""

    parties: dict[str, Corpus]
    train: Corpus
    test: Corpus


@cache
def documents(name: str, share: float = 1.0, **options: Any) -> Corpus:
    """All documents of a set with labels; the split or the owner is read as the party.

    Mails that are there twice and empty ones are left out: copies on both sides of a split flatter everyone.
    """
    found = {document.text: document for document in _rows(name) if document.text.strip()}
    chosen = list(found.values())
    if share < 1:
        order = np.random.default_rng(0).permutation(len(chosen))[: int(share * len(chosen))]
        chosen = [chosen[position] for position in np.sort(order)]
    return Corpus.from_documents(chosen, **{"sentences": False} | options)


def _rows(name: str) -> Iterator[Document]:
    path = corpora.path(name) / SETS[name].file
    if path.suffix != ".xz":
        for line in path.read_text(encoding="utf-8").splitlines():
            label, text = line.split("\t", 1)
            yield Document(text, label=label)
        return
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            text = f"{row['subject']}\n{row['text']}" if "subject" in row else row["text"]
            if name == "20newsgroups":
                text = HEADER.sub("", text)  # they name the group
            part = row.get("owner") or row["split"].removesuffix("ing")
            yield Document(text, row["id"], row["label"], part)


def divided(name: str, corpus: Corpus, seed: int) -> Divided:
    """The documents for topics and classifier by party, and those to test on."""
    labeled = SETS[name]
    train, test = split_by_column(corpus) if labeled.own_split else split_by_class(corpus, seed=seed)
    train = train.filtered(WordFilter(min_df=2, max_df=1.0, max_words=labeled.max_words))
    parties = splitting.by_column(train) if labeled.owners else splitting.by_topics(train, 3, seed=seed)
    return Divided(
        {party.name or "": party for party in parties}, train, test.with_vocabulary(train.vocabulary)
    )
