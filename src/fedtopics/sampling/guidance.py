"""Guided topics: words that the user has given a topic stay in it, and draw their company after them.

Before the first sweep every token of a seed word is put in its topic, and after each sweep a token that
strayed is put back (topic-in-set knowledge: Andrzejewski and Zhu, NAACL-HLT workshop on semi-supervised
learning, 2009). Within a sweep the seed words hold pseudo-counts in their topic, together a tenth of an
average topic: enough that few tokens stray, too few to drive other words out of the topic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.sampling import lda

SHARE_OF_TOPIC = 0.1


@dataclass(frozen=True, eq=False)
class Guidance:
    """The topic that each word must be in, -1 for words that are free, shape (n_words,)."""

    topic_of_word: NDArray[np.int32]

    @classmethod
    def from_seeds(cls, seeds: Mapping[int, Sequence[int]], n_words: int, n_topics: int) -> "Guidance":
        """Guidance from the ids of the seed words of some topics."""
        topic_of_word = np.full(n_words, -1, np.int32)
        for topic, words in seeds.items():
            if topic not in range(n_topics):
                raise InputError(
                    f"expected seed words for topics 0 to {n_topics - 1}, got topic {quoted(topic)}"
                )
            if any(topic_of_word[word] not in (-1, topic) for word in words):
                raise InputError("expected every seed word in one topic, got one in two; choose one of them")
            topic_of_word[list(words)] = topic
        return cls(topic_of_word)

    def pseudo_counts(self, n_topics: int, n_tokens: float) -> NDArray[np.float64]:
        """Word-topic counts of the seed words for a corpus of that size, shape (n_words, n_topics)."""
        seeds = np.flatnonzero(self.topic_of_word >= 0)
        topics = self.topic_of_word[seeds]
        counts = np.zeros((len(self.topic_of_word), n_topics))
        counts[seeds, topics] = SHARE_OF_TOPIC * n_tokens / n_topics / np.bincount(topics)[topics]
        return counts

    def applied(self, corpus: Corpus, state: lda.State) -> lda.State:
        """The same state but for tokens of seed words, which are in their topics."""
        given = self.topic_of_word[corpus.words]
        topics = np.where(given >= 0, given, state.topics).astype(np.uint16)
        return lda.State(topics, state.n_sweeps)
