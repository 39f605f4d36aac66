"""Private agreement on words among the six owners of Enron-Spam: recall of the non-private top 5,000.

python benchmarks/vocabulary.py [file.json]        FEDTOPICS_DATA names the data folder
"""

from __future__ import annotations

import json
import lzma
import os
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from time import perf_counter

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from fedtopics.privacy.noise import Noise
from fedtopics.privacy.release import Ledger
from fedtopics.privacy.vocabulary import Agreement, agree, recall

DATA = Path(os.environ.get("FEDTOPICS_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
TOP, DELTA, MIN_PARTIES = 5000, 1e-6, 2


def mails(path: Path) -> dict[str, list[list[str]]]:
    """Words of each owner's mails, without stop words."""
    parties: dict[str, list[list[str]]] = defaultdict(list)
    with lzma.open(path, "rt") as lines:
        for line in lines:
            mail = json.loads(line)
            found = re.findall(r"[a-z]{3,}", f"{mail['subject']} {mail['text']}".lower())
            parties[mail["owner"]].append([word for word in found if word not in ENGLISH_STOP_WORDS])
    return dict(parties)


def measure(parties: dict[str, list[list[str]]], epsilon: float) -> dict[str, float]:
    """One agreement with secure noise: its recall, coverage of all tokens, size, price and time."""
    held = Counter(word for documents in parties.values() for words in documents for word in set(words))
    tokens = Counter(word for documents in parties.values() for words in documents for word in words)
    wanted = [word for word, _ in held.most_common(TOP)]
    began, ledger = perf_counter(), Ledger(delta=DELTA, secure_only=True)
    agreement = Agreement(epsilon, DELTA, min_parties=MIN_PARTIES)
    found = agree(agreement, parties, lambda party, step: Noise.secure(), ledger)
    taken = perf_counter() - began
    spent = {s["epsilon"] for s in ledger.statements() if s["relation"] == "document add/remove"}
    return {
        "document epsilon": epsilon,
        "epsilon in the ledger": round(max(map(float, spent)), 4),
        "words": len(found),
        f"recall of the top {TOP}": round(recall(found, wanted), 4),
        "share of all tokens covered": round(sum(tokens[w] for w in found) / sum(tokens.values()), 4),
        "same share by the top words": round(sum(tokens[w] for w in wanted) / sum(tokens.values()), 4),
        "seconds": round(taken, 2),
    }


def main(path: str | None = None) -> int:
    source = DATA / "enron_spam" / "enron_spam.jsonl.xz"
    if not source.exists():
        print(f"skipped: no {source.name}; set FEDTOPICS_DATA to the folder that holds enron_spam")
        return 0
    parties = mails(source)
    settings = {
        "delta": DELTA,
        "min_parties": MIN_PARTIES,
        "parties": {p: len(d) for p, d in parties.items()},
    }
    result = settings | {"agreements": [measure(parties, epsilon) for epsilon in (1.0, 2.0, 4.0, 8.0)]}
    text = json.dumps(result, indent=1)
    print(text)
    if path is not None:
        Path(path).write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
