r"""Random response with priori (RRP, FedLDA's Algorithm 3), with its exact privacy.

With probability eta draw a topic k from theta and a word v from phi_k; if v is not in the deserted set of k
report v, else, and with probability 1 - eta, report the true word:

    Q(v | w) = eta g(v) + [v = w] (1 - eta + eta d),
    g(v) = sum_k theta_k phi_k(v) [v is kept in topic k],   d = sum_k theta_k (deserted mass of topic k).

The paper's Theorem 1 claims (epsilon, 2 delta) for eta = 1 / (delta delta0 e^epsilon + 1). It does not hold.
Even with theta public the smallest delta' at epsilon is

    delta'(epsilon) = max_w [1 - eta + eta d + eta g(w) (1 - e^epsilon)]_+,

because another word w' yields w with probability eta g(w) only. Moreover theta is the user's own and shapes
the noise, so nothing is proved unless `public_prior` says that theta is a public vector.

Y. Wang, Y. Tong, D. Shi. Federated latent Dirichlet allocation. AAAI 2020.
"""

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import check_words, report_price
from fedtopics.privacy.mechanisms.mechanism import Mechanism, word_for_word
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.cost import Claim, Cost, NoiseSource
from fedtopics.privacy.price.events import Approximate, NonPrivate, check_delta
from fedtopics.privacy.price.release import Release

GRID = 2**44  # steps of the laws that words and topics are drawn from
LARGEST_EXPONENT = 700.0  # a smaller epsilon gives a larger delta, so stopping here is safe


def flip_probability(epsilon: float, delta: float, gamma: float = float("inf")) -> float:
    """The paper's eta of `epsilon`, `delta` and Zipf's exponent `gamma`, infinite in its experiments.

    >>> round(flip_probability(7.5, 0.1), 4), round(flip_probability(5.0, 0.1), 4)
    (0.0524, 0.4026)
    """
    exact.dyadic_epsilon(epsilon)
    check_delta(delta)
    if not (delta > 0 and gamma >= 1):
        raise InputError(
            f"delta above 0 and gamma of at least 1 were expected, got {quoted(delta)} and {quoted(gamma)}"
        )
    rest = 0.0 if gamma == float("inf") else (delta ** (-1 / gamma) + 1) ** -gamma
    return exp(-epsilon) / (delta * (delta - rest) + exp(-epsilon))


def kept_words(topic_word: NDArray[np.float64], delta: float) -> NDArray[np.bool_]:
    """Which words of each topic of `topic_word` are kept: the likeliest; all others weigh at most `delta`."""
    order = np.argsort(-topic_word, axis=1, kind="stable")
    ranked = np.take_along_axis(topic_word, order, axis=1)
    rest = np.cumsum(ranked[:, ::-1], axis=1)[:, ::-1]  # mass of the word and of all less probable ones
    kept = np.zeros(topic_word.shape, dtype=bool)
    np.put_along_axis(kept, order, rest > delta + 1e-12, axis=1)
    return kept


@dataclass(frozen=True, eq=False)
class PriorResponses:
    """RRP for many users at once: the law of `PriorResponse.from_topics` with each user's own theta.

    A word may be the symbol n_words ("no word", a dummy tuple); the prior never draws it.
    `topic_word` is phi; `epsilon`, `delta` and `gamma` give eta.
    """

    epsilon: float
    delta: float
    topic_word: NDArray[np.float64]
    gamma: float = float("inf")

    @property
    def eta(self) -> float:
        """Probability that a word is drawn from the prior."""
        return flip_probability(self.epsilon, self.delta, self.gamma)

    def __call__(
        self, words: NDArray[Any], users: NDArray[Any], theta: NDArray[np.float64], noise: Noise
    ) -> Release[NDArray[np.int32]]:
        """Release one word for each word: words[i] is of user users[i], whose mixture is theta[users[i]]."""
        words = check_words(words, self.topic_word.shape[1] + 1)
        flips = np.flatnonzero(noise.coins(exact.chance_at_least(self.eta), len(words)))
        topics = _drawn(theta, users[flips], noise)
        drawn = _drawn(self.topic_word, topics, noise)
        kept = kept_words(self.topic_word, self.delta)[topics, drawn]
        reports = words.copy()
        reports[flips[kept]] = drawn[kept]
        return Release(reports, prior_price(self.epsilon, self.delta, noise.source))


def prior_price(epsilon: float, delta: float, noise: NoiseSource = "secure") -> Cost:
    """What RRP costs where theta is the user's own: nothing is proved (at `epsilon`, `delta`, by `noise`)."""
    claim = Claim("word replace", epsilon, 2 * delta, "FedLDA (AAAI 2020), Theorem 1")
    return report_price(NonPrivate(), noise, (claim,))


def _drawn(laws: NDArray[np.float64], rows: NDArray[Any], noise: Noise) -> NDArray[np.int64]:
    """A column drawn from row rows[i] of `laws`, for every i."""
    sums = np.cumsum(laws, axis=1)
    steps = (sums / sums[:, -1:] * GRID).astype(np.int64) + np.arange(len(laws))[:, None] * GRID
    places = np.searchsorted(steps.reshape(-1), rows * GRID + noise.below(GRID, len(rows)), side="right")
    return np.asarray(places - rows * laws.shape[1], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class PriorResponse:
    """RRP for one user: `noise_law` is g, `deserted` is d; build it with `from_topics`.

    `epsilon` and `delta` give eta, and `public_prior` says that theta is public.
    """

    epsilon: float
    delta: float
    noise_law: NDArray[np.float64]
    deserted: float
    public_prior: bool = False

    def __post_init__(self) -> None:
        flip_probability(self.epsilon, self.delta)
        total = float(np.sum(self.noise_law)) + self.deserted
        if np.any(self.noise_law < 0) or self.deserted < 0 or abs(total - 1) > 1e-6:
            raise InputError(f"noise law and deserted mass must sum to 1, got {total!r}")

    @classmethod
    def from_topics(
        cls,
        epsilon: float,
        delta: float,
        topic_word: NDArray[np.float64],
        theta: NDArray[np.float64],
        *,
        public_prior: bool = False,
    ) -> "PriorResponse":
        """The mechanism of a user with mixture `theta` under the model `topic_word` (topics x words)."""
        kept = np.where(kept_words(topic_word, delta), topic_word, 0.0)
        law = theta @ kept
        return cls(epsilon, delta, law, max(0.0, 1.0 - float(law.sum())), public_prior)

    @property
    def eta(self) -> float:
        """Probability that a word is drawn from the prior."""
        return flip_probability(self.epsilon, self.delta)

    @property
    def n_words(self) -> int:
        return len(self.noise_law)

    def __call__(self, words: NDArray[Any], noise: Noise) -> Release[NDArray[np.int32]]:
        """Release one word for each word."""
        words = check_words(words, self.n_words)
        steps = (np.cumsum(self.noise_law) * 2.0**53).astype(np.int64)
        drawn = np.searchsorted(steps, noise.below(2**53, len(words)), side="right")
        flip = noise.coins(exact.chance_at_least(self.eta), len(words)) & (drawn < self.n_words)
        return Release(np.where(flip, drawn, words).astype(np.int32), self.price(noise.source))

    def delta_at(self, epsilon: float) -> float:
        """The smallest delta' for which a replaced word is (epsilon, delta')-private, for a public theta."""
        stays = 1 - self.eta + self.eta * self.deserted
        worst = np.max(stays + self.eta * self.noise_law * (1 - np.exp(min(epsilon, LARGEST_EXPONENT))))
        return float(min(1.0, max(0.0, worst)))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What holds (nothing, unless theta is public) and what the paper claims."""
        claimed = prior_price(self.epsilon, self.delta, noise)
        delta = self.delta_at(self.epsilon)
        if not self.public_prior or delta >= 1:
            return claimed
        return report_price(Approximate(self.epsilon, delta), noise, claimed.claims)

    def channel(self) -> NDArray[np.float64]:
        """Pr[report | word] as a matrix, rows words, columns reports."""
        mixed = np.tile(self.eta * self.noise_law, (self.n_words, 1))
        return mixed + np.eye(self.n_words) * (1 - self.eta + self.eta * self.deserted)

    def debias(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Unbiased counts of the words from `counts` of reports of users who share this theta."""
        n_reports = np.sum(counts, axis=-1, keepdims=True)
        stays = 1 - self.eta + self.eta * self.deserted
        return np.asarray((counts - n_reports * self.eta * self.noise_law) / stays, dtype=np.float64)


MECHANISM = Mechanism(
    "prior response",
    PriorResponse.from_topics,
    takes="words",
    gives="words",
    examples=tuple(
        {
            "epsilon": 3.0,
            "delta": 0.1,
            "topic_word": np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]),
            "theta": np.array([0.5, 0.5]),
            "public_prior": public,
        }
        for public in (True, False)
    ),
    parameter=None,
    law=word_for_word(),
)
