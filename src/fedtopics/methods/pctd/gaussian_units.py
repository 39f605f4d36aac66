"""Gaussian noise on the counts of semantic units: settings, price and server of both variants of PC-TD.

What a party had that misses a round follows from totals. With vectors of n-grams a word that comes between
others moves those after it to other n-grams and may make one more: a word replaced is all that has a bound,
epsilon cannot be asked for, and what would follow if a count changed by 1, as the paper says, is recorded as
a claim.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.methods.parts import party_amounts
from fedtopics.methods.parts.absent import with_absent
from fedtopics.methods.pctd.semantic_units import KINDS
from fedtopics.model import TopicModel
from fedtopics.privacy.grades import NOTHING, worth
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.calibration import calibrate, total
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.price.cost import Claim, Cost, Relation
from fedtopics.privacy.price.events import check_delta, check_number
from fedtopics.protocol.method import Method, ToldTopics
from fedtopics.protocol.summing import Total
from fedtopics.protocol.turn import Arrays, Turn
from fedtopics.sampling import channel_em

WORDS_OF_UNIT = {"ngram": 3, "sentence": 10, "paragraph": 40}


@dataclass(frozen=True)
class GaussianUnits(Method):
    """A variant says how often it draws noise, on what grid, and what its vectors cover."""

    epsilon: float | None = None  # word add/remove, at delta
    delta: float = 1e-5  # chance that epsilon does not hold
    sigma: float | None = None  # deviation of the noise, instead of epsilon
    n_topics: int = 50
    n_rounds: int = 35
    unit: str = "ngram"  # or "sentence", "paragraph": what has one topic
    unit_length: int | None = None  # words of an n-gram (3), or roughly of a sentence (10), a paragraph (40)
    alpha: float = 0.1

    grid: ClassVar[int] = 1  # steps of the noise in one token
    told_topics: ClassVar[ToldTopics | None] = ToldTopics("phi", word_axis=0)
    sums: ClassVar[Mapping[str, int] | None] = {"unigram": 16, "tokens": 16, "n_rows": 0, "counts": 16}

    def __post_init__(self) -> None:
        if self.unit not in KINDS:
            raise InputError(f"unit must be one of {', '.join(KINDS)}, got {quoted(self.unit)}")
        if self.epsilon is not None and self.sigma is not None:
            raise InputError(f"expected epsilon or sigma, got both ({self.epsilon} and {self.sigma})")
        if self.epsilon is not None:
            check_number("epsilon", self.epsilon)
        if self.sigma is not None:
            check_number("sigma", self.sigma, open_minimum=True)
        check_delta(self.delta)
        if not self.delta > 0:
            raise InputError(f"Gaussian noise needs a delta above 0, got {self.delta}")
        if not (self.alpha > 0 and self.prior > 0):
            raise InputError(f"expected alpha and beta above 0, got {self.alpha} and {self.prior}")
        if not isinstance(self.words_of_unit, int) or self.words_of_unit < 1:
            raise InputError(f"unit_length must be a whole number above 0, got {quoted(self.unit_length)}")
        if self.ngrams and self.epsilon is not None:
            self.refuse_ngrams(f"epsilon {self.epsilon:g}")

    @property
    @abstractmethod
    def deviation(self) -> float:
        """sigma as given, or the least that keeps epsilon; infinite at epsilon 0."""

    @property
    @abstractmethod
    def prior(self) -> float:
        """beta as it holds."""

    @property
    @abstractmethod
    def ngrams(self) -> bool:
        """Whether a noisy vector covers an n-gram."""

    @property
    @abstractmethod
    def n_releases(self) -> int:
        """How often noise is drawn in a run."""

    @property
    def bounds(self) -> Bounds:
        """What is public of the documents."""
        return Bounds()

    @property
    def privacy_delta(self) -> float:
        return self.delta

    @property
    def sentence_unit(self) -> str:
        return "paragraph" if self.unit == "paragraph" else "sentence"

    @property
    def words_of_unit(self) -> int:
        return WORDS_OF_UNIT[self.unit] if self.unit_length is None else self.unit_length

    def claims(self) -> list[tuple[float, str]]:
        """What is said of the noise beside what is proved: an epsilon, and where it is said."""
        return []

    def refuse_ngrams(self, given: str) -> None:
        """Vectors of n-grams cannot keep a bound on words added or removed."""
        raise InputError(
            "vectors of n-grams keep no epsilon for a word added or removed, since those behind it move, "
            f"got {given}; use unit='sentence' or 'paragraph' or vectors of documents "
            "(variant='sound', release='document'), or give sigma"
        )

    def in_force(self, n_words: int) -> dict[str, Any]:
        sigma = self.deviation if isfinite(self.deviation) else None  # at epsilon 0 nothing is released
        derived = {"sigma": sigma, "unit_length": self.words_of_unit, "beta": self.prior}
        return super().in_force(n_words) | derived

    def notes(self, n_words: int) -> list[str]:
        relation: Relation = "word replace" if self.ngrams else "word add/remove"
        proved = total(self.mechanism(n_words).price(), relation, self.delta, self.n_releases)
        weak = ", which protects nothing" if worth(proved, self.delta, n_words) == NOTHING else ""
        told = f"epsilon {proved:.4g} ({relation}, delta {self.delta:g}) is proved{weak}"
        if self.ngrams:
            told = f"a word added or removed has no bound, since it moves others to other n-grams; {told}"
        return [told] if self.ngrams or weak else []

    def shows(self) -> tuple[str, ...]:
        lengths = " and so of words" if self.unit == "ngram" else ""
        return (f"the number of {self.unit}s{lengths} of each document",)

    def prices(self, n_words: int) -> list[Cost]:
        return [self.mechanism(n_words).price()] * self.n_releases

    def broadcast(self, state: Arrays) -> Arrays:
        topics = channel_em.maximize(self.counts(state), self.prior)
        return {"phi": topics.phi, "sizes": topics.sizes}

    def combine(self, state: Arrays, sent: dict[str, Arrays], turn: Turn) -> Arrays:
        return super().combine(state, sent, turn) | party_amounts.noted(state, sent, "counts")

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        if not total.parties:
            return state
        known = with_absent(state, total.arrays["counts"], total.parties)
        return state | known | {"counts": np.maximum(known["counts"], 0.0)}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel:
        if "counts" not in state:
            raise InputError("expected vectors of at least one party, got none; run again")
        alpha = self.alpha * self.words_of_unit  # for new documents, which are read word by word
        return TopicModel.from_counts(self.counts(state).T, vocabulary, alpha=alpha, beta=self.prior)

    def counts(self, state: Arrays) -> NDArray[np.float64]:
        """The counts (n_words, n_topics) that phi is made of."""
        return state["counts"]

    def mechanism(self, n_words: int) -> GaussianCounts | Histogram:
        """What counts go through; at epsilon 0 one that releases nothing."""
        if self.deviation == inf:
            return Histogram(0.0, n_words, bounds=self.bounds)
        counts = GaussianCounts(self.deviation, n_words, grid=self.grid, bounds=self.bounds)
        claims = self.claims()
        if self.ngrams:
            claimed = total(counts.price(), "word add/remove", self.delta, self.n_releases)
            claims.append((claimed, "PC-TD, sensitivity 1 of each count; composed exactly"))
        return replace(
            counts,
            claims=tuple(Claim("word add/remove", value, self.delta, source) for value, source in claims),
            shifting=self.ngrams,
        )


@lru_cache
def least_sigma(epsilon: float, delta: float, rounds: int, grid: int, bounds: Bounds) -> float:
    """The least deviation that keeps epsilon for a word added or removed; infinite at epsilon 0."""
    if not epsilon:
        return inf
    return calibrate(
        "gaussian counts", "word add/remove", epsilon, delta, rounds, n_words=1, grid=grid, bounds=bounds
    )
