"""What the parties of hush may be told, and may send: exact shapes of every round."""

import numpy as np

from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays

LEAST_PHI = float(np.finfo(np.float32).tiny)  # topics of the server have every word
MOST_DIMENSIONS = 1024  # of public word vectors


def told(n_words: int, n_topics: int, n_frequent: int, rank: int) -> list[Form]:
    """For totals nothing; where features come from; places of centers; topics, to count by or to score."""
    topics = {
        "phi": Numbers("float32", (n_words, n_topics), LEAST_PHI, 1.0, sums_to_one=0),
        "unigram": Numbers("float32", (n_words,), most=1.0, sums_to_one=0),
    }
    return [
        {},
        {
            "frequent": Numbers("int64", (n_frequent,), most=n_words - 1, distinct=True),
            "weights": Numbers("float32", (n_words,), most=1e6),
            "vectors": Numbers("int8", (n_words, range(1, MOST_DIMENSIONS + 1)), least=-128, most=127),
        },
        {"projection": _signed(n_words, rank), "centers": _signed(n_topics, rank)},
        topics
        | {
            "shares": Numbers("float32", (n_topics,), most=1.0, sums_to_one=0),
            "clip": Numbers("float64", (), least=1e-3, most=1e3),
        },
        topics,
    ]


def asked(told: Arrays) -> str:
    """Which release is asked for: what is told says it."""
    marks = {"frequent": "moments", "centers": "groups", "shares": "counts", "phi": "gain"}
    return next((what for mark, what in marks.items() if mark in told), "totals")


def sent(told: Arrays) -> Form | None:
    """The answer of a party that was told this; None for totals: how many words there are is not told."""
    if not told:
        return None
    if "frequent" in told:
        n_frequent = len(told["frequent"])
        return {"moments": _steps(n_frequent * (n_frequent - 1) // 2)}
    if "centers" in told:
        n_topics, rank = told["centers"].shape
        return {"groups": _steps(n_topics, rank + 1)}
    return {"counts": _steps(*told["phi"].shape)} if "shares" in told else {"gain": _steps(1)}


def _signed(*shape: int) -> Numbers:
    return Numbers("float32", shape, least=-1e6, most=1e6)


def _steps(*shape: int) -> Numbers:
    return Numbers("int64", shape, least=-1e15)
