r"""Report a set of m words that holds the true one more often than chance would (subset selection).

It contains the true word with probability p = m e^epsilon / (m e^epsilon + V - m) and is else uniform:

    Pr[S | x] = p / C(V-1, m-1)  if x in S,     (1 - p) / C(V-1, m)  otherwise;

their ratio is e^epsilon, and a p that is rounded down lowers it. m = V / (e^epsilon + 1), rounded, is the
best size for estimating frequencies (M. Ye, A. Barg, Optimal schemes for discrete distribution estimation
under locally differential privacy, IEEE Trans. Inf. Theory 2018). Drawn as "a uniform set; sometimes one
member gives way to x".
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from itertools import combinations
from math import comb, exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import check_size, check_words, report_price
from fedtopics.privacy.mechanisms.mechanism import Law, Mechanism
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.cost import Cost, NoiseSource
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class SubsetSelection:
    """Report each of `n_words` once, as a set of `size` words (None: the best size), at `epsilon`."""

    epsilon: float
    n_words: int
    size: int | None = None

    def __post_init__(self) -> None:
        exact.dyadic_epsilon(self.epsilon)
        check_size("number of words", self.n_words, minimum=2)
        if self.size is not None and not 1 <= self.size < self.n_words:
            raise InputError(
                f"a set of 1 to {self.n_words - 1} words was expected, got size {quoted(self.size)}"
            )

    @property
    def n_members(self) -> int:
        """Number of words in a report."""
        best = round(self.n_words * exp(-self.epsilon) / (1 + exp(-self.epsilon)))
        return self.size if self.size is not None else min(max(1, best), self.n_words - 1)

    @property
    def forced_chance(self) -> int:
        """Chance, in units of 2^-64, with which the true word takes a place in a uniform set without it."""
        with localcontext(exact.PRECISE):
            weighted = self.n_members * exact.exp_plus(self.epsilon)
            p = weighted / (weighted + self.n_words - self.n_members)
            by_luck = Decimal(self.n_members) / self.n_words
            return exact.chance_at_most(max(Decimal(0), (p - by_luck) / (1 - by_luck)))

    @property
    def p(self) -> float:
        """Probability that the true word is in its report."""
        by_luck = self.n_members / self.n_words
        return by_luck + (1 - by_luck) * self.forced_chance / 2**64

    def __call__(self, words: NDArray[Any], noise: Noise) -> Release[SparseRows]:
        """Release one row of `n_members` words for each word."""
        words = check_words(words, self.n_words)
        members = uniform_subsets(len(words), self.n_words, self.n_members, noise)
        forced = noise.coins(self.forced_chance, len(words)) & ~(members == words[:, None]).any(axis=1)
        place = noise.below(self.n_members, len(words))
        members[forced, place[forced]] = words[forced]
        members.sort(axis=1)
        offsets = np.arange(len(words) + 1, dtype=np.int64) * self.n_members
        values = np.ones(members.size, dtype=np.int32)
        return Release(SparseRows(offsets, members.ravel(), values, self.n_words), self.price(noise.source))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What reporting every word once costs."""
        return report_price(Pure(self.epsilon), noise)

    def channel(self) -> NDArray[np.float64]:
        """Pr[set | word]: rows words, columns the sets in the order of `itertools.combinations`."""
        inside = self.p / comb(self.n_words - 1, self.n_members - 1)
        outside = (1 - self.p) / comb(self.n_words - 1, self.n_members)
        sets = list(combinations(range(self.n_words), self.n_members))
        return np.array([[inside if word in s else outside for s in sets] for word in range(self.n_words)])

    def debias(self, counts: NDArray[Any], n_reports: int) -> NDArray[np.float64]:
        """Unbiased counts of the words from the `counts` of the `n_reports` reports that contain each."""
        if self.forced_chance == 0:
            raise InputError("reports at epsilon 0 say nothing about the words; they cannot be debiased")
        q = (self.n_members - self.p) / (self.n_words - 1)
        return np.asarray((counts - n_reports * q) / (self.p - q), dtype=np.float64)


def uniform_subsets(n_sets: int, n_words: int, size: int, noise: Noise) -> NDArray[np.int32]:
    """`n_sets` uniform sets of `size` of `n_words`, a row each, by `noise` (Floyd's algorithm)."""
    members = np.empty((n_sets, size), dtype=np.int32)
    for place, last in enumerate(range(n_words - size, n_words)):
        drawn = noise.below(last + 1, n_sets)
        taken = (members[:, :place] == drawn[:, None]).any(axis=1)
        members[:, place] = np.where(taken, last, drawn)
    return members


def _set_numbers(made: SubsetSelection, rows: SparseRows) -> NDArray[np.int64]:
    """Which column of the channel each row is."""
    numbers = {s: number for number, s in enumerate(combinations(range(made.n_words), made.n_members))}
    members = rows.words.reshape(-1, made.n_members).tolist()
    return np.array([numbers[tuple(row)] for row in members], dtype=np.int64)


MECHANISM = Mechanism(
    "subset selection",
    SubsetSelection,
    takes="words",
    gives="rows",
    examples=({"epsilon": 0.5, "n_words": 4}, {"epsilon": 2.0, "n_words": 4}),
    law=Law(lambda made, words: made.channel()[words], _set_numbers),
)
