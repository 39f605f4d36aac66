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
    every 10th     party:   send the log-likelihood of the histograms that it keeps out of training (held_out)
                   server:  stop where it rises by less than 0.02 a histogram

The E step (`sampling/channel_em.py`) takes Y for what it is, counts seen through known noise, and leaves each
token out of the evidence about itself. EM's steps get short near its end; momentum (Nesterov 1983) keeps them
long and has the same fixed point; it fades where one round moves many of the counts. The server needs sums
over the parties alone: what one had that is away follows from totals (`parts/absent.py`); one that joins late
draws its histograms then. After a stop the rounds that are left pass without work.

Counts travel as whole square roots (`parts/roots.py`), few of which change from round to round: what crosses
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

from fedtopics.errors import InputError
from fedtopics.methods.parts import party_amounts, roots, stopping
from fedtopics.methods.parts.absent import with_absent
from fedtopics.model import TopicModel
from fedtopics.privacy.forecast import predicted_ratio, surplus
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.mechanisms.unit_histogram import UnitHistogram
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.method import About, Method, ToldTopics
from fedtopics.protocol.summing import Each, Total, added
from fedtopics.protocol.told import Form, Numbers, mean_length, topics_with_sizes
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import channel_em
from fedtopics.sampling.channel_em import Mixtures, SizedTopics
from fedtopics.sampling.histograms import Histograms

logger = logging.getLogger(__name__)
EXPECTED = "expected perplexity: {perplexity_ratio:.2f} times that of training without noise"
FORMED, FORMING_STEPS = 20, 2  # the round from which on there are n_steps, and how many there are before it
CHOICES = {"unit": ("document", "sentence"), "sends": ("roots", "counts"), "tells": ("roots", "topics")}
LONG_STEP = 0.5  # share of the counts that one round moves; from here on there is no momentum


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
    }
    draws_once: ClassVar[bool] = True
    in_shards: ClassVar[bool] = True
    told_topics: ClassVar[ToldTopics | None] = ToldTopics("phi", word_axis=0)

    def __post_init__(self) -> None:
        for name, chosen in (("unit", self.unit), ("sends", self.sends), ("tells", self.tells)):
            if chosen not in CHOICES[name]:
                raise InputError(f"{name} must be {' or '.join(CHOICES[name])}, got {chosen!r}")
        if not 0 <= self.momentum < 1:
            raise InputError(f"momentum must be at least 0 and below 1, got {self.momentum}")
        if not 0 <= self.burstiness < 1:
            raise InputError(f"burstiness must be at least 0 and below 1, got {self.burstiness}")
        if not 0 <= self.held_out <= 0.5:
            raise InputError(f"held_out must be a share from 0 to 0.5, got {self.held_out}")
        if not (self.alpha > 0 and self.beta > 0):
            raise InputError(f"alpha and beta must be above 0, got {self.alpha} and {self.beta}")
        self._mechanism(1)

    def forecast(self, n_words: int) -> dict[str, float] | None:
        if self.distinct_words is None:
            return None
        ratio = predicted_ratio(self.epsilon, n_words, self.distinct_words)
        return {"distinct_words": self.distinct_words, "perplexity_ratio": ratio}

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
        if "counts" not in state:
            return {}
        if "stopped" in state:
            return {"stopped": state["stopped"]}
        if self.tells == "roots":
            return {name: state[name] for name in ("roots", "before", "pace", "length")}
        topics = channel_em.maximize(self._ahead(state["counts"], state["previous"]), self.beta)
        return {"phi": topics.phi, "sizes": topics.sizes, "length": state["length"]}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        topics = topics_with_sizes(n_words, self.n_topics, self.beta)
        if self.tells == "roots":
            plane = Numbers("int32", (n_words, self.n_topics), most=roots.MOST)
            topics = {"roots": plane, "before": plane, "pace": Numbers("float64", (), most=1.0)}
        end: Form = {"stopped": Numbers("int64", (), most=self.n_rounds)}
        return [{}, topics | {"length": mean_length()}, *([end] if self.held_out else [])]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if "stopped" in told:
            return reuse({}), party.memory
        released = self._histograms(party, turn)
        rows = released.value
        memory: Arrays = {"offsets": rows.offsets, "words": rows.words, "values": rows.values}
        kept = rows if not self.held_out else rows.select(~stopping.apart(rows.n_docs, self.held_out))
        if not told:
            return released.map(lambda _: _overview(kept, turn.n_threads)), memory
        topics, alpha = self._topics(told), np.full(self.n_topics, self.alpha, np.float32)
        step = channel_em.expect(
            kept,
            _remembered(party, kept, self.n_topics, told),
            topics,
            alpha,
            n_steps=self.n_steps if turn.round >= FORMED else min(self.n_steps, FORMING_STEPS),
            exclude=turn.round > 1,  # before topics have formed, a token is all the evidence there is
            n_threads=turn.n_threads,
        )
        memory |= {"theta": step.documents.theta, "lengths": step.documents.lengths}
        sent = self.of_shards({"likelihood": np.array(step.log_likelihood), "counts": step.counts})
        if self.held_out and stopping.is_due(turn.round):
            apart = rows.select(stopping.apart(rows.n_docs, self.held_out))
            likelihood = channel_em.score(apart, topics, alpha, seed=0, n_threads=turn.n_threads)
            sent["score"] = np.array([likelihood, apart.n_docs])
        return released.map(lambda _: sent), memory

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
            return self._begin(total.arrays, turn)
        kept = with_absent(state, total.arrays["counts"], total.parties)
        kept |= self._told_next(kept["counts"], state, turn.round)
        kept |= {"length": state["length"], "likelihood": total.arrays["likelihood"]}
        return kept | stopping.noted(state, total.arrays.get("score"), turn.round)

    def measures(self, state: Arrays) -> dict[str, float]:
        return {"channel log-likelihood": float(state["likelihood"])} if "likelihood" in state else {}

    def party_topics(self, state: Arrays) -> dict[str, NDArray[Any]]:
        return party_amounts.of(state)

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if "counts" not in state:
            raise InputError("expected histograms of at least one party, got none; run again")
        return TopicModel.from_counts(state["counts"].T, vocabulary, alpha=self.alpha, beta=self.beta)

    def _mechanism(self, n_words: int) -> Histogram:
        return Histogram(self.epsilon, n_words, bounds=Bounds(max_length=self.max_length))

    def _histograms(self, party: Party, turn: Turn) -> Release[Histograms]:
        """The party's private histograms: drawn the first time, free ever after."""
        corpus = party.corpus
        mechanism = self._mechanism(corpus.n_words)
        if party.memory:
            offsets, words, values = (party.memory[name] for name in ("offsets", "words", "values"))
            return reuse(self._view(SparseRows(offsets, words, values, corpus.n_words), mechanism))
        party.require_documents()
        return self._draw(party, mechanism, turn).map(lambda rows: self._view(rows, mechanism))

    def _view(self, rows: SparseRows, mechanism: Histogram) -> Histograms:
        """Released rows as the E step reads them, with the law of their noise."""
        return Histograms(
            rows.offsets, rows.words, rows.values, rows.n_words, mechanism.decay, self.burstiness
        )

    def _draw(self, party: Party, mechanism: Histogram, turn: Turn) -> Release[SparseRows]:
        corpus = party.corpus
        if self.unit == "document":
            return mechanism(corpus.words, corpus.offsets, turn.noise())
        if corpus.sentence_offsets is None or len(corpus.sentence_offsets) == 1:
            raise InputError('unit="sentence" needs sentences, got documents without; use unit="document"')
        units = UnitHistogram(mechanism)
        return units(corpus.words, corpus.offsets, corpus.sentence_offsets, turn.noise())

    def _begin(self, total: Arrays, turn: Turn) -> Arrays:
        """Topics that are the unigram times random factors, in counts."""
        unigram = total["unigram"]
        factors = turn.generator().gamma(5.0, 1 / 5.0, (len(unigram), self.n_topics))
        counts = unigram[:, None] * factors
        counts /= counts.sum(axis=0) * self.n_topics / unigram.sum()
        length = np.array(total["tokens"] / max(total["n_docs"], 1))
        return {"counts": counts, "length": length} | self._told_next(counts, {}, turn.round)

    def _told_next(self, counts: NDArray[Any], state: Arrays, number: int) -> Arrays:
        """What the next round is told of these counts: they and those before, in the form that is told."""
        first = number <= 1 or "counts" not in state
        if self.tells == "topics":
            return {"previous": counts if first else state["counts"]}
        now = roots.of(counts)
        if first:
            return {"roots": now, "before": now, "pace": np.array(0.0)}
        pace = self._pace(counts, counts - state["counts"])
        return {"roots": now, "before": state["roots"], "pace": np.array(pace)}

    def _topics(self, told: Arrays) -> SizedTopics:
        """The topics of what is told; where those are roots, further along their last step."""
        if "phi" in told:
            return SizedTopics(told["phi"], told["sizes"])
        ahead = told["roots"] + float(told["pace"]) * (told["roots"] - told["before"])
        return channel_em.maximize(roots.to_counts(ahead), self.beta)

    def _pace(self, counts: NDArray[Any], step: NDArray[Any]) -> float:
        """The momentum; less of it while topics form and steps are long."""
        moved = np.abs(step).sum() / counts.sum()
        return self.momentum * max(0.0, 1 - float(moved) / LONG_STEP)

    def _ahead(self, counts: NDArray[Any], previous: NDArray[Any]) -> NDArray[Any]:
        """The counts, further along their last step."""
        step = counts - previous
        return np.asarray(np.maximum(counts + self._pace(counts, step) * step, 0))


def _overview(histograms: Histograms, n_threads: int) -> Arrays:
    totals, length = channel_em.unigram(histograms, n_threads=n_threads)
    n_docs = histograms.n_docs
    return {"unigram": totals, "tokens": np.array(length * n_docs), "n_docs": np.array(n_docs)}


def _remembered(party: Party, histograms: Histograms, n_topics: int, told: Arrays) -> Mixtures:
    if "theta" in party.memory:
        return Mixtures(party.memory["theta"], party.memory["lengths"])
    return channel_em.start(histograms, n_topics, float(told["length"]))


METHOD = Calm
