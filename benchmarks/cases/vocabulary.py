"""Private agreement on words among the six owners of Enron-Spam: recall of the non-private top 5,000."""

from __future__ import annotations

import json
import lzma
import re
from collections import Counter, defaultdict
from functools import cache, partial
from time import perf_counter

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from benchmarks import corpora, stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.words import Agreement
from fedtopics.protocol import in_process

TOP, DELTA, MIN_PARTIES = 5000, 1e-6, 2
SHOWN = ("words", f"recall of the top {TOP}", "share of all tokens covered", "same share by the top words")


@cache
def mails() -> dict[str, list[list[str]]]:
    """Words of each owner's mails, without stop words."""
    parties: dict[str, list[list[str]]] = defaultdict(list)
    with lzma.open(corpora.path("enron_spam") / "enron_spam.jsonl.xz", "rt") as lines:
        for line in lines:
            mail = json.loads(line)
            found = re.findall(r"[a-z]{3,}", f"{mail['subject']} {mail['text']}".lower())
            parties[mail["owner"]].append([word for word in found if word not in ENGLISH_STOP_WORDS])
    return dict(parties)


def n_mails() -> dict[str, int]:
    return {party: len(documents) for party, documents in mails().items()}


def as_corpus(documents: list[list[str]]) -> Corpus:
    """Documents over all their words."""
    place = {word: number for number, word in enumerate(sorted({w for words in documents for w in words}))}
    tokens = np.array([place[word] for words in documents for word in words], np.int32)
    return Corpus(tokens, np.cumsum([0, *map(len, documents)]), tuple(place))


def agreed(epsilon: float) -> dict[str, float]:
    """One agreement with secure noise: its recall, coverage of all tokens, size, price and time."""
    parties = mails()
    held = Counter(word for documents in parties.values() for words in documents for word in set(words))
    tokens = Counter(word for documents in parties.values() for words in documents for word in words)
    wanted = [word for word, _ in held.most_common(TOP)]
    held_by = {name: as_corpus(documents) for name, documents in parties.items()}
    began, ledger = perf_counter(), Ledger(delta=DELTA, secure_only=True)
    agreement = Agreement(epsilon, DELTA, min_parties=MIN_PARTIES)
    found = in_process.agree(agreement, held_by, seed=0, ledger=ledger, secure=True)
    taken = perf_counter() - began
    spent = {s["epsilon"] for s in ledger.statements() if s["relation"] == "document add/remove"}
    return {
        "epsilon in the ledger": round(max(map(float, spent)), 4),
        "words": len(found),
        f"recall of the top {TOP}": round(len({*found} & {*wanted}) / len({*wanted}), 4),
        "share of all tokens covered": round(sum(tokens[w] for w in found) / sum(tokens.values()), 4),
        "same share by the top words": round(sum(tokens[w] for w in wanted) / sum(tokens.values()), 4),
        "seconds": round(taken, 2),
    }


def agreements() -> str:
    """What was found at each epsilon."""
    rows = [
        [epsilon.removeprefix("epsilon "), *(f"{found[column]:,}" for column in SHOWN)]
        for epsilon, found in stored.values("vocabulary").items()
        if epsilon != "mails"
    ]
    return table(["document epsilon", *SHOWN], rows)


@case(
    "vocabulary",
    measures=(Agreement,),
    minutes=1,
    corpora=("enron_spam",),
    timed=True,
    pages=("docs/understand/privacy.md",),
    shows={"vocabulary": agreements},
    summary=agreements,
)
def steps() -> Steps:
    """Words that the six owners of Enron-Spam agree on privately, of the 5,000 in most mails."""
    agreements = {f"epsilon {epsilon:g}": partial(agreed, epsilon) for epsilon in (1.0, 2.0, 4.0, 8.0)}
    return {"mails": n_mails} | agreements
