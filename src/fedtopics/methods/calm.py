"""CALM: channel-aware LDA on masked histograms, the default method (our own).

    party, once:   Y_dw = N_dw + discrete Laplace noise of rate epsilon, for every word w of the vocabulary;
                   keep the entries >= 1                                        -> sparse private histograms
    round 0        party:   send its word totals, and those of all words together, estimated from Y
                   server:  phi <- unigram times random factors;  S_k <- tokens / n_topics
    round t > 0    server:  send phi (n_words x n_topics) and the topic sizes S_k
                   party:   n_steps updates of theta_d and lambda_d of every document, from Y, phi and the
                            law of the noise;  send the expected counts M (n_words x n_topics)
                   server:  M <- sum over the parties;  C <- max(M + momentum (M - M of round t - 1), 0);
                            phi_kw ~ C_wk + beta;  S_k <- sum_w (C_wk + beta)
    every 10th     party:   send the log-likelihood of the histograms that it keeps out of training (held_out)
                   server:  stop where it rises by less than 0.02 a histogram

The E step (`sampling/channel_em.py`) takes Y for what it is, counts seen through known noise, and leaves each
token out of the evidence about itself. EM's steps get short near its end; momentum (Nesterov 1983) keeps them
long and has the same fixed point; it fades where one round moves many of the counts. The server needs sums
over the parties alone: what one had that is away follows from totals (`parts/absent.py`); one that joins late
draws its histograms then. After a stop the rounds that are left pass without work.

Guarantee: epsilon for a word added or removed (2 epsilon where max_length is set: it pushes another word over
the edge), 2 epsilon for a word replaced, n epsilon for a document of at most n = max_length tokens.
Histograms are drawn once and remembered, and all that leaves is computed from them: the number of rounds
costs nothing. Public: the vocabulary, each party's number of documents (of sentences, with unit="sentence")
and the settings. Document lengths are hidden.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.methods.parts import party_amounts
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
from fedtopics.protocol.summing import Total
from fedtopics.protocol.told import Form, Numbers, mean_length, topics_with_sizes
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import channel_em
from fedtopics.sampling.channel_em import Mixtures, SizedTopics
from fedtopics.sampling.histograms import Histograms

logger = logging.getLogger(__name__)
SCORED = 10  # rounds from one score of the histograms held out to the next
STILL = 0.02  # least gain in log-likelihood of a histogram held out, from one score to the next
EXPECTED = "expected perplexity: {perplexity_ratio:.2f} times that of training without noise"
LONG_STEP = 0.5  # share of the counts that one round moves; from here on there is no momentum


@dataclass(frozen=True)
class Calm(Method):
    epsilon: float = 6.0  # word add/remove
    n_topics: int = 50
    n_rounds: int = 200  # at most, where some histograms are held out
    alpha: float = 0.1
    beta: float = 0.05
    burstiness: float = 0.3  # 0: Poisson counts
    n_steps: int = 2  # updates of each document in a round
    momentum: float = 0.9  # share of the change of a round by which the server goes on; 0: none
    held_out: float = 0.0  # share of the histograms that decides when to stop; 0: never before n_rounds
    unit: str = "document"  # or "sentence": what one noisy histogram covers
    max_length: int | None = None  # public bound on the tokens of a document; prices whole documents
    distinct_words: float | None = None  # public guess per histogram, for the forecast alone

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
        if self.unit not in ("document", "sentence"):
            raise InputError(f"unit must be document or sentence, got {self.unit!r}")
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
        topics = channel_em.maximize(self._ahead(state["counts"], state["previous"]), self.beta)
        return {"phi": topics.phi, "sizes": topics.sizes, "length": state["length"]}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        topics = topics_with_sizes(n_words, self.n_topics, self.beta)
        end: Form = {"stopped": Numbers("int64", (), most=self.n_rounds)}
        return [{}, topics | {"length": mean_length()}, *([end] if self.held_out else [])]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        if "stopped" in told:
            return reuse({}), party.memory
        released = self._histograms(party, turn)
        rows = released.value
        memory: Arrays = {"offsets": rows.offsets, "words": rows.words, "values": rows.values}
        kept = rows if not self.held_out else rows.select(~_apart(rows.n_docs, self.held_out))
        if not told:
            return released.map(lambda _: _overview(kept, turn.n_threads)), memory
        topics, alpha = (
            SizedTopics(told["phi"], told["sizes"]),
            np.full(self.n_topics, self.alpha, np.float32),
        )
        step = channel_em.expect(
            kept,
            _remembered(party, kept, told),
            topics,
            alpha,
            n_steps=self.n_steps,
            exclude=turn.round > 1,  # before topics have formed, a token is all the evidence there is
            n_threads=turn.n_threads,
        )
        memory |= {"theta": step.documents.theta, "lengths": step.documents.lengths}
        sent = {"counts": step.counts, "likelihood": np.array(step.log_likelihood)}
        if self.held_out and turn.round and turn.round % SCORED == 0:
            apart = rows.select(_apart(rows.n_docs, self.held_out))
            likelihood = channel_em.score(apart, topics, alpha, seed=0, n_threads=turn.n_threads)
            sent["score"] = np.array([likelihood, apart.n_docs])
        return released.map(lambda _: sent), memory

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return super().combine(state, sent, turn) | party_amounts.noted(state, sent, "counts")

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        if not total.parties or "stopped" in state:
            return state
        if "counts" not in state:
            return self._begin(total.arrays, turn)
        kept = with_absent(state, total.arrays["counts"], total.parties)
        kept["previous"] = state["counts"] if turn.round > 1 else kept["counts"]
        kept |= {"length": state["length"], "likelihood": total.arrays["likelihood"]}
        return kept | _stop(state, total.arrays.get("score"), turn.round)

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
        return {"counts": counts, "previous": counts, "length": length}

    def _ahead(self, counts: NDArray[Any], previous: NDArray[Any]) -> NDArray[Any]:
        """The counts, further along the last step; not while topics form and steps are long."""
        step = counts - previous
        moved = np.abs(step).sum() / counts.sum()
        faded = self.momentum * max(0.0, 1 - float(moved) / LONG_STEP)
        return np.asarray(np.maximum(counts + faded * step, 0))


def _overview(histograms: Histograms, n_threads: int) -> Arrays:
    totals, length = channel_em.unigram(histograms, n_threads=n_threads)
    n_docs = histograms.n_docs
    return {"unigram": totals, "tokens": np.array(length * n_docs), "n_docs": np.array(n_docs)}


def _remembered(party: Party, histograms: Histograms, told: Arrays) -> Mixtures:
    if "theta" in party.memory:
        return Mixtures(party.memory["theta"], party.memory["lengths"])
    return channel_em.start(histograms, told["phi"].shape[1], float(told["length"]))


def _apart(n_docs: int, share: float) -> NDArray[np.bool_]:
    """The histograms held out, by their place alone: which they are is public."""
    place = np.arange(n_docs)
    return np.asarray(np.floor((place + 1) * share) > np.floor(place * share))


def _stop(state: Arrays, score: NDArray[Any] | None, number: int) -> Arrays:
    """The score per histogram of this round where one is due, and the end where it rises no more."""
    if score is None or number % SCORED:
        return {"reached": state["reached"]} if "reached" in state else {}
    likelihood, n_docs = score
    reached = np.array(likelihood / max(n_docs, 1))
    if "reached" in state and reached - state["reached"] < STILL:
        logger.info("stopped after round %d: held-out likelihood rises no more", number)
        return {"reached": reached, "stopped": np.array(number)}
    return {"reached": reached}


METHOD = Calm
