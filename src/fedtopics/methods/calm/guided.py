"""Seed words: words that somebody has given a topic stay in it, and draw their company after them.

The server puts all counts of a seed word into its topic, before the first round and after every one: public
words, and counts that it has anyway, so this costs no privacy (topic-in-set knowledge: Andrzejewski and Zhu,
NAACL-HLT workshop on semi-supervised learning, 2009).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.protocol.turn import Arrays

SEEDS = "seeds"


def parsed(text: str, n_topics: int) -> list[list[str]]:
    """Words of topic 0, 1, ... of a `text` in which semicolons divide topics.

    >>> parsed("tax budget; ; war army", 5)
    [['tax', 'budget'], [], ['war', 'army']]
    """
    topics = [part.split() for part in text.split(";")] if text.strip() else []
    if len(topics) > n_topics:
        raise InputError(
            f"expected seed words of at most {n_topics} topics, got {len(topics)}; take more topics"
        )
    words = [word for topic in topics for word in topic]
    if len(set(words)) < len(words):
        raise InputError("expected every seed word in one topic, got one in two; choose one of them")
    return topics


def known(text: str, n_topics: int, vocabulary: tuple[str, ...]) -> Arrays:
    """The topic of each seed word, -1 for all other words; nothing where there are no seed words."""
    topics = parsed(text, n_topics)
    if not any(topics):
        return {}
    place = {word: number for number, word in enumerate(vocabulary)}
    if unknown := [word for topic in topics for word in topic if word not in place]:
        raise InputError(
            f"expected seed words of the vocabulary, got {quoted(unknown[0])}; correct it or leave it out"
        )
    of_word = np.full(len(vocabulary), -1, np.int32)
    for number, topic in enumerate(topics):
        of_word[[place[word] for word in topic]] = number
    return {SEEDS: of_word}


def noted(state: Arrays) -> Arrays:
    """What the server keeps of seed words."""
    return {SEEDS: state[SEEDS]} if SEEDS in state else {}


def leveled(factors: NDArray[Any], state: Arrays) -> NDArray[Any]:
    """The random `factors` (n_words, n_topics) that topics begin with: none where a topic has seed words.

    So nothing but its own words draws documents there; by chance alone, another theme often took the topic.
    """
    if SEEDS not in state:
        return factors
    even = np.array(factors)
    even[:, np.unique(state[SEEDS][state[SEEDS] >= 0])] = 1.0
    return even


def applied(counts: NDArray[Any], state: Arrays) -> NDArray[Any]:
    """The `counts` (n_words, n_topics) with those of seed words in their topics."""
    if SEEDS not in state:
        return counts
    words = np.flatnonzero(state[SEEDS] >= 0)
    held = np.array(counts)
    held[words] = 0
    held[words, state[SEEDS][words]] = counts[words].sum(axis=1)
    return held
