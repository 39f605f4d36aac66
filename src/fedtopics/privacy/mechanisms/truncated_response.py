r"""Randomized response among the frequent words only (t-kRR, a baseline of FedLDA).

A public ranking names the k most frequent words. A word among them is reported by k-ary randomized response
on these k; any other word is reported as one of the k, uniformly:

    Pr[y | x] = gamma [y = x] + (1 - gamma) / k  for x among the k,     1 / k  otherwise.

Rows differ by at most e^epsilon as in k-ary randomized response, and the uniform row lies between the largest
and the smallest entry of the others. The ranking must be public: from private counts it would be a leak.

Y. Wang, Y. Tong, D. Shi. Federated latent Dirichlet allocation. AAAI 2020 (which leaves the ranking open).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import check_words, report_price
from fedtopics.privacy.mechanisms.mechanism import Mechanism, word_for_word
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.price.cost import Cost, NoiseSource
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class TruncatedResponse:
    """Report each of `n_words` once, as one of the `kept` words of a public ranking, at `epsilon`."""

    epsilon: float
    n_words: int
    kept: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(set(self.kept)) != len(self.kept) or not set(self.kept) <= set(range(self.n_words)):
            raise InputError(f"ranking must name different words below {self.n_words}, got {self.kept!r:.60}")
        self.response.price()

    @cached_property
    def response(self) -> RandomizedResponse:
        """Randomized response among the kept words, by their place in the ranking."""
        return RandomizedResponse(self.epsilon, len(self.kept))

    @cached_property
    def _place(self) -> NDArray[np.int32]:
        place = np.full(self.n_words, -1, dtype=np.int32)
        place[list(self.kept)] = np.arange(len(self.kept))
        return place

    def __call__(self, words: NDArray[Any], noise: Noise) -> Release[NDArray[np.int32]]:
        """Release one of the kept words for each word."""
        words = check_words(words, self.n_words)
        place = self._place[words]
        keep = noise.coins(self.response.keep_chance, len(words)) & (place >= 0)
        other = noise.below(len(self.kept), len(words))
        reported = np.array(self.kept, dtype=np.int32)[np.where(keep, place, other)]
        return Release(reported, self.price(noise.source))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What reporting every word once costs."""
        return report_price(Pure(self.epsilon), noise)

    def channel(self) -> NDArray[np.float64]:
        """Pr[report | word], rows words of the vocabulary, columns words of the vocabulary."""
        table = np.zeros((self.n_words, self.n_words))
        table[:, list(self.kept)] = 1 / len(self.kept)
        table[np.ix_(self.kept, self.kept)] = self.response.channel()
        return table

    def debias(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Unbiased counts of the kept words from `counts` of all; others are spread evenly over them."""
        estimate = np.zeros(np.shape(counts))
        reported = np.asarray(counts)[..., list(self.kept)]
        n_reports = reported.sum(axis=-1, keepdims=True)
        gamma = self.response.gamma
        if gamma == 0:
            raise InputError("reports at epsilon 0 say nothing about the words; they cannot be debiased")
        estimate[..., list(self.kept)] = (reported - n_reports * (1 - gamma) / len(self.kept)) / gamma
        return estimate


MECHANISM = Mechanism(
    "truncated response",
    TruncatedResponse,
    takes="words",
    gives="words",
    examples=({"epsilon": 1.0, "n_words": 4, "kept": (3, 1, 2)},),
    law=word_for_word(),
)
