"""FedLDA as printed: federated LDA among users with one document each, by local privacy.

Y. Wang, Y. Tong, D. Shi, Federated latent Dirichlet allocation: a local differential privacy based framework,
AAAI 2020. A user is a document; a party holds many of them (in deployment: one).

    round t  server:  phi_kw ~ n_kw + beta; send phi
             user:    draw the topic of each token under phi, by Gibbs or Metropolis-Hastings;
                      make a tuple (w, k1, k2) of each token, pad them to M with dummies, draw l of the M;
                      put w through the channel: rrp (random response with priori), krr, t-krr, hm, none
             server:  absolute: n_kw <- this round's tuples (w, k2);  running: n_kw += (w, k2) - (w, k1)

Guarantee: **none**. RRP is not locally differentially private: its Theorem 1 does not hold (exact delta 0.953
at epsilon 7.5 where 0.2 is claimed, `prior_response`), theta shapes the noise, and k1 and k2 travel in the
clear under every channel. What the paper claims of one tuple stands in the ledger as a claim.

Settled where the paper is silent: k1 is the topic last reported; a dummy is a symbol of the channel, else it
shows how many words changed, and carries topics of its document; counts below zero are zero; the channels are
as `methods/fedlda/tuple_channels.py` has them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus, require_words
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.fedlda import update_tuples
from fedtopics.methods.fedlda.tuple_channels import CHANNELS, TupleChannel, frequent, senders
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.prior_response import flip_probability
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.hearing import Hearing
from fedtopics.protocol.method import About, Method
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import lda

PARTY = "party/"
TINY = float(np.finfo(np.float32).tiny)
WARNING = (
    "FedLDA as printed is not locally differentially private: under every channel the topics of the words "
    "travel in the clear, and RRP keeps no epsilon for the words either; what the paper claims is shown as "
    "claimed. Use variant=sound for a guarantee"
)


@dataclass(frozen=True)
class PrintedFedLda(Method):
    epsilon: float = 7.5  # nominal, of one tuple
    n_topics: int = 30
    n_rounds: int = 60
    channel: str = "rrp"  # or "krr", "t-krr", "hm", "none"
    n_reports: int | None = None  # l, of a user; 0.7 max_length where not given
    max_length: int = 150  # M: longer documents keep their first tokens, shorter ones are padded
    delta: float = 0.1  # mass of a topic's deserted words (rrp) and of the words left out (t-krr)
    gamma: float | None = None  # exponent of Zipf's law in rrp; None: infinite, as in the paper's figures
    counting: str = "absolute"  # a round's counts replace those before it, or "running": add to them
    sampler: str = "gibbs"  # or "metropolis"; of the users
    alpha: float = 0.1
    beta: float = 0.05

    about: ClassVar[About] = About(
        summary="users with one document each report words and topics; as printed",
        guarantee="none: RRP is not LDP, and topics travel in the clear",
        citation="Wang, Tong and Shi, AAAI 2020",
    )
    variant: ClassVar[str | None] = "paper"
    heard_with: ClassVar[tuple[Mapping[str, Any], ...]] = tuple(
        {"channel": name, "epsilon": 7.5} for name in CHANNELS if name != "none"
    )

    def __post_init__(self) -> None:
        choices = {
            "channel": (self.channel, CHANNELS),
            "counting": (self.counting, ("absolute", "running")),
            "sampler": (self.sampler, ("gibbs", "metropolis")),
        }
        for name, (value, allowed) in choices.items():
            if value not in allowed:
                raise InputError(f"{name} must be one of {', '.join(allowed)}, got {quoted(value)}")
        Bounds(max_length=self.max_length)
        if not 0 < self.delta < 1:
            raise InputError(f"delta must lie between 0 and 1, got {self.delta}")
        flip_probability(self.epsilon, self.delta, self.tuple_channel.gamma)
        if not (self.alpha > 0 and self.beta > 0):
            raise InputError(f"alpha and beta must be above 0, got {self.alpha} and {self.beta}")
        if type(self.n_sent) is not int or not 0 < self.n_sent <= self.max_length:
            raise InputError(f"n_reports must lie between 1 and max_length, got {quoted(self.n_reports)}")

    def in_force(self, n_words: int) -> dict[str, Any]:
        return super().in_force(n_words) | {"n_reports": self.n_sent}

    def notes(self, n_words: int) -> list[str]:
        return [WARNING]

    def prices(self, n_words: int) -> list[Cost]:
        require_words(n_words)
        return [self.tuple_channel.price()] * self.n_rounds

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {"counts": np.zeros((self.n_topics, n_words))}

    def broadcast(self, state: Arrays) -> Arrays:
        counts = np.maximum(state["counts"], 0) + self.beta
        phi = (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)
        return {"phi": phi} | ({"kept": state["kept"]} if "kept" in state else {})

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        phi = Numbers("float32", (self.n_topics, n_words), TINY, 1.0, sums_to_one=1)
        kept = Numbers("int64", (range(2, n_words + 1),), most=n_words - 1, distinct=True)
        return [{"phi": phi}, *([{"phi": phi, "kept": kept}] if self.channel == "t-krr" else [])]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        corpus = update_tuples.first_tokens(party.corpus, self.max_length)
        phi, memory = told["phi"].astype(np.float64), party.memory
        reported = memory.get("reported", np.full(corpus.n_tokens, self.n_topics, np.uint16))
        topics = self._topics(corpus, memory, phi, turn) if corpus.n_tokens else reported
        running, sizes = self.counting == "running", (self.n_sent, self.max_length)
        tuples = update_tuples.drawn(corpus, topics, reported, sizes, turn.generator(), only_changes=running)
        real = tuples.tokens[tuples.tokens >= 0]
        known = reported.copy()
        known[real] = topics[real]
        theta = update_tuples.mixtures(corpus, topics, self.n_topics, self.alpha)
        sent = self.tuple_channel(tuples, theta, told, turn.noise(), running=running)
        return sent, {"topics": topics, "reported": known}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        n_words = state["counts"].shape[1]
        kept = {name: array for name, array in state.items() if name.startswith(PARTY)}
        known = {"kept": state["kept"]} if "kept" in state else {}
        for name, arrays in sent.items():
            before = kept.get(PARTY + name, 0.0) if self.counting == "running" else 0.0
            kept[PARTY + name] = before + self.tuple_channel.counts(arrays, known, n_words)
        total = sum((kept[name] for name in sorted(kept)), start=np.zeros_like(state["counts"]))
        if self.channel == "t-krr" and sent and not known:
            known = {"kept": frequent(total, self.delta)}
        return kept | known | {"counts": total}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        return TopicModel.from_counts(state["counts"], vocabulary, alpha=self.alpha, beta=self.beta)

    def hearing(self, model: TopicModel) -> Hearing:
        """Every round tells again; words beyond M are never told."""
        stays, false = self.tuple_channel.heard(model)
        told = self.n_rounds * self.n_sent
        reported = partial(update_tuples.first_tokens, most=self.max_length)
        return Hearing(told / self.max_length * stays, told * false, senders, reported)

    @property
    def n_sent(self) -> int:
        """l: reports of a user."""
        return max(1, round(0.7 * self.max_length)) if self.n_reports is None else self.n_reports

    @property
    def tuple_channel(self) -> TupleChannel:
        """What the words of tuples go through."""
        gamma = inf if self.gamma is None else self.gamma
        return TupleChannel(self.channel, self.epsilon, self.delta, gamma, self.n_topics)

    def _topics(
        self, corpus: Corpus, memory: Arrays, phi: NDArray[np.float64], turn: Turn
    ) -> NDArray[np.uint16]:
        """The topic of each token after one more sweep under the broadcast topics."""
        before = memory["topics"] if memory else lda.start(corpus, self.n_topics, turn.seed).topics
        return lda.assign(
            corpus,
            lda.State(before, turn.round),
            phi,
            np.full(self.n_topics, self.alpha),
            seed=turn.seed,
            sampler=self.sampler,
            n_threads=turn.n_threads,
        ).topics


METHOD = PrintedFedLda
