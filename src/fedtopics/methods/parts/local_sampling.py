"""One turn of plain LDA sampling: what the non-private methods do with the documents they hold."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Turn
from fedtopics.sampling import lda


@dataclass(frozen=True)
class LocalSampling(Method):
    """Hyper-parameters of plain LDA, and the two steps every such method is made of."""

    n_topics: int = 50
    n_rounds: int = 20
    n_sweeps: int = 10  # per round
    alpha: float = 0.1
    beta: float = 0.05
    sampler: str = "auto"  # or "gibbs", "warp", "metropolis"

    def resample(
        self,
        corpus: Corpus,
        topics: NDArray[Any] | None,
        turn: Turn,
        others: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """The topics of all tokens after this turn's sweeps; drawn uniformly first where there are none."""
        if corpus.n_tokens == 0:  # a party none of whose words are in the vocabulary
            return np.zeros(0, np.uint16)
        if topics is None:
            state = lda.start(corpus, self.n_topics, turn.seed)
        else:
            state = lda.State(topics, turn.round * self.n_sweeps)
        priors = lda.Priors.symmetric(self.n_topics, self.alpha, self.beta)
        return lda.sweep(
            corpus,
            state,
            priors,
            seed=turn.seed,
            n_sweeps=self.n_sweeps,
            sampler=self.sampler,
            n_threads=turn.n_threads,
            others=others,
        ).topics

    def topic_model(self, n_wk: NDArray[Any], vocabulary: tuple[str, ...]) -> TopicModel:
        """Posterior mean of the topics given word-topic counts."""
        return TopicModel.from_counts(n_wk.T, vocabulary, alpha=self.alpha, beta=self.beta)
