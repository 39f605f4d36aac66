"""FTM and iFTM, repaired: few rounds, parties with different numbers of topics, LDA and SentenceLDA.

Di Jiang et al., Federated topic modeling, CIKM 2019 (FTM); Industrial federated topic modeling, ACM TIST 2021
(iFTM).

    party, once    Y_d = word counts of document (sentence) d + discrete Laplace noise, where >= 1
    round t        server:  t > 0: send each party the global topics that its own went into
                   party:   n_local iterations on Y alone, from where the last round ended; the topics' counts
                            at other parties stay in every estimate of phi.  word: channel-aware EM;
                            sentence: Metropolis-Hastings with the likelihood of Y under the law of its noise.
                            Send its topics, normalized, and the amount of data behind each
                   server:  fold them into the global model (`integrated_topics.py`): one-to-one,
                            Bhattacharyya similarity above xi = 0.5, smoothing base off

release="tokens" takes the papers' vectors of single tokens instead, and reads them through the same law.

Guarantee of histograms: epsilon for a word added or removed (2 epsilon where max_length is set), 2 epsilon
for a word replaced, n epsilon for a document of at most n = max_length tokens. Of token vectors: 2 epsilon
for a word replaced, and none for other changes, as their number shows. Vectors are drawn once and
remembered, and all that leaves is computed from them: the number of rounds costs nothing. Public: vocabulary,
settings, n_topics of each party, its number of documents (and sentences); with token vectors the length of
every document too. Topic-wise normalization is a format: it encrypts nothing (`matching.normalize`).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.ftm import local_topics
from fedtopics.methods.ftm.integrated_topics import IntegratedTopics, packed, unpacked
from fedtopics.methods.ftm.vectors import HistogramVectors, TokenVectors, Vectors
from fedtopics.model.matching import WeightedTopics
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.protocol.method import About
from fedtopics.protocol.turn import Arrays, Party, Turn


@dataclass(frozen=True)
class Ftm(IntegratedTopics):
    release: str = "histograms"  # or "tokens": what one noisy vector covers
    burstiness: float = 0.3  # in document histograms; 0: Poisson counts

    about: ClassVar[About] = About(
        summary="few rounds, parties with different numbers of topics",
        guarantee="epsilon for a word added or removed, for all rounds",
        citation="Jiang et al., CIKM 2019 and ACM TIST 2021",
    )
    variant: ClassVar[str | None] = "sound"

    def __post_init__(self) -> None:
        if self.release not in ("histograms", "tokens"):
            raise InputError(f"release must be histograms or tokens, got {quoted(self.release)}")
        if not 0 <= self.burstiness < 1:
            raise InputError(f"burstiness must be at least 0 and below 1, got {self.burstiness}")
        super().__post_init__()

    def shows(self) -> tuple[str, ...]:
        lengths = ("the number of words of each document",) if self.release == "tokens" else ()
        return (*lengths, *super().shows())

    def vectors(self, n_words: int) -> Vectors:
        sentences = self.unit == "sentence"
        if self.release == "tokens":
            return TokenVectors(self.token_vectors(n_words), sentences)
        mechanism = Histogram(self.epsilon, n_words, bounds=Bounds(max_length=self.max_length))
        return HistogramVectors(mechanism, sentences, 0.0 if sentences else self.burstiness)

    def tell(self, state: Arrays, party: str) -> Arrays:
        if f"members/{party}" not in state:
            return {}
        whole, members = unpacked(state, "global"), state[f"members/{party}"]
        return packed(WeightedTopics(whole.probabilities[members], whole.weights[members]))

    def train(self, vectors: Vectors, released: Arrays, party: Party, told: Arrays, turn: Turn) -> Arrays:
        settings, memory, others = self.training(party.name), party.memory, None
        if told and "counts" in memory:
            others = np.maximum(told["topics"] * told["weights"][:, None] - memory["counts"], 0.0)
        if vectors.sentences:
            units = vectors.units(released)
            local = local_topics.by_units(units, memory, told.get("topics"), others, settings, turn)
        else:
            local = vectors.by_em(released, memory, others, settings, turn)
        return local if others is None else local | {"others": others.astype(np.float32)}


METHOD = Ftm
