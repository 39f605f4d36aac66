r"""k-ary randomized response on words (kRR, the baseline of FedLDA and the reports of its repair).

Keep the word with probability gamma, otherwise report one drawn uniformly from all k:

    Pr[y | x] = gamma [y = x] + (1 - gamma) / k,     gamma = (e^epsilon - 1) / (e^epsilon + k - 1).

The largest ratio of two rows is (gamma + (1 - gamma)/k) / ((1 - gamma)/k) = e^epsilon [1]; gamma is rounded
down, which only lowers it. Inverting the channel gives unbiased counts [2].

[1] P. Kairouz, S. Oh, P. Viswanath. Extremal mechanisms for local differential privacy. JMLR 2016.
[2] T. Wang et al. Locally differentially private protocols for frequency estimation. USENIX Security 2017.
"""

from dataclasses import dataclass
from decimal import localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import check_size, check_words, report_price
from fedtopics.privacy.mechanisms.mechanism import Mechanism, word_for_word
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.cost import Cost, NoiseSource
from fedtopics.privacy.price.events import KaryResponse
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class RandomizedResponse:
    """Report each word once, in order, as one of `n_words`, at `epsilon`."""

    epsilon: float
    n_words: int

    def __post_init__(self) -> None:
        exact.dyadic_epsilon(self.epsilon)
        check_size("number of words", self.n_words, minimum=2)

    @property
    def keep_chance(self) -> int:
        """gamma in units of 2^-64, rounded down."""
        with localcontext(exact.PRECISE):
            odds = exact.exp_plus(self.epsilon)
            return exact.chance_at_most((odds - 1) / (odds + self.n_words - 1))

    @property
    def gamma(self) -> float:
        """Probability that a word is kept on purpose."""
        return self.keep_chance / 2**64

    def __call__(self, words: NDArray[Any], noise: Noise) -> Release[NDArray[np.int32]]:
        """Release one word for each word."""
        words = check_words(words, self.n_words)
        keep, other = self.draw(len(words), noise)
        return Release(np.where(keep, words, other), self.price(noise.source))

    def draw(self, size: int, noise: Noise) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Which of `size` words to keep, and what to report for the others, by `noise`."""
        keep = noise.coins(self.keep_chance, size)
        return keep, noise.below(self.n_words, size).astype(np.int32)

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What reporting every word once costs."""
        event = KaryResponse(self.epsilon, self.n_words)
        return report_price(event, noise)

    def channel(self) -> NDArray[np.float64]:
        """Pr[report | word] as a matrix, rows words, columns reports."""
        uniform = np.full((self.n_words, self.n_words), (1 - self.gamma) / self.n_words)
        return uniform + self.gamma * np.eye(self.n_words)

    def debias(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Unbiased counts of the words from `counts` of reports (last axis: words)."""
        if self.keep_chance == 0:
            raise InputError("reports at epsilon 0 say nothing about the words; they cannot be debiased")
        n_reports = np.sum(counts, axis=-1, keepdims=True)
        return np.asarray(
            (counts - n_reports * (1 - self.gamma) / self.n_words) / self.gamma, dtype=np.float64
        )


MECHANISM = Mechanism(
    "randomized response",
    RandomizedResponse,
    takes="words",
    gives="words",
    examples=({"epsilon": 1.0, "n_words": 4},),
    law=word_for_word(),
)
