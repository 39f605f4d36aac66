"""FTM and iFTM: federated topic modeling with heterogeneous parties, LDA and SentenceLDA.

Di Jiang et al., Federated topic modeling, CIKM 2019 (FTM); Industrial federated topic modeling, ACM TIST 2021
(iFTM).

    party, once    paper: x_i = one-hot vector of token i + Laplace noise of scale 1/epsilon, where > tau
                   sound: Y_d = word counts of document (sentence) d + discrete Laplace noise, where >= 1
    round t        server:  t > 0: send each party its topics, each replaced by the global one it went into
                   party:   n_local iterations on x (Y) alone, from those topics;
                            send its topics, normalized, and the amount of data behind each
                   server:  fold the parties' topics into the global model (`integration.py`): matched ones
                            become (sum w_i z_i) / (sum w_i), the others stand for themselves

    variant   paper                                  sound
    local     Metropolis-Hastings, likelihood        word: channel-aware EM;  sentence: the same chain, with
              exp(sum_w x_w log phi_kw), phi drawn   the likelihood of Y under the law of its noise
    starts    anew from the topics received          where the last round ended; the topics' counts at other
              (meta-learning)                        parties stay in every estimate of phi
    matching  weighted Jaccard, top_words, xi 0.3    one-to-one, Bhattacharyya, xi 0.5, smoothing base off

Guarantee of histograms: epsilon for a word added or removed (2 epsilon where max_length is set), 2 epsilon
for a word replaced, n epsilon for a document of at most n = max_length tokens. Of token vectors: 2 epsilon
for a word replaced, and none for other changes, as their number shows. Vectors are drawn once and
remembered, and all that leaves is computed from them: the number of rounds costs nothing. Public: vocabulary,
settings, n_topics of each party, its number of documents (and sentences); with token vectors the length of
every document too.

Corrections to the printed algorithms, in both variants. The acceptance ratio (FTM 12, 15; iFTM 21, 26) has
the proposal upside down, and even the right form (FTM 13; iFTM 19, 27) is biased, as the proposal contains
the token itself: here it never does. A sentence moves as a whole (iFTM Alg. 2, 17-19 moves its words). phi is
drawn in log space, as small gamma draws underflow. The first round has local iterations too (Alg. 1). A
global topic is taken out of the composition only when it was used (Alg. 3). Counts and proposals come from
privatized vectors, as with raw ones there is no finite epsilon. Topic-wise normalization is kept as a format:
it encrypts nothing (`integration.normalize`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.methods.ftm import local_topics
from fedtopics.methods.ftm.local_topics import Training
from fedtopics.methods.ftm.vectors import Vectors
from fedtopics.model import TopicModel, matching
from fedtopics.model.matching import Matching, Topics
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.price.release import Cost, Release
from fedtopics.protocol.method import About, ToldTopics
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ftm:
    epsilon: float = 8.0  # word add/remove
    n_topics: int = 50
    topics_per_party: Mapping[str, int] | None = None  # topics by party name; the others have n_topics
    n_rounds: int = 5
    n_local: int = 30  # iterations of a party in a round
    unit: str = "word"  # LDA; "sentence": SentenceLDA, all words of a sentence share a topic
    variant: str = "sound"  # or "paper"
    release: str | None = None  # "tokens" or "histograms", where not the variant's own
    tau: float = 0.2  # threshold of token vectors
    matching: str | None = None  # "assignment" or "jaccard", where not the variant's own
    xi: float | None = None  # least similarity of topics that are merged
    top_words: int = 50  # words of each topic that jaccard compares
    alpha: float = 0.1
    beta: float = 0.05
    burstiness: float = 0.3  # in document histograms; 0: Poisson counts
    max_length: int | None = None  # public bound on the tokens of a document; prices whole documents

    about: ClassVar[About] = About(
        summary="few rounds, parties with different numbers of topics",
        guarantee="epsilon for a word added or removed (paper: 2 epsilon for one replaced), for all rounds",
        citation="Jiang et al., CIKM 2019 and ACM TIST 2021",
    )
    told_topics: ClassVar[ToldTopics] = ToldTopics("topics", word_axis=1)

    def __post_init__(self) -> None:
        for name, allowed in (("unit", ("word", "sentence")), ("variant", ("sound", "paper"))):
            if getattr(self, name) not in allowed:
                raise InputError(f"{name} must be {' or '.join(allowed)}, got {getattr(self, name)!r}")
        if self.release not in (None, "tokens") and (self.release != "histograms" or self._paper):
            raise InputError(f"release must be tokens, or histograms where sound, got {self.release!r}")
        if not (self.alpha > 0 and self.beta > 0 and self.n_local > 0):
            given = f"{self.alpha}, {self.beta} and {self.n_local}"
            raise InputError(f"alpha, beta and n_local must be above 0, got {given}")
        if not 0 <= self.burstiness < 1:
            raise InputError(f"burstiness must be at least 0 and below 1, got {self.burstiness}")
        if not 0 <= self.tau < 1:
            raise InputError(f"tau must be at least 0 and below 1, got {self.tau}")
        if self.topics_per_party is not None and not isinstance(self.topics_per_party, Mapping):
            raise InputError(f"expected party names and numbers of topics, got {self.topics_per_party!r}")
        for name, n_topics in (self.topics_per_party or {}).items():
            if not isinstance(n_topics, int) or n_topics < 2:
                raise InputError(f"party {name!r} needs at least 2 topics, got {n_topics!r}")
        self._vectors(1)
        self._matching()

    def in_force(self, n_words: int) -> dict[str, Any]:
        release = "tokens" if self._paper else "histograms"
        return {"release": self.release or release, "matching": self._matching().kind}

    def shows(self) -> tuple[str, ...]:
        tokens, sentences = self._paper or self.release == "tokens", self.unit == "sentence"
        return (
            *(("the number of words of each document",) if tokens else ()),
            *(("the number of sentences of each document",) if sentences else ()),
        )

    def prices(self, n_words: int) -> list[Cost]:
        return [self._vectors(n_words).mechanism.price()]

    def start(self, n_words: int, turn: Turn) -> Arrays:
        self._matching().check(n_words)
        return {}

    def broadcast(self, state: Arrays, party: str) -> Arrays:
        if f"members/{party}" not in state:
            return {}
        whole = _unpacked(state, "global")
        if not self._paper:
            members = state[f"members/{party}"]
            return _packed(Topics(whole.probabilities[members], whole.weights[members]))
        own = _unpacked(state, f"party/{party}")
        chosen = matching.compose(own, whole, self._matching())
        replaced = np.where((chosen < 0)[:, None], own.probabilities, whole.probabilities[chosen])
        return _packed(Topics(replaced, own.weights))

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        n_topics = self._topics_of(party)
        topics = Numbers("float32", (n_topics, n_words), most=1.0)
        return [{}, {"topics": topics, "weights": Numbers("float64", (n_topics,))}]

    def model_sizes(self, parties: tuple[str, ...]) -> range:
        return range(1, sum(map(self._topics_of, parties)) + 1)

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        vectors = self._vectors(party.corpus.n_words)
        released = vectors.release(party, turn)
        local = self._train(vectors, released.value, party, told, turn)
        sent = _packed(matching.normalize(local["counts"].astype(np.float64)))
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
        models = {name: self._weighted(_unpacked(known, f"party/{name}")) for name in names}
        names.sort(key=lambda name: -models[name].weights.sum())
        merged = matching.integrate([models[name] for name in names], self._matching())
        members = {f"members/{name}": went for name, went in zip(names, merged.members, strict=True)}
        return known | members | {f"global/{key}": array for key, array in _packed(merged.topics).items()}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if not state:
            raise InputError("expected topics of at least one party, got none; run again")
        whole = _unpacked(state, "global")
        counts = whole.probabilities * whole.weights[:, None]
        return TopicModel.from_counts(counts, vocabulary, alpha=self.alpha, beta=self.beta)

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        n_topics = len(state["global/weights"])
        parties = [key.removeprefix("members/") for key in state if key.startswith("members/")]
        return {
            name: np.bincount(state[f"members/{name}"], state[f"party/{name}/weights"], n_topics)
            for name in parties
        }

    def local_model(self, party: Party) -> TopicModel:
        counts = party.memory["counts"] + party.memory.get("others", 0)
        return TopicModel.from_counts(counts, party.corpus.vocabulary, alpha=self.alpha, beta=self.beta)

    @property
    def _paper(self) -> bool:
        return self.variant == "paper"

    def _topics_of(self, party: str) -> int:
        return (self.topics_per_party or {}).get(party, self.n_topics)

    def _matching(self) -> Matching:
        kind = self.matching or ("jaccard" if self._paper else "assignment")
        return Matching(kind, self.xi, self.top_words)

    def _vectors(self, n_words: int) -> Vectors:
        bounds = Bounds(max_length=self.max_length)
        mechanism: Histogram | OneHot = Histogram(self.epsilon, n_words, bounds=bounds)
        if self._paper or self.release == "tokens":
            # tau 0 keeps whatever is above 0: one step of the grid.
            mechanism = OneHot(self.epsilon, n_words, max(self.tau, 1e-9), bounds=bounds)
        sentences = self.unit == "sentence"
        return Vectors(mechanism, sentences, self._paper, 0.0 if sentences else self.burstiness)

    def _weighted(self, topics: Topics) -> Topics:
        """By the data behind each topic; in the papers, by that of its party."""
        if not self._paper:
            return topics
        return Topics(topics.probabilities, np.full(len(topics.weights), topics.weights.sum()))

    def _train(self, vectors: Vectors, released: Arrays, party: Party, told: Arrays, turn: Turn) -> Arrays:
        settings = Training(self._topics_of(party.name), self.n_local, self.alpha, self.beta)
        others = None
        if told and "counts" in party.memory and not self._paper:
            others = np.maximum(told["topics"] * told["weights"][:, None] - party.memory["counts"], 0.0)
        if isinstance(vectors.mechanism, Histogram) and not vectors.sentences:
            histograms = vectors.histograms(released)
            local = local_topics.by_histograms(histograms, party.memory, others, settings, turn)
        elif not vectors.sentences and not self._paper:
            reports = vectors.reports(released)
            local = local_topics.by_reports(reports, party.memory, others, settings, turn)
        else:
            units = vectors.units(released)
            local = local_topics.by_units(units, party.memory, told.get("topics"), others, settings, turn)
        return local if others is None else local | {"others": others.astype(np.float32)}


def _packed(topics: Topics) -> Arrays:
    return {"topics": topics.probabilities.astype(np.float32), "weights": topics.weights}


def _unpacked(arrays: Arrays, place: str) -> Topics:
    return Topics(arrays[f"{place}/topics"].astype(np.float64), arrays[f"{place}/weights"])


METHOD = Ftm
