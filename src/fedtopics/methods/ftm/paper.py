"""FTM and iFTM as printed: federated topic modeling with heterogeneous parties, LDA and SentenceLDA.

Di Jiang et al., Federated topic modeling, CIKM 2019 (FTM); Industrial federated topic modeling, ACM TIST 2021
(iFTM).

    party, once    x_i = one-hot vector of token i + Laplace noise of scale 1/epsilon, where > tau
    round t        server:  t > 0: send each party its topics, each replaced by the global one most like it
                   party:   start anew from those topics (meta-learning); n_local sweeps of
                            Metropolis-Hastings on x alone, with the likelihood exp(sum_w x_w log phi_kw), phi
                            drawn from its Dirichlet distribution; send its topics, normalized, and the
                            amount of data behind each
                   server:  fold them into the global model (`integrated_topics.py`): weighted Jaccard
                            similarity of the top_words above xi = 0.3, weights by the data of a party

Guarantee: 2 epsilon for a word replaced, and none for other changes, as the number of vectors shows. Vectors
are drawn once and remembered, and all that leaves is computed from them: the number of rounds costs nothing.
Public: vocabulary, settings, n_topics of each party, its number of documents, their lengths (and sentences).

Corrections to the printed algorithms. The acceptance ratio (FTM 12, 15; iFTM 21, 26) has the proposal upside
down, and even the right form (FTM 13; iFTM 19, 27) is biased, as the proposal contains the token itself: here
it never does. A sentence moves as a whole (iFTM Alg. 2, 17-19 moves its words). phi is drawn in log space, as
small gamma draws underflow. The first round has local iterations too (Alg. 1). A global topic is taken out of
the composition only when it was used (Alg. 3). Counts and proposals come from privatized vectors, as with raw
ones there is no finite epsilon. Topic-wise normalization is kept as a format: it encrypts nothing
(`matching.normalize`).
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fedtopics.methods.ftm import unit_chain
from fedtopics.methods.ftm.integrated_topics import IntegratedTopics, packed, unpacked
from fedtopics.methods.ftm.vectors import TokenVectors, Vectors
from fedtopics.model import matching
from fedtopics.model.matching import WeightedTopics
from fedtopics.privacy.price.cost import Relation
from fedtopics.protocol.method import About
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import private_mh


@dataclass(frozen=True)
class PrintedFtm(IntegratedTopics):
    matching: str = "jaccard"  # or "assignment"
    reduce: bool = False  # True: join topics in the end until n_topics are left

    about: ClassVar[About] = About(
        summary="few rounds, parties with different numbers of topics; as printed",
        guarantee="2 epsilon for a word replaced, for all rounds",
        citation="Jiang et al., CIKM 2019 and ACM TIST 2021",
    )
    variant: ClassVar[str | None] = "paper"

    @property
    def protects(self) -> Relation:
        return "word replace"

    def shows(self) -> tuple[str, ...]:
        return ("the number of words of each document", *super().shows())

    def vectors(self, n_words: int) -> Vectors:
        return TokenVectors(self.token_vectors(n_words), self.unit == "sentence")

    def weighted(self, topics: WeightedTopics) -> WeightedTopics:
        """By the data of the party, not of each topic."""
        return WeightedTopics(topics.probabilities, np.full(len(topics.weights), topics.weights.sum()))

    def tell(self, state: Arrays, party: str) -> Arrays:
        if f"members/{party}" not in state:
            return {}
        own, whole = unpacked(state, f"party/{party}"), unpacked(state, "global")
        chosen = matching.compose(own, whole, self.rule())
        replaced = np.where((chosen < 0)[:, None], own.probabilities, whole.probabilities[chosen])
        return packed(WeightedTopics(replaced, own.weights))

    def train(self, vectors: Vectors, released: Arrays, party: Party, told: Arrays, turn: Turn) -> Arrays:
        settings, generator = self.training(party.name), turn.generator()
        steps = released["values"]
        grid = np.float32(self.token_vectors(1).grid)  # a power of two: nothing is rounded
        units = vectors.as_units(released, np.divide(steps, grid, dtype=np.float32), "plug_in")
        if told:
            chain = unit_chain.from_known(units, told["topics"], turn)
        else:
            chain = unit_chain.begun(units, settings, turn, generator)
        for number in range(settings.n_local):
            chain, counts = unit_chain.swept(units, chain, number, settings, turn)
            chain = replace(chain, log_phi=private_mh.draw_topics(counts, settings.beta, generator))
        return {"counts": np.ascontiguousarray(counts, np.float32), "topics": chain.topics}


METHOD = PrintedFtm
