"""FedLDA: federated LDA among users with one document each, by local privacy.

Y. Wang, Y. Tong, D. Shi, Federated latent Dirichlet allocation: a local differential privacy based framework,
AAAI 2020. A user is a document; a party holds many of them (in deployment: one).

paper  round t  server:  phi_kw ~ n_kw + beta; send phi
                user:    draw the topic of each token under phi, by Gibbs or Metropolis-Hastings;
                         make a tuple (w, k1, k2) of each token, pad them to M with dummies, draw l of the M;
                         put w through the channel: rrp (random response with priori), krr, t-krr, hm, none
                server:  absolute: n_kw <- this round's tuples (w, k2);  running: n_kw += (w, k2) - (w, k1)

sound  once     user:    report l words of the document: each by randomized response (krr), or l different
                         ones as the bits of one vector (ue)
       round t  server:  n_sweeps of Gibbs sampling on the reports (`methods/parts/noisy_reports.py`): a fixed
                         background for the channel's noise, and a base of the private unigram

Guarantee. sound: epsilon for a document replaced, epsilon / l for a word replaced; reports are made once and
remembered, so rounds cost nothing. Public: vocabulary, settings (l among them), number of users. Lengths are
hidden. paper: **none**. RRP is not locally differentially private: its Theorem 1 does not hold (exact delta
0.953 at epsilon 7.5 where 0.2 is claimed, `prior_response`), theta shapes the noise, and k1 and k2
travel in the clear under every channel. What the paper claims of one tuple stands in the ledger as a claim.

Settled where the paper is silent: k1 is the topic last reported; a dummy is a symbol of the channel, else it
shows how many words changed, and carries topics of its document; counts below zero are zero; the channels are
as `methods/fedlda/tuple_channels.py` has them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus, require_words
from fedtopics.errors import InputError
from fedtopics.methods.fedlda import update_tuples
from fedtopics.methods.fedlda.tuple_channels import CHANNELS, TupleChannel, frequent, small
from fedtopics.methods.parts import noisy_reports
from fedtopics.methods.parts.noisy_reports import ReportSampling
from fedtopics.model import TopicModel
from fedtopics.privacy.explain import worth
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.prior_response import flip_probability
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.privacy.price.release import Cost, Release, reuse
from fedtopics.protocol.method import About, Arrays, Form, Numbers, Party, Turn
from fedtopics.sampling import lda

PARTY = "party/"
TINY = float(np.finfo(np.float32).tiny)
OFFERED = {"paper": CHANNELS, "sound": ("krr", "ue")}
WARNING = (
    "FedLDA as printed is not locally differentially private: under every channel the topics of the words "
    "travel in the clear, and RRP keeps no epsilon for the words either; what the paper claims is shown as "
    "claimed. Use variant=sound for a guarantee"
)


@dataclass(frozen=True)
class FedLda:
    epsilon: float | None = None  # sound: of a document replaced, 128; paper: nominal, of one tuple, 7.5
    n_topics: int = 30
    n_rounds: int = 60
    variant: str = "sound"  # or "paper"
    channel: str | None = None  # paper: rrp, krr, t-krr, hm, none; sound: krr, ue
    n_reports: int | None = None  # l, of a user; paper: 0.7 max_length; sound: epsilon / (ln n_words + 2)
    max_length: int = 150  # M, paper: longer documents keep their first tokens, shorter ones are padded
    delta: float = 0.1  # mass of a topic's deserted words (rrp) and of the words left out (t-krr)
    gamma: float | None = None  # exponent of Zipf's law in rrp; None: infinite, as in the paper's figures
    counting: str = "absolute"  # a round's counts replace those before it, or "running": add to them; paper
    sampler: str = "gibbs"  # or "metropolis"; of the users, paper
    n_sweeps: int = 5  # of the server in a round, sound
    alpha: float = 0.1
    beta: float = 0.05
    base: float = 0.1  # private unigram under each topic, as a share of the reports per topic; sound

    about: ClassVar[About] = About(
        summary="users with one document each report words themselves",
        guarantee="sound: epsilon for a document replaced, for all rounds; paper: none, RRP is not LDP",
        citation="Wang, Tong and Shi, AAAI 2020",
    )

    def __post_init__(self) -> None:
        if self.variant not in OFFERED:
            raise InputError(f"variant must be sound or paper, got {self.variant!r}")
        choices = {
            "channel": (self._channel, OFFERED[self.variant]),
            "counting": (self.counting, ("absolute", "running")),
            "sampler": (self.sampler, ("gibbs", "metropolis")),
        }
        for name, (value, allowed) in choices.items():
            if value not in allowed:
                raise InputError(f"{name} must be one of {', '.join(allowed)}, got {value!r}")
        Bounds(max_length=self.max_length)
        if isinstance(self._epsilon, bool) or not isinstance(self._epsilon, int | float):
            raise InputError(f"epsilon must be a number, got {self.epsilon!r}")
        if not 0 < self.delta < 1:
            raise InputError(f"delta must lie between 0 and 1, got {self.delta}")
        flip_probability(self._epsilon, self.delta, self._gamma)
        if not (self.alpha > 0 and self.beta > 0 and self.base >= 0 and self.n_sweeps > 0):
            given = f"{self.alpha}, {self.beta}, {self.base} and {self.n_sweeps}"
            raise InputError(f"alpha, beta and n_sweeps must be above 0, base at least 0, got {given}")
        self.sizes(1000)

    def in_force(self, n_words: int) -> dict[str, Any]:
        return {"epsilon": self._epsilon, "channel": self._channel, "n_reports": self.sizes(n_words)[0]}

    def notes(self, n_words: int) -> list[str]:
        if self._paper:
            return [WARNING]
        word = self._epsilon / self.sizes(n_words)[0]
        if worth("document replace", self._epsilon, n_words) != "not protected":
            return []
        hidden = worth("word replace", word, n_words) != "not protected"
        rest = "is all that is promised" if hidden else "hides no single word either"
        return [
            f"epsilon {self._epsilon:.4g} (document replace) protects no document as a whole; "
            f"epsilon {word:.4g} (word replace) {rest}"
        ]

    def prices(self, n_words: int) -> list[Cost]:
        require_words(n_words)
        if self._paper:
            return [self.tuple_channel.price()] * self.n_rounds
        return [self.mechanism(n_words).price()]

    def start(self, n_words: int, turn: Turn) -> Arrays:
        if not self._paper:
            return noisy_reports.start(n_words)
        return {"counts": np.zeros((self.n_topics, n_words))}

    def broadcast(self, state: Arrays, party: str) -> Arrays:
        if not self._paper:
            return {}
        counts = np.maximum(state["counts"], 0) + self.beta
        phi = (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)
        return {"phi": phi} | ({"kept": state["kept"]} if "kept" in state else {})

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        if not self._paper:
            return [{}]
        phi = Numbers("float32", (self.n_topics, n_words), TINY, 1.0, sums_to_one=1)
        kept = Numbers("int64", (range(2, n_words + 1),), most=n_words - 1, distinct=True)
        return [{"phi": phi}, *([{"phi": phi, "kept": kept}] if self._channel == "t-krr" else [])]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if self._paper:
            return self._tuples(party, told, turn)
        if party.memory:
            return reuse({}), party.memory
        return self._reports(party, turn), {"reported": np.array(True)}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        if not self._paper:
            return self._server(len(state["reported"])).combine(state, sent, turn)
        n_words = state["counts"].shape[1]
        kept = {name: array for name, array in state.items() if name.startswith(PARTY)}
        known = {"kept": state["kept"]} if "kept" in state else {}
        for name, arrays in sent.items():
            before = kept.get(PARTY + name, 0.0) if self.counting == "running" else 0.0
            kept[PARTY + name] = before + self.tuple_channel.counts(arrays, known, n_words)
        total = sum((kept[name] for name in sorted(kept)), start=np.zeros_like(state["counts"]))
        if self._channel == "t-krr" and sent and not known:
            known = {"kept": frequent(total, self.delta)}
        return kept | known | {"counts": total}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if not self._paper:
            return self._server(len(vocabulary)).model(state, vocabulary)
        return TopicModel.from_counts(state["counts"], vocabulary, alpha=self.alpha, beta=self.beta)

    def local_model(self, party: Party) -> None:
        return None

    @property
    def _paper(self) -> bool:
        return self.variant == "paper"

    @property
    def _epsilon(self) -> float:
        return (7.5 if self._paper else 128.0) if self.epsilon is None else self.epsilon

    @property
    def _gamma(self) -> float:
        return inf if self.gamma is None else self.gamma

    @property
    def _channel(self) -> str:
        return OFFERED.get(self.variant, ("",))[0] if self.channel is None else self.channel

    @property
    def tuple_channel(self) -> TupleChannel:
        """What the words of tuples go through, paper."""
        return TupleChannel(self._channel, self._epsilon, self.delta, self._gamma, self.n_topics)

    def sizes(self, n_words: int) -> tuple[int, int]:
        """(l, M): reports of a user, and of how many tokens."""
        best = 0.7 * self.max_length if self._paper else self._epsilon / (log(n_words) + 2)
        if not isfinite(best):
            raise InputError(f"epsilon must be a finite number, got {self._epsilon}")
        n_reports = max(1, round(best)) if self.n_reports is None else self.n_reports
        if type(n_reports) is not int or n_reports < 1:
            raise InputError(f"n_reports must be a whole number above 0, got {n_reports!r}")
        if self._paper and n_reports > self.max_length:
            raise InputError(f"n_reports must be at most max_length = {self.max_length}, got {n_reports}")
        return n_reports, self.max_length

    def mechanism(self, n_words: int) -> SampledResponse | UnaryEncoding:
        """What the words of documents go through, sound."""
        n_reports = self.sizes(n_words)[0]
        epsilon = self._epsilon / n_reports
        if self._channel == "krr":
            return SampledResponse(epsilon, n_words, n_reports)
        return UnaryEncoding.informative(epsilon, n_words, n_reports, Bounds(max_length=n_reports))

    def _server(self, n_words: int) -> ReportSampling:
        mechanism = self.mechanism(n_words)

        def read(counts: NDArray[Any], n_docs: int) -> noisy_reports.Law:
            if isinstance(mechanism, SampledResponse):
                return noisy_reports.read_words(mechanism, counts, n_docs)
            return noisy_reports.read_bits(mechanism, counts, n_docs)

        return ReportSampling(
            self.n_topics, self.n_rounds, self.n_sweeps, self.alpha, self.beta, self.base, read
        )

    def _reports(self, party: Party, turn: Turn) -> Release[Arrays]:
        """What the users say once: words, n_words for "no word"."""
        corpus, noise = party.corpus, turn.noise()
        mechanism = self.mechanism(corpus.n_words)
        if isinstance(mechanism, SampledResponse):
            reports = mechanism(corpus.words, corpus.offsets, noise)
            return reports.map(lambda words: {"words": small(words, corpus.n_words)})
        bits = mechanism(corpus.words, corpus.offsets, noise, shuffle=True)
        return bits.map(noisy_reports.packed)

    def _tuples(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        corpus = update_tuples.first_tokens(party.corpus, self.max_length)
        phi, memory = told["phi"].astype(np.float64), party.memory
        reported = memory.get("reported", np.full(corpus.n_tokens, self.n_topics, np.uint16))
        topics = self._topics(corpus, memory, phi, turn) if corpus.n_tokens else reported
        tuples = update_tuples.drawn(
            corpus,
            topics,
            reported,
            self.sizes(corpus.n_words),
            turn.generator(),
            only_changes=self.counting == "running",
        )
        real = tuples.tokens[tuples.tokens >= 0]
        known = reported.copy()
        known[real] = topics[real]
        theta = update_tuples.mixtures(corpus, topics, self.n_topics, self.alpha)
        running = self.counting == "running"
        sent = self.tuple_channel(tuples, theta, told, turn.noise(), running=running)
        return sent, {"topics": topics, "reported": known}

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


METHOD = FedLda
