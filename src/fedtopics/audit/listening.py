"""What a listener on the wire learns of every user's document from a whole run, for every local method.

`listen` runs a method on users, overhears all that they send, and lets the attack of `audit/listener.py`
name the words of their documents with what is public about the channel. `bound` is the largest expected
recall that the reports allow anyone who names only reported words, where reports are made once. Words that a
method never reads (FedLDA as printed: those beyond M) are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit import listener
from fedtopics.audit.listener import Recovered
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.methods.fedlda import update_tuples
from fedtopics.methods.fedlda.paper import FedLda
from fedtopics.methods.lplda.paper import LpLda
from fedtopics.methods.parts.noisy_reports import row_lengths
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.hybrid_categorical import hybrid_categorical
from fedtopics.privacy.mechanisms.prior_response import flip_probability, kept_words
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.protocol import in_process
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Turn

TYPICAL_WORDS = 60  # different words of a document, as a listener may guess
USERS = "users"


@dataclass(frozen=True)
class Overheard:
    """What the listener has after `n_rounds`, and the most that single reports allow."""

    recovered: Recovered
    bound: float
    n_rounds: int


@dataclass
class _Tapped:
    """A method on whose wire someone listens; all else is the method's own."""

    method: Method
    n_words: int
    heard: list[tuple[NDArray[Any], NDArray[Any]]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.method, name)

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        arrays = sent[USERS]
        if arrays:
            self.heard.append((_senders(arrays), arrays["words"].reshape(-1)))
        return self.method.combine(state, sent, turn)


def listen(method: Method, corpus: Corpus, *, seed: int = 0, n_threads: int = 1) -> Overheard:
    """Run the method with every document as a user, and attack what was sent."""
    if not isinstance(method, FedLda | LpLda):
        raise InputError(f"expected a method of users who report words, got {type(method).__name__}")
    tapped = _Tapped(method, corpus.n_words)
    outcome = in_process.run(tapped, {USERS: corpus}, seed=seed, n_threads=n_threads)  # type: ignore[arg-type]
    model = outcome.model
    if model is None:
        raise InputError("expected a method whose server learns topics, got none")
    hits, false = _expected(method, model)
    heard = listener.tally(tapped.heard, corpus.n_words)
    odds = TYPICAL_WORDS / max(1, corpus.n_words - TYPICAL_WORDS)
    named = listener.name_words(heard, hits, false, odds)
    found = listener.recovered(named, _used(method, corpus), model.topic_word, model.alpha)
    return Overheard(found, recall_bound(method, corpus), method.n_rounds)


def _used(method: FedLda | LpLda, corpus: Corpus) -> Corpus:
    """What of the documents a method reads: FedLDA as printed leaves out all beyond a public length."""
    if isinstance(method, FedLda) and method.variant == "paper":
        return update_tuples.first_tokens(corpus, method.max_length)
    return corpus


def recall_bound(method: FedLda | LpLda, corpus: Corpus) -> float:
    """Largest expected recall of one report of every document; 1 where users report again and again."""
    distinct = np.diff(
        np.unique(
            corpus.docs.astype(np.int64) * corpus.n_words + corpus.words, return_index=False
        ).searchsorted(np.arange(corpus.n_docs + 1) * corpus.n_words)
    )
    mechanism = _reported_once(method, corpus.n_words)
    if mechanism is None or not distinct.sum():
        return 1.0
    if isinstance(mechanism, SampledResponse):
        gamma, n_reports = mechanism.response.gamma, mechanism.n_reports
        by_luck = n_reports * (1 - gamma) * distinct / mechanism.response.n_words
        right = np.minimum(corpus.lengths, n_reports) * gamma + by_luck
    else:
        most = mechanism.bounds.max_length
        told = distinct if most is None else np.minimum(distinct, most)
        right = told * mechanism.p + (distinct - told) * mechanism.q
    return float(min(1.0, right.sum() / distinct.sum()))


def _reported_once(method: FedLda | LpLda, n_words: int) -> SampledResponse | UnaryEncoding | None:
    if method.variant == "paper" and (isinstance(method, FedLda) or method.channel == "laplace"):
        return None
    return method.mechanism(n_words)


def _expected(method: FedLda | LpLda, model: TopicModel) -> tuple[float, NDArray[np.float64]]:
    """Reports of a word that is there beyond those of one that is not, and of each word that is not."""
    n_words, rounds = model.n_words, method.n_rounds
    mechanism = _reported_once(method, n_words)
    if isinstance(mechanism, SampledResponse):
        gamma, n_reports = mechanism.response.gamma, mechanism.n_reports
        hits = gamma * min(1.0, n_reports / TYPICAL_WORDS)
        return hits, np.full(n_words, n_reports * (1 - gamma) / mechanism.response.n_words)
    if mechanism is not None:
        most = mechanism.bounds.max_length
        share = 1.0 if most is None else min(1.0, most / TYPICAL_WORDS)
        return share * (mechanism.p - mechanism.q), np.full(n_words, mechanism.q)
    if isinstance(method, LpLda):
        return 1.0, np.zeros(n_words)
    n_reports, length = method.sizes(n_words)
    stays, false = _tuple_law(method, model)
    return rounds * n_reports / length * stays, rounds * n_reports * false


def _tuple_law(method: FedLda, model: TopicModel) -> tuple[float, NDArray[np.float64]]:
    """Of one tuple: the chance that it tells its word beyond noise, and the law of the noise."""
    channel, n_words = method.tuple_channel, model.n_words
    if channel.name == "rrp":
        eta = flip_probability(channel.epsilon, channel.delta, channel.gamma)
        shares = (
            np.full(model.n_topics, 1 / model.n_topics) if model.topic_shares is None else model.topic_shares
        )
        law = shares @ np.where(kept_words(model.topic_word, channel.delta), model.topic_word, 0.0)
        return 1 - eta, eta * law
    if channel.name in ("krr", "t-krr"):
        gamma = RandomizedResponse(channel.epsilon, n_words + 1).gamma
        return gamma, np.full(n_words, (1 - gamma) / (n_words + 1))
    if channel.name == "hm":
        bits = hybrid_categorical(channel.epsilon, n_words + 1)
        return bits.p - bits.q, np.full(n_words, bits.q)
    return 1.0, np.zeros(n_words)


def _senders(arrays: Arrays) -> NDArray[np.int64]:
    """The user of each reported word."""
    if "now" in arrays and "lengths" in arrays:
        n_users, n_tuples = arrays["now"].shape
        return np.repeat(np.repeat(np.arange(n_users), n_tuples), arrays["lengths"].astype(np.int64))
    lengths = row_lengths(arrays)
    return np.repeat(np.arange(len(lengths)), lengths)
