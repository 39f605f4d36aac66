"""Pooled: all documents in one place, what a federation tries to match without moving them.

Round 0:  party:   send every document
          server:  join the documents of all parties
Round t:  server:  resample the topics of all tokens n_sweeps times (collapsed Gibbs sampling [1])

Guarantee: none. The raw documents leave every party.

[1] T. Griffiths, M. Steyvers. Finding scientific topics. PNAS 101, 2004.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.methods.parts import continuing
from fedtopics.methods.parts.local_sampling import LocalSampling
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import INFINITE, Cost
from fedtopics.privacy.price.release import Release, disclose, reuse
from fedtopics.protocol.method import About
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import lda


@dataclass(frozen=True)
class Pooled(LocalSampling):
    about: ClassVar[About] = About(
        summary="LDA on the documents of all parties in one place",
        guarantee="none: raw documents leave every party",
        citation="Griffiths and Steyvers, PNAS 2004",
    )
    rounds_again: ClassVar[float] = 1 / 3

    def prices(self, n_words: int) -> list[Cost]:
        return [INFINITE]

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {"n_words": np.array(n_words)}

    def continued(self, model: TopicModel) -> Arrays:
        return continuing.earlier(model, self.n_topics)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if party.memory:
            return reuse({}), party.memory
        documents: Arrays = {"words": party.corpus.words, "lengths": party.corpus.lengths}
        return disclose(documents), {"sent": np.array(True)}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        state = state | _joined(sent) if turn.round == 0 else state
        corpus = _corpus(state)
        return state | {
            "topics": self.resample(corpus, state.get("topics"), turn, state.get(continuing.EARLIER))
        }

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        n_wk = lda.word_topic_counts(_corpus(state), state["topics"], self.n_topics)
        return self.topic_model(n_wk + state.get(continuing.EARLIER, 0), vocabulary)


def _joined(sent: dict[str, Arrays]) -> Arrays:
    lengths = np.concatenate([arrays["lengths"] for arrays in sent.values()])
    return {
        "words": np.concatenate([arrays["words"] for arrays in sent.values()]),
        "offsets": np.concatenate([[0], np.cumsum(lengths)]),
    }


def _corpus(state: Arrays) -> Corpus:
    """The joined documents; the server knows words by their ids alone."""
    return Corpus(state["words"], state["offsets"], tuple(map(str, range(int(state["n_words"])))))


METHOD = Pooled
