"""Small corpora of units, and whatever a server may tell: what the tests of hush are made on."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Any, TypeAlias

import numpy as np
from planted import corpus_of

from fedtopics.documents.corpus import Corpus
from fedtopics.methods.hush.forms import asked
from fedtopics.methods.hush.method import Hush
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import told as forms
from fedtopics.protocol.turn import Arrays, Party, Turn

N_WORDS = 8
SETTINGS: dict[str, Any] = {"n_topics": 3, "n_frequent": 5, "rank": 4}
Unit: TypeAlias = Sequence[Sequence[int]]  # documents as word numbers


def corpus(units: Sequence[Unit], n_words: int = N_WORDS) -> Corpus:
    """The documents of units, each of which is a person: first one of each, then the second of each, ..."""
    rounds = zip_longest(*units)
    owned = [(own, unit) for turn in rounds for unit, own in enumerate(turn) if own is not None]
    persons = tuple(f"{999 - unit}" for _, unit in owned)
    return replace(corpus_of([list(own) for own, _ in owned], n_words), persons=persons)


def summed(method: Hush, documents: Corpus, told: Arrays) -> np.ndarray:
    """What a party adds up, before noise; what it is told must be something that it may be told."""
    forms.check(told, method.may_be_told(documents.n_words, "north"))
    return method.summed(asked(told), documents, told, 1)


def released(method: Hush, documents: Corpus, told: Arrays, seed: int = 0) -> Release[Arrays]:
    """What a party sends."""
    return method.contribute(Party("north", documents, {}), told, Turn(seed, "party", 1, "north"))[0]


def shares(raw: np.ndarray, least: float = 0.0) -> np.ndarray:
    """Numbers as shares of their sums along the first axis, as far as 32 bits can say."""
    parts = np.maximum(raw, 1e-300) / np.maximum(raw, 1e-300).sum(axis=0)
    return np.maximum(parts.astype(np.float32), np.float32(least))


def topics(raw: np.ndarray) -> np.ndarray:
    """Topics as a party may be told them."""
    return shares(raw, float(np.finfo(np.float32).tiny))
