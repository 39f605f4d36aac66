"""Topics from reports that users made once: what the server does with them, round after round, for free.

The server holds words that users reported through a known channel and samples the topics of those words
(`sampling/noisy_words.py`): plain LDA, a uniform background for what the channel made up, and under every
topic a base of the private unigram, the word frequencies that the reports themselves give. All of it is
computed from what has left the users already.

A few reports, half of those of every twentieth document, are kept out of training: they tell whether the
topics predict better than the private unigram, and the server warns where they do not.
"""

import logging
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus, require_words
from fedtopics.errors import InputError
from fedtopics.methods.parts.reports import Law, Reported, row_lengths
from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.hearing import Hearing
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import lda, noisy_words

logger = logging.getLogger(__name__)
HELD_OUT = 20  # one document in so many is watched
ENOUGH = 100  # held-out reports, below which nothing is said
TOTAL_ALPHA = 5.0  # of the mixtures that complete documents, as in the evaluation
MOST_SMOOTHING = 0.2  # of the reports of a topic: more from beta would drown what few reports say


@dataclass(frozen=True)
class ReportSampling(Method):
    """A method whose users report once: it says what they report."""

    n_topics: int = 50
    n_rounds: int = 60
    n_sweeps: int = 5  # in a round
    alpha: float = 0.1
    beta: float = 0.05
    base: float = 0.01  # private unigram under each topic, as a share of the reports per topic

    @abstractmethod
    def reported(self, n_words: int) -> Reported:
        """[anyone] What its users report."""

    def prices(self, n_words: int) -> list[Cost]:
        require_words(n_words)
        return [self.reported(n_words).mechanism.price()]

    def hearing(self, model: TopicModel) -> Hearing:
        return self.reported(model.n_words).hearing()

    def check_sampling(self) -> None:
        """Refuse settings that no sampler has."""
        if not (self.alpha > 0 and self.beta > 0 and self.base >= 0 and self.n_sweeps > 0):
            given = f"{self.alpha}, {self.beta}, {self.base} and {self.n_sweeps}"
            raise InputError(f"alpha, beta and n_sweeps must be above 0, base at least 0, got {given}")

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {
            "words": np.zeros(0, np.int32),
            "offsets": np.zeros(1, np.int64),
            "topics": np.zeros(0, np.uint16),
            "held_words": np.zeros(0, np.int32),
            "held_docs": np.zeros(0, np.int64),
            "reported": np.zeros(n_words, np.int64),
            "n_docs": np.array(0),
        }

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if party.memory:
            return reuse({}), party.memory
        reports = self.reported(party.corpus.n_words).made(party.corpus, turn.noise())
        return reports, {"reported": np.array(True)}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        for arrays in sent.values():
            state = self._added(state, arrays, turn) if arrays else state
        if "topics" not in state or not len(state["words"]):
            return state
        corpus, law = _corpus(state), self.law(state)
        others = self.base * corpus.n_tokens / self.n_topics * law.unigram[:, None]
        sampled = noisy_words.sweep(
            corpus,
            lda.State(state["topics"], turn.round * self.n_sweeps),
            lda.Priors.symmetric(self.n_topics, self.alpha, self._smoothing(state)),
            background=law.background,
            seed=turn.seed,
            n_sweeps=self.n_sweeps,
            others=np.repeat(others, self.n_topics, axis=1),
        )
        counts = noisy_words.word_topic_counts(corpus, sampled.topics, self.n_topics) + others
        n_samples = float(state.get("n_samples", 0.0)) if 2 * turn.round > self.n_rounds else 0.0
        mean = (n_samples * state["counts"] + counts) / (n_samples + 1) if n_samples else counts
        state = state | {"topics": sampled.topics, "counts": mean, "n_samples": np.array(n_samples + 1)}
        if turn.round == self.n_rounds - 1:
            self._compare(state, law)
        return state

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if "counts" not in state:
            raise InputError("expected reports of at least one document, got none; run again")
        beta = self._smoothing(state)
        return TopicModel.from_counts(state["counts"].T, vocabulary, alpha=self.alpha, beta=beta)

    def law(self, state: Arrays) -> Law:
        """What the reports that are not held out say, as those of a few documents less."""
        kept, held = len(state["words"]), len(state["held_words"])
        n_docs = round(int(state["n_docs"]) * kept / max(1, kept + held))
        return self.reported(len(state["reported"])).read(state["reported"], n_docs)

    def gains(self, state: Arrays, law: Law) -> NDArray[np.float64]:
        """Log likelihood of each held-out report under the topics less that under the private unigram."""
        smooth = state["counts"] + self._smoothing(state)
        phi = smooth / smooth.sum(axis=0)
        alpha = np.full(self.n_topics, TOTAL_ALPHA / self.n_topics)
        theta = lda.fold_in(_corpus(state), phi.T, alpha)
        words = state["held_words"]
        predicted = np.einsum("nk,nk->n", theta[state["held_docs"]], phi[words])
        return np.asarray(np.log(predicted + law.background) - np.log(law.unigram[words] + law.background))

    def _smoothing(self, state: Arrays) -> float:
        """beta, or less where reports are few for so many words."""
        n_cells = self.n_topics * len(state["reported"])
        return min(self.beta, MOST_SMOOTHING * len(state["words"]) / n_cells)

    def _compare(self, state: Arrays, law: Law) -> None:
        if len(state["held_words"]) < ENOUGH:
            return
        gains = self.gains(state, law)
        mean, error = float(gains.mean()), float(gains.std() / len(gains) ** 0.5)
        if mean <= 2 * error:
            logger.warning(
                "the topics predict held-out reports no better than the private word frequencies (by %.3f "
                "nats a report, standard error %.3f); use more users, fewer words or a larger epsilon",
                mean,
                error,
            )

    def _added(self, state: Arrays, arrays: Arrays, turn: Turn) -> Arrays:
        """The state with the reports of one party, their topics drawn uniformly."""
        n_words = len(state["reported"])
        check(arrays, n_words)
        words = arrays["words"].reshape(-1).astype(np.int32)
        lengths = row_lengths(arrays)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        known = words < n_words
        place = np.arange(len(words)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        n_before = int(state["n_docs"])
        held = known & ((rows + n_before) % HELD_OUT == HELD_OUT - 1) & (place % 2 == 1)
        kept = known & ~held
        ends = np.cumsum(np.bincount(rows[kept], minlength=len(lengths))) + len(state["words"])
        topics = turn.generator().integers(0, self.n_topics, int(kept.sum())).astype(np.uint16)
        return state | {
            "words": np.concatenate([state["words"], words[kept]]),
            "offsets": np.concatenate([state["offsets"], ends]),
            "topics": np.concatenate([state["topics"], topics]),
            "held_words": np.concatenate([state["held_words"], words[held]]),
            "held_docs": np.concatenate([state["held_docs"], rows[held] + n_before]),
            "reported": state["reported"] + np.bincount(words[kept], minlength=n_words),
            "n_docs": np.array(n_before + len(lengths)),
        }


def check(arrays: Arrays, n_words: int) -> None:
    """Refuse reports that belong to no users or name no word, before anything large is made of them."""
    words = arrays["words"]
    if words.ndim == 1 and arrays["lengths"].sum(dtype=np.int64) != len(words):
        raise InputError(f"expected as many reports as the users have, got {len(words)}; send them again")
    most = n_words if words.ndim == 2 else n_words - 1  # in a table n_words says that there is no word
    if words.size and not 0 <= int(words.min()) <= int(words.max()) <= most:
        raise InputError(f"expected words from 0 to {most}, got others; use one vocabulary")


def _corpus(state: Arrays) -> Corpus:
    """The reports as documents; the server knows words by their ids alone."""
    return Corpus(state["words"], state["offsets"], tuple(map(str, range(len(state["reported"])))))
