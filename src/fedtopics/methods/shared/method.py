"""Shared: non-private federated LDA by summed counts, the upper bound for every federated method.

Round t:
    server:  send N, the word-topic counts of all parties
    party:   t = 0: every token in a uniform topic
             resample the topics of its tokens given N less its own counts;  send its own counts n
    server:  N <- sum of n over the parties that are there

With one sweep a round this is the approximate distributed sampler of [1]: its quality is that of collapsed
Gibbs sampling on the pooled data. No raw text moves, but the counts are exact: **no privacy guarantee**.

[1] D. Newman, A. Asuncion, P. Smyth, M. Welling. Distributed algorithms for topic models. JMLR 10, 2009.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.parts import continuing, party_amounts
from fedtopics.methods.parts.local_sampling import LocalSampling
from fedtopics.methods.shared import earlier_documents
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import INFINITE, Cost
from fedtopics.privacy.price.release import Release, disclose
from fedtopics.protocol.method import About
from fedtopics.protocol.summing import Total
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import lda


@dataclass(frozen=True)
class Shared(LocalSampling):
    n_rounds: int = 200
    n_sweeps: int = 1

    about: ClassVar[About] = About(
        summary="federated LDA by summed counts",
        guarantee="none: exact counts leave every party",
        citation="Newman et al., JMLR 2009",
    )
    sums: ClassVar[Mapping[str, int] | None] = {"n_wk": 0, continuing.KEPT: 0}
    rounds_again: ClassVar[float] = 1 / 3
    in_shards: ClassVar[bool] = True

    def prices(self, n_words: int) -> list[Cost]:
        return [INFINITE] * self.n_rounds

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {"n_wk": np.zeros((n_words, self.n_topics), np.int32)}

    def continued(self, model: TopicModel) -> Arrays:
        found = continuing.earlier(model, self.n_topics)
        begun = np.rint(found[continuing.EARLIER]).astype(np.int32)
        return found | {continuing.EARLIER: begun, "n_wk": begun}

    def kept(self, party: Party) -> Arrays:
        if "topics" not in party.memory:
            return {}
        corpus, _, _ = earlier_documents.joined(party)
        return earlier_documents.kept(corpus, party.memory["topics"])

    def resumed(self, kept: Arrays, n_words: int) -> Arrays:
        return earlier_documents.resumed(kept, n_words, self.n_topics)

    def broadcast(self, state: Arrays) -> Arrays:
        return {"n_wk": state["n_wk"]} | continuing.told(state)

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return continuing.forms([{"n_wk": Numbers("int32", (n_words, self.n_topics))}])

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        # Where the server lacks our last answer, what it tells has less than our counts of some words.
        others = np.maximum(told["n_wk"] - party.memory.get("n_wk", 0), 0)
        corpus, before, n_before = earlier_documents.joined(party)
        topics = party.memory.get("topics")
        if topics is None and n_before:
            topics = np.concatenate([before, lda.start(party.corpus, self.n_topics, turn.seed).topics])
        topics = self.resample(corpus, topics, turn, others)
        n_wk = lda.word_topic_counts(corpus, topics, self.n_topics)
        memory = earlier_documents.carried(party.memory) | {"topics": topics, "n_wk": n_wk}
        return disclose({"n_wk": n_wk} | continuing.sent(told, n_before)), memory

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return super().combine(state, sent, turn) | party_amounts.noted(state, sent, "n_wk")

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        if not total.parties:
            return state
        n_wk = total.arrays["n_wk"].astype(np.int32)
        again = continuing.noted(state, total.arrays)
        if not again:
            return {"n_wk": n_wk}
        alone = np.rint(again[continuing.ALONE] * again[continuing.EARLIER]).astype(np.int32)
        return {"n_wk": n_wk + alone} | again

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        return self.topic_model(state["n_wk"], vocabulary)

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        return party_amounts.of(state)


METHOD = Shared
