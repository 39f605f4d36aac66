"""CALM: channel-aware LDA on masked histograms, the default method (our own).

    party, once:   Y_dw = N_dw + discrete Laplace noise of rate epsilon, for every word w of the vocabulary;
                   keep the entries >= 1                                        -> sparse private histograms
    round 0        party:   send its word totals, and those of all words together, estimated from Y
                   server:  phi <- unigram times random factors;  S_k <- tokens / n_topics
    round t > 0    server:  send the counts M (n_words x n_topics) of this round and of the one before
                   party:   C <- M, further along its last step by momentum;  phi_kw ~ C_wk + beta;
                            S_k <- sum_w (C_wk + beta)
                            n_steps updates (2 while topics form) of theta_d and lambda_d of every document,
                            from Y, phi and the law of the noise;  send the expected counts
                   server:  M <- sum over the parties
    last round     party:   send in how many histograms each two of the words told for a topic are; the server
                            has those shown first that go together (`company.py`)
    every 10th     party:   send the log-likelihood of the histograms that it keeps out of training (held_out)
                   server:  stop where it rises by less than 0.02 a histogram

The E step (`sampling/channel_em.py`) takes Y for what it is, counts seen through known noise, and leaves each
token out of the evidence about itself. EM's steps get short near its end; momentum (Nesterov 1983) keeps them
long and has the same fixed point; it fades where one round moves many of the counts. The server needs sums
over the parties alone: what one had that is away follows from totals (`parts/absent.py`); one that joins late
draws its histograms then. After a stop the rounds that are left pass without work.

With one_topic documents are mixtures first, and of one topic each in the last rounds (`e_step.py`).

Counts travel as whole square roots (`roots.py`), few of which change from round to round: what crosses
the wire is small (`protocol/coding.py`). A secure sum needs sends="counts", as roots do not add up, and a
server that draws related words together needs tells="topics".

Guarantee: epsilon for a word added or removed (2 epsilon where max_length is set: it pushes another word over
the edge), 2 epsilon for a word replaced, n epsilon for a document of at most n = max_length tokens.
Histograms are drawn once and remembered, and all that leaves is computed from them: the number of rounds
costs nothing. Public: the vocabulary, each party's number of documents (of sentences, with unit="sentence")
and the settings. Document lengths are hidden.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.lengths import DISTINCT_WORDS
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.calm import (
    company,
    earlier_histograms,
    guided,
    private_histograms,
    roots,
    stopping,
)
from fedtopics.methods.calm.e_step import EStep
from fedtopics.methods.calm.earlier_histograms import Part
from fedtopics.methods.calm.looking_ahead import LookingAhead
from fedtopics.methods.parts import continuing, party_amounts
from fedtopics.methods.parts.absent import with_absent
from fedtopics.model import TopicModel
from fedtopics.privacy.forecast import predicted_ratio, surplus
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.method import About, Method, ToldTopics
from fedtopics.protocol.summing import Each, Total, added
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import channel_em
from fedtopics.sampling.channel_em import Mixtures

logger = logging.getLogger(__name__)
EXPECTED = "expected perplexity: {perplexity_ratio:.2f} times that of training without noise"
SHORT = {"one_topic": True, "beta": 0.1, "burstiness": 0.0, "distinct_words": DISTINCT_WORDS}
CHOICES = {"unit": ("document", "sentence"), "sends": ("roots", "counts"), "tells": ("roots", "topics")}


@dataclass(frozen=True)
class Calm(Method):
    epsilon: float = 6.0  # word add/remove
    n_topics: int = 50
    n_rounds: int = 90  # at most, where some histograms are held out
    alpha: float = 0.1
    beta: float = 0.05
    burstiness: float = 0.3  # 0: Poisson counts
    n_steps: int = 10  # updates of each document in a round, once topics have formed
    momentum: float = 0.97  # share of the change of a round by which the next goes on; 0: none
    held_out: float = 0.0  # share of the histograms that decides when to stop; 0: never before n_rounds
    unit: str = "document"  # or "sentence": what one noisy histogram covers
    max_length: int | None = None  # public bound on the tokens of a document; prices whole documents
    distinct_words: float | None = None  # public guess per histogram, for the forecast alone
    sends: str = "roots"  # of counts, a few bits each; or "counts": 32 bits
    tells: str = "roots"  # or "topics": 32 bits for each probability
    one_topic: bool = False  # whether each document is of one topic in the end, for short texts
    seed_words: str = ""  # of topic 0, 1, ...: "tax budget; war army"

    about: ClassVar[About] = About(
        summary="channel-aware LDA on noisy document histograms",
        guarantee="epsilon for a word added or removed, whatever the number of rounds",
        citation="this package",
    )
    may_be_negative: ClassVar[tuple[str, ...]] = ("likelihood", "score")
    sums: ClassVar[Mapping[str, int] | None] = {
        "unigram": 16,
        "tokens": 16,
        "n_docs": 0,
        "counts": 16,
        "likelihood": 16,
        "score": 16,
        company.PAIRS: 0,
        company.N_PAIRED: 0,
        continuing.KEPT: 16,
    }
    draws_once: ClassVar[bool] = True
    rounds_again: ClassVar[float] = 0.4
    in_shards: ClassVar[bool] = True
    told_topics: ClassVar[ToldTopics | None] = ToldTopics("phi", word_axis=0)
    for_short: ClassVar[Mapping[str, Any]] = SHORT

    def __post_init__(self) -> None:
        for name, chosen in (("unit", self.unit), ("sends", self.sends), ("tells", self.tells)):
            if chosen not in CHOICES[name]:
                raise InputError(f"{name} must be {' or '.join(CHOICES[name])}, got {quoted(chosen)}")
        if not 0 <= self.momentum < 1:
            raise InputError(f"momentum must be at least 0 and below 1, got {self.momentum}")
        if not 0 <= self.burstiness < 1:
            raise InputError(f"burstiness must be at least 0 and below 1, got {self.burstiness}")
        if not 0 <= self.held_out <= 0.5:
            raise InputError(f"held_out must be a share from 0 to 0.5, got {self.held_out}")
        if self.distinct_words is not None and self.distinct_words <= 0:
            raise InputError(f"distinct_words must be above 0, got {self.distinct_words}")
        if self.held_out and self.one_topic:
            raise InputError("held_out may end training before documents choose; leave out it or one_topic")
        if not (self.alpha > 0 and self.beta > 0):
            raise InputError(f"alpha and beta must be above 0, got {self.alpha} and {self.beta}")
        guided.parsed(self.seed_words, self.n_topics)
        self._mechanism(1)

    @property
    def _ahead(self) -> LookingAhead:
        return LookingAhead(self.tells, self.beta, self.momentum)

    @property
    def _e_step(self) -> EStep:
        return EStep(self.n_rounds, self.n_steps, self.one_topic)

    def known_words(self, vocabulary: tuple[str, ...]) -> Arrays:
        return guided.known(self.seed_words, self.n_topics, vocabulary)

    def continued(self, model: TopicModel) -> Arrays:
        return continuing.earlier(model, self.n_topics)

    def kept(self, party: Party) -> Arrays:
        n_words = party.corpus.n_words
        return earlier_histograms.kept(party.memory, n_words, self._mechanism(n_words).decay)

    def resumed(self, kept: Arrays, n_words: int) -> Arrays:
        return earlier_histograms.resumed(kept, n_words, self._mechanism(n_words).decay)

    def forecast(self, n_words: int) -> dict[str, float] | None:
        if self.distinct_words is None:
            return None
        distinct = min(self.distinct_words, float(n_words))  # few words may have been agreed on
        ratio = predicted_ratio(self.epsilon, n_words, distinct, short=self.one_topic)
        return {"distinct_words": distinct, "perplexity_ratio": ratio}

    def notes(self, n_words: int) -> list[str]:
        found = self.forecast(n_words)
        if found is None or surplus(self.epsilon, n_words, found["distinct_words"]) >= 0:
            return []
        advice = "use fewer words in the vocabulary, longer documents or a larger epsilon"
        return [EXPECTED.format(**found) + "; " + advice]

    def shows(self) -> tuple[str, ...]:
        return ("the number of sentences of each document",) if self.unit == "sentence" else ()

    def prices(self, n_words: int) -> list[Cost]:
        return [self._mechanism(n_words).price()]

    def start(self, n_words: int, turn: Turn) -> Arrays:
        found = self.forecast(n_words)
        if found is not None and not self.notes(n_words):
            logger.info(EXPECTED.format(**found))
        return {}

    def broadcast(self, state: Arrays) -> Arrays:
        if "stopped" in state:
            return {"stopped": state["stopped"]}
        if "counts" not in state:
            return continuing.told(state)
        asked = {name: state[name] for name in (company.CANDIDATES,) if name in state}
        return self._ahead.told(state) | asked | continuing.told(state)

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        end: Form = {"stopped": Numbers("int64", (), most=self.n_rounds)}
        usual = self._ahead.form(n_words, self.n_topics)
        last = {**usual, **company.form(n_words, self.n_topics)}
        return [*continuing.forms([{}, usual, last]), *([end] if self.held_out else [])]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if "stopped" in told:
            return reuse({}), party.memory
        mechanism = self._mechanism(party.corpus.n_words)
        released = private_histograms.released(party, mechanism, self.unit, self.burstiness, turn)
        rows, before = released.value, earlier_histograms.carried(party.memory)
        memory = before | {"offsets": rows.offsets, "words": rows.words, "values": rows.values}
        again = continuing.sent(told, earlier_histograms.n_tokens(before))
        kept = rows if not self.held_out else rows.select(~stopping.apart(rows.n_docs, self.held_out))
        if "length" not in told:
            return released.map(lambda _: private_histograms.overview(kept, turn.n_threads) | again), memory
        topics, alpha = self._ahead.topics(told), np.full(self.n_topics, self.alpha, np.float32)
        parts = earlier_histograms.parts(before, kept)
        documents = _remembered(party, parts, self.n_topics, told)
        reading = self._e_step.of_round(topics, alpha, turn, told)
        step = earlier_histograms.expect(parts, documents, topics, reading)
        memory |= {"theta": step.documents.theta, "lengths": step.documents.lengths}
        sent = self.of_shards({"likelihood": np.array(step.log_likelihood), "counts": step.counts})
        if self.held_out and stopping.is_due(turn.round):
            apart = rows.select(stopping.apart(rows.n_docs, self.held_out))
            likelihood = channel_em.score(apart, topics, alpha, seed=0, n_threads=turn.n_threads)
            sent["score"] = np.array([likelihood, apart.n_docs])
        if company.CANDIDATES in told:
            each = [company.counted(part.histograms, told[company.CANDIDATES]) for part in parts]
            sent |= added({str(n): of_part for n, of_part in enumerate(each)}).arrays
        return released.map(lambda _: sent | again), memory

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        found = Each(sent, roots.with_counts)
        return self.combine_total(state, added(found), turn) | party_amounts.noted(state, found, "counts")

    def for_sums(self) -> "Calm":
        return replace(self, sends="counts")

    def of_shards(self, total: Arrays) -> Arrays:
        return roots.with_roots(total) if self.sends == "roots" else total

    def telling_topics(self) -> "Calm":
        return replace(self, tells="topics")

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        if not total.parties or "stopped" in state:
            return state
        if "counts" not in state:
            return self._begin(state, total.arrays, turn)
        again = continuing.noted(state, total.arrays)
        kept = continuing.with_earlier(
            state, again, lambda now: with_absent(now, total.arrays["counts"], total.parties)
        )
        kept["counts"] = guided.applied(kept["counts"], state)
        still = turn.round <= 1 or self._e_step.is_single(turn.round)
        kept |= self._ahead.noted(kept["counts"], state, still=still)
        kept |= {"length": state["length"], "likelihood": total.arrays["likelihood"]}
        if turn.round == self.n_rounds - 2:
            kept |= company.asked(kept["counts"], self.beta)
        kept |= company.noted(state, total.arrays)
        return (
            kept | again | guided.noted(state) | stopping.noted(state, total.arrays.get("score"), turn.round)
        )

    def measures(self, state: Arrays) -> dict[str, float]:
        return {"channel log-likelihood": float(state["likelihood"])} if "likelihood" in state else {}

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        return party_amounts.of(state)

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if "counts" not in state:
            raise InputError("expected histograms of at least one party, got none; run again")
        model = TopicModel.from_counts(state["counts"].T, vocabulary, alpha=self.alpha, beta=self.beta)
        decay = self._mechanism(len(vocabulary)).decay
        return replace(model, company=company.chosen(state, decay, vocabulary))

    def _mechanism(self, n_words: int) -> Histogram:
        return Histogram(self.epsilon, n_words, bounds=Bounds(max_length=self.max_length))

    def _begin(self, state: Arrays, total: Arrays, turn: Turn) -> Arrays:
        """Topics that are the unigram times random factors, in counts."""
        unigram = total["unigram"]
        factors = turn.generator().gamma(5.0, 1 / 5.0, (len(unigram), self.n_topics))
        counts = unigram[:, None] * guided.leveled(factors, state)
        counts /= counts.sum(axis=0) * self.n_topics / unigram.sum()
        counts = guided.applied(continuing.begun(state, counts), state)
        length = np.array(total["tokens"] / max(total["n_docs"], 1))
        noted = self._ahead.noted(counts, {})
        again = continuing.noted(state, total)
        return {"counts": counts, "length": length} | noted | again | guided.noted(state)


def _remembered(party: Party, parts: list[Part], n_topics: int, told: Arrays) -> Mixtures:
    if "theta" in party.memory:
        return Mixtures(party.memory["theta"], party.memory["lengths"])
    n_docs = sum(part.histograms.n_docs for part in parts)
    return channel_em.even(n_docs, n_topics, float(told["length"]))


METHOD = Calm
