"""Alone: each party trains on its own documents, what every party can have without a federation.

Round t:  party:   resample the topics of its own tokens n_sweeps times (Griffiths and Steyvers, PNAS 2004);
                   send nothing

Guarantee: nothing leaves a party. The models stay there; a model that is published later is not private.
"""

from dataclasses import dataclass
from typing import ClassVar

from fedtopics.methods.parts.local_sampling import LocalSampling
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.method import About
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import lda


@dataclass(frozen=True)
class Alone(LocalSampling):
    about: ClassVar[About] = About(
        summary="each party by itself",
        guarantee="nothing leaves a party",
        citation="Griffiths and Steyvers, PNAS 2004",
    )

    def prices(self, n_words: int) -> list[Cost]:
        return []

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {}

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        topics = self.resample(party.corpus, party.memory.get("topics"), turn)
        return reuse({}), {"topics": topics}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return state

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> None:
        return None

    def local_model(self, party: Party) -> TopicModel:
        n_wk = lda.word_topic_counts(party.corpus, party.memory["topics"], self.n_topics)
        return self.topic_model(n_wk, party.corpus.vocabulary)


METHOD = Alone
