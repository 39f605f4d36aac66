"""The channels of FedLDA's update tuples: what happens to the word of a tuple, and how the server counts it.

    rrp    random response with priori; reports are summed as they are, as printed
    krr    k-ary randomized response on all words; counts are debiased
    t-krr  the same on the words that were frequent in the first round's reports, public by then
    hm     optimized unary encoding, the categorical branch of the hybrid mechanism; counts are debiased
    none   the word itself

"No word" is one more symbol, n_words, of every channel. The topics of a tuple travel in the clear, and they
depend on its word, so nothing is proved of any of these: only what is claimed of the word is recorded.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.fedlda.update_tuples import Tuples, counted
from fedtopics.methods.parts.reports import small
from fedtopics.model import TopicModel
from fedtopics.privacy.mechanisms.bounds import report_price
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.prior_response import (
    PriorResponses,
    flip_probability,
    kept_words,
    prior_price,
)
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.mechanisms.truncated_response import TruncatedResponse
from fedtopics.privacy.mechanisms.unary_encoding import hybrid_categorical
from fedtopics.privacy.price.cost import INFINITE, Claim, Cost, NoiseSource
from fedtopics.privacy.price.events import NonPrivate
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.turn import Arrays

CHANNELS = ("rrp", "krr", "t-krr", "hm", "none")


@dataclass(frozen=True)
class TupleChannel:
    """A channel by its name, with the paper's parameters."""

    name: str
    epsilon: float
    delta: float
    gamma: float
    n_topics: int

    def __call__(
        self, tuples: Tuples, theta: NDArray[np.float64], told: Arrays, noise: Noise, *, running: bool
    ) -> Release[Arrays]:
        """The tuples of all users with their words perturbed; theta holds the users' topic mixtures."""
        words, n_words = tuples.words.reshape(-1), told["phi"].shape[1]
        sent: Arrays = {"now": small(tuples.now, self.n_topics)}
        if running:
            sent["before"] = small(tuples.before, self.n_topics)
        if self.name == "hm":
            bits = hybrid_categorical(self.epsilon, n_words + 1).each(words, noise).value
            sent |= {"words": small(bits.words, n_words), "lengths": small(np.diff(bits.offsets), n_words)}
            return Release(sent, self.price(noise.source))
        if self.name == "rrp":
            law = PriorResponses(self.epsilon, self.delta, told["phi"].astype(np.float64), self.gamma)
            users = np.repeat(np.arange(len(theta)), tuples.words.shape[1])
            words = law(words, users, theta, noise).value
        elif self.name != "none":
            words = self._response(n_words, told)(words, noise).value
        sent["words"] = small(words, n_words).reshape(tuples.words.shape)
        return Release(sent, self.price(noise.source))

    def counts(self, sent: Arrays, known: Arrays, n_words: int) -> NDArray[np.float64]:
        """What one party's tuples add to n_kw, shape (n_topics, n_words); `known` is what it was told."""
        signed = np.zeros((self.n_topics, n_words + 1))
        n_tuples = np.zeros((self.n_topics, 1))
        for name, sign in (("now", 1), ("before", -1)):
            if name not in sent:
                continue
            topics = sent[name].reshape(-1)
            n_tuples[:, 0] += sign * np.bincount(topics, minlength=self.n_topics + 1)[: self.n_topics]
            labels = np.repeat(topics, sent["lengths"]) if self.name == "hm" else topics
            signed += sign * counted(sent["words"].reshape(-1), labels, n_words + 1, self.n_topics)
        if self.name == "hm":
            bits = hybrid_categorical(self.epsilon, n_words + 1)
            signed = (signed - n_tuples * bits.q) / (bits.p - bits.q)
        elif self.name in ("krr", "t-krr"):
            signed = self._response(n_words, known).debias(signed)
        return signed[:, :-1]

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What one round costs: no bound; and what is claimed of a tuple."""
        if self.name == "none":
            return INFINITE
        if self.name == "rrp":
            return prior_price(self.epsilon, self.delta, noise)
        claim = Claim("word replace", self.epsilon, 0.0, f"{self.name} on the word of a tuple alone")
        return report_price(NonPrivate(), noise, (claim,))

    def heard(self, model: TopicModel) -> tuple[float, NDArray[np.float64]]:
        """Of one tuple: the chance that it tells its word beyond noise, and the law of the noise."""
        n_words = model.n_words
        if self.name == "rrp":
            eta = flip_probability(self.epsilon, self.delta, self.gamma)
            even = np.full(model.n_topics, 1 / model.n_topics)
            shares = even if model.topic_shares is None else model.topic_shares
            law = shares @ np.where(kept_words(model.topic_word, self.delta), model.topic_word, 0.0)
            return 1 - eta, eta * law
        if self.name in ("krr", "t-krr"):
            gamma = RandomizedResponse(self.epsilon, n_words + 1).gamma
            return gamma, np.full(n_words, (1 - gamma) / (n_words + 1))
        if self.name == "hm":
            bits = hybrid_categorical(self.epsilon, n_words + 1)
            return bits.p - bits.q, np.full(n_words, bits.q)
        return 1.0, np.zeros(n_words)

    def _response(self, n_words: int, known: Arrays) -> RandomizedResponse | TruncatedResponse:
        if self.name == "t-krr" and "kept" in known:
            return TruncatedResponse(self.epsilon, n_words + 1, (*known["kept"].tolist(), n_words))
        return RandomizedResponse(self.epsilon, n_words + 1)


def senders(sent: Arrays) -> NDArray[np.int64]:
    """The user of each reported word."""
    n_users, n_tuples = sent["now"].shape
    tuples = np.repeat(np.arange(n_users), n_tuples)
    return np.repeat(tuples, sent["lengths"].astype(np.int64)) if "lengths" in sent else tuples


def frequent(counts: NDArray[np.float64], delta: float) -> NDArray[np.int64]:
    """The most frequent words of n_kw, without the rarest that weigh delta together; at least two."""
    totals = np.maximum(counts, 0).sum(axis=0)
    order = np.argsort(-totals, kind="stable")
    n_kept = int(np.sum(np.cumsum(totals[order]) <= (1 - delta) * totals.sum()))
    return np.asarray(order[: max(2, n_kept)], dtype=np.int64)
