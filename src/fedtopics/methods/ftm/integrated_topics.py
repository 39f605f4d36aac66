"""Topics of parties that are folded into one model, round after round: what both variants of FTM are made of.

    round t   server:  t > 0: send each party its topics, each replaced by the global one it went into
              party:   send its topics, normalized, and the amount of data behind each
              server:  fold the parties' topics into the global model (`model/matching.py`): matched ones
                       become (sum w_i z_i) / (sum w_i), the others stand for themselves
    in the end         topics that are most alike are joined until n_topics are left (`model/tree.py`), or
                       as many as the largest party has, where `reduce` says so

Parties may have different numbers of topics. A party that misses a round keeps the topics it sent last.
"""

import logging
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.ftm.unit_chain import Training
from fedtopics.methods.ftm.vectors import Vectors
from fedtopics.model import TopicModel, matching, tree
from fedtopics.model.matching import Matching, WeightedTopics
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.method import Method, ToldTopics
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class IntegratedTopics(Method):
    """A variant says which vectors it releases, how it trains on them, and what it tells a party."""

    epsilon: float = 8.0  # word add/remove
    n_topics: int = 50
    topics_per_party: Mapping[str, int] | None = None  # topics by party name; the others have n_topics
    n_rounds: int = 5
    n_local: int = 30  # iterations of a party in a round
    unit: str = "word"  # LDA; "sentence": SentenceLDA, all words of a sentence share a topic
    tau: float = 0.2  # threshold of token vectors
    matching: str = "assignment"  # or "jaccard"
    xi: float | None = None  # least similarity of topics that are merged
    top_words: int = 50  # words of each topic that jaccard compares
    alpha: float = 0.1
    beta: float = 0.05
    max_length: int | None = None  # public bound on the tokens of a document; prices whole documents
    reduce: bool = True  # join topics in the end until n_topics are left, or what the largest party has

    told_topics: ClassVar[ToldTopics | None] = ToldTopics("topics", word_axis=1)

    def __post_init__(self) -> None:
        if self.unit not in ("word", "sentence"):
            raise InputError(f"unit must be word or sentence, got {quoted(self.unit)}")
        if not (self.alpha > 0 and self.beta > 0 and self.n_local > 0):
            given = f"{self.alpha}, {self.beta} and {self.n_local}"
            raise InputError(f"alpha, beta and n_local must be above 0, got {given}")
        if not 0 <= self.tau < 1:
            raise InputError(f"tau must be at least 0 and below 1, got {self.tau}")
        if self.topics_per_party is not None and not isinstance(self.topics_per_party, Mapping):
            raise InputError(
                f"expected party names and numbers of topics, got {quoted(self.topics_per_party)}"
            )
        for name, n_topics in (self.topics_per_party or {}).items():
            if not isinstance(n_topics, int) or n_topics < 2:
                raise InputError(f"party {quoted(name)} needs at least 2 topics, got {quoted(n_topics)}")
        self.vectors(1)
        self.rule()

    @abstractmethod
    def vectors(self, n_words: int) -> Vectors:
        """What a party releases."""

    @abstractmethod
    def train(self, vectors: Vectors, released: Arrays, party: Party, told: Arrays, turn: Turn) -> Arrays:
        """[party] Counts (n_topics, n_words) of its topics and what else it remembers, from the vectors."""

    def weighted(self, topics: WeightedTopics) -> WeightedTopics:
        """[server] A party's topics with the weights that they have in the global model."""
        return topics

    def rule(self) -> Matching:
        """How topics are matched."""
        return Matching(self.matching, self.xi, self.top_words)

    def token_vectors(self, n_words: int) -> OneHot:
        """Noisy one-hot vectors; tau 0 keeps whatever is above 0: one step of the grid."""
        return OneHot(self.epsilon, n_words, max(self.tau, 1e-9), bounds=Bounds(max_length=self.max_length))

    def training(self, party: str) -> Training:
        return Training(self._topics_of(party), self.n_local, self.alpha, self.beta)

    def shows(self) -> tuple[str, ...]:
        return ("the number of sentences of each document",) if self.unit == "sentence" else ()

    def prices(self, n_words: int) -> list[Cost]:
        return [self.vectors(n_words).mechanism.price()]

    def start(self, n_words: int, turn: Turn) -> Arrays:
        self.rule().check(n_words)
        return {}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        n_topics = self._topics_of(party)
        topics = Numbers("float32", (n_topics, n_words), most=1.0)
        return [{}, {"topics": topics, "weights": Numbers("float64", (n_topics,))}]

    def model_sizes(self, parties: tuple[str, ...]) -> range:
        sizes = list(map(self._topics_of, parties))
        return range(1, (max(self.n_topics, *sizes) if self.reduce else sum(sizes)) + 1)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        vectors = self.vectors(party.corpus.n_words)
        released = vectors.release(party, turn)
        local = self.train(vectors, released.value, party, told, turn)
        sent = packed(matching.normalize(local["counts"].astype(np.float64)))
        return released.map(lambda _: sent), released.value | local

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        known = {key: array for key, array in state.items() if key.startswith("party/")}
        known |= {f"party/{name}/{key}": array for name, held in sent.items() for key, array in held.items()}
        names = sorted({key.split("/", 1)[1].rsplit("/", 1)[0] for key in known})
        absent = sorted(set(self.topics_per_party or ()) - set(names))
        if absent and turn.round == 0:
            logger.warning("topics_per_party names %s, which sent nothing yet", ", ".join(absent))
        if not names:
            return state
        models = {name: self.weighted(unpacked(known, f"party/{name}")) for name in names}
        names.sort(key=lambda name: -models[name].weights.sum())
        merged = matching.integrate([models[name] for name in names], self.rule())
        members = {f"members/{name}": went for name, went in zip(names, merged.members, strict=True)}
        return known | members | {f"global/{key}": array for key, array in packed(merged.topics).items()}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if not state:
            raise InputError("expected topics of at least one party, got none; run again")
        whole, (group, n_topics) = unpacked(state, "global"), self._joined(state)
        counts = np.zeros((n_topics, len(vocabulary)))
        np.add.at(counts, group, whole.probabilities * whole.weights[:, None])
        return TopicModel.from_counts(counts, vocabulary, alpha=self.alpha, beta=self.beta)

    def _joined(self, state: Arrays) -> tuple[NDArray[np.int64], int]:
        """The topic of the model that each global topic is part of, and how many there are."""
        whole = unpacked(state, "global")
        own = len(whole.weights)
        most = max(self.n_topics, *(self.topics_per_party or {}).values(), 0) if self.reduce else own
        if own <= most:
            return np.arange(own), own
        return tree.groups(tree.joins(whole.probabilities, whole.weights), most), most

    def remarks(self, state: Arrays) -> list[str]:
        n_topics = self._joined(state)[1] if state else self.n_topics
        if n_topics == self.n_topics:
            return []
        more = "parties have others of their own" + ("" if self.reduce else ", which reduce=true joins")
        why = more if n_topics > self.n_topics else "parties have that many in common and no others"
        return [f"the model has {n_topics} topics, not the {self.n_topics} that were asked for: {why}"]

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        group, n_topics = self._joined(state)
        parties = [key.removeprefix("members/") for key in state if key.startswith("members/")]
        return {
            name: np.bincount(group[state[f"members/{name}"]], state[f"party/{name}/weights"], n_topics)
            for name in parties
        }

    def local_model(self, party: Party) -> TopicModel:
        counts = party.memory["counts"] + party.memory.get("others", 0)
        return TopicModel.from_counts(counts, party.corpus.vocabulary, alpha=self.alpha, beta=self.beta)

    def _topics_of(self, party: str) -> int:
        return (self.topics_per_party or {}).get(party, self.n_topics)


def packed(topics: WeightedTopics) -> Arrays:
    """Topics as they travel."""
    return {"topics": topics.probabilities.astype(np.float32), "weights": topics.weights}


def unpacked(arrays: Arrays, place: str) -> WeightedTopics:
    """The topics at a place of the state."""
    return WeightedTopics(arrays[f"{place}/topics"].astype(np.float64), arrays[f"{place}/weights"])
