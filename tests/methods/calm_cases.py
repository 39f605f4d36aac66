"""Corpora and messages of CALM as several tests need them."""

from __future__ import annotations

import numpy as np
from planted import drawn_corpus, planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.protocol.turn import Arrays

TOPICS = planted_topics(3, 8)


N_WORDS = TOPICS.shape[1]


def corpus(seed: int, n_docs: int = 40) -> Corpus:
    return drawn_corpus(TOPICS, n_docs=n_docs, length=30, seed=seed)


def sent(value: float) -> Arrays:
    """Counts that are all the same."""
    return {"counts": np.full((N_WORDS, 3), value, np.float32), "likelihood": np.array(-1.0)}
