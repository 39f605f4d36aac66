"""Documents of an earlier run and the topics of their tokens, read again by a method without privacy."""

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.protocol.turn import Arrays, Party
from fedtopics.sampling import lda

WORDS, OFFSETS, TOPICS = "earlier_words", "earlier_offsets", "earlier_topics"

_JOINED: WeakKeyDictionary[Corpus, tuple[NDArray[Any], Corpus]] = (
    WeakKeyDictionary()
)  # made once for all rounds


def kept(corpus: Corpus, topics: NDArray[Any]) -> Arrays:
    """What a party keeps: its `corpus`, and the `topics` of all tokens."""
    return {WORDS: corpus.words, OFFSETS: corpus.offsets, TOPICS: topics}


def resumed(arrays: Arrays, n_words: int, n_topics: int) -> Arrays:
    """The memory of a party that begins with what it has `kept`, over `n_words`."""
    if not arrays:
        return {}
    corpus = _corpus(arrays, tuple(map(str, range(n_words))))
    return arrays | {"n_wk": lda.word_topic_counts(corpus, arrays[TOPICS], n_topics)}


def carried(memory: Arrays) -> Arrays:
    """What stays in the memory from round to round."""
    return {name: memory[name] for name in (WORDS, OFFSETS, TOPICS) if name in memory}


def joined(party: Party) -> tuple[Corpus, NDArray[Any], int]:
    """Earlier documents and those of the party as one corpus; topics and number of the earlier tokens."""
    if WORDS not in party.memory:
        return party.corpus, np.zeros(0, np.uint16), 0
    before, own = party.memory[WORDS], party.corpus
    if own not in _JOINED or _JOINED[own][0] is not before:
        offsets = party.memory[OFFSETS]
        offsets = np.concatenate([offsets, offsets[-1] + own.offsets[1:]])
        _JOINED[own] = before, Corpus(np.concatenate([before, own.words]), offsets, own.vocabulary)
    return _JOINED[own][1], party.memory[TOPICS], len(before)


def _corpus(arrays: Arrays, vocabulary: tuple[str, ...]) -> Corpus:
    return Corpus(arrays[WORDS], arrays[OFFSETS], vocabulary)
