r"""A bit for every word, each flipped on its own (unary encoding).

A row is a set of words. Bits of words in the set are reported as 1 with probability p, others with q <= p.

    one bit that differs:        max(ln p/q, ln (1-q)/(1-p))              a word added or removed
    two that differ, 1 and 0:    ln p/q + ln (1-q)/(1-p)  =: epsilon      a word replaced
    n words replaced:            n epsilon, bits being independent

Pairs (p, q) at a given epsilon: OUE p = 1/2, q = 1/(e^epsilon + 1), least variance for rare words [1];
symmetric p = 1 - q; informative: largest mutual information between a bit and its report, for rows of
`n_ones` words. Drawn as "zeros survive with q, ones are added with (p - q)/(1 - q)", by skipping, in time of
the ones reported.

[1] T. Wang et al. Locally differentially private protocols for frequency estimation. USENIX Security 2017.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import (
    UNBOUNDED,
    Bounds,
    Offsets,
    WordIds,
    check_documents,
    check_size,
    cut,
    report_price,
    shuffled,
)
from fedtopics.privacy.mechanisms.mechanism import Mechanism, cell_by_cell, kept_counts
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.cost import Claim, Cost, NoiseSource
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class UnaryEncoding:
    """Noisy bit vectors of rows of words below `n_words`, at most `bounds.max_length` in a document.

    `false_chance` is q, `added_chance` is (p - q)/(1 - q), both in units of 2^-64; use a named constructor.
    `claims` are a paper's; `epsilon` is always that of a word replaced.
    """

    false_chance: int
    added_chance: int
    n_words: int
    bounds: Bounds = UNBOUNDED
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        check_size("number of words", self.n_words)
        if not (0 < self.false_chance < 2**64 and 0 <= self.added_chance < 2**64):
            raise InputError("unary encoding needs probabilities 0 < q <= p < 1")

    @classmethod
    def of(
        cls,
        p: float | Fraction | Decimal,
        q: float | Fraction | Decimal,
        n_words: int,
        bounds: Bounds = UNBOUNDED,
        claims: tuple[Claim, ...] = (),
    ) -> "UnaryEncoding":
        """Report true bits with probability `p` and false ones with `q`, rounded towards privacy."""
        p, q = Fraction(p), Fraction(q)
        if not 0 < q <= p < 1:
            raise InputError(f"probabilities 0 < q <= p < 1 were expected, got p {float(p)} and q {float(q)}")
        false_chance = exact.chance_at_least(q)
        rounded = Fraction(false_chance, 2**64)
        added = max(Fraction(0), (p - rounded) / (1 - rounded))
        return cls(false_chance, exact.chance_at_most(added), n_words, bounds, claims)

    @classmethod
    def optimized(cls, epsilon: float, n_words: int, bounds: Bounds = UNBOUNDED) -> "UnaryEncoding":
        """OUE: p = 1/2, q = 1/(e^epsilon + 1)."""
        exact.dyadic_epsilon(epsilon)
        with localcontext(exact.PRECISE):
            return cls.of(Fraction(1, 2), 1 / (exact.exp_plus(epsilon) + 1), n_words, bounds)

    @classmethod
    def symmetric(cls, epsilon: float, n_words: int, bounds: Bounds = UNBOUNDED) -> "UnaryEncoding":
        """p = 1 - q; half of epsilon is that of a bit."""
        exact.dyadic_epsilon(epsilon)
        with localcontext(exact.PRECISE):
            q = 1 / (exact.exp_plus(epsilon / 2) + 1)
            return cls.of(1 - q, q, n_words, bounds)

    @classmethod
    def informative(
        cls, epsilon: float, n_words: int, n_ones: int = 1, bounds: Bounds = UNBOUNDED
    ) -> "UnaryEncoding":
        """The pair with the largest mutual information for rows of `n_ones` words."""
        exact.dyadic_epsilon(epsilon)
        check_size("number of words of a row", n_ones)
        q = Decimal(most_informative(epsilon, min(n_ones / n_words, 0.5)))
        with localcontext(exact.PRECISE):
            odds = exact.exp_plus(epsilon) * q
            return cls.of(odds / (1 - q + odds), q, n_words, bounds)

    @property
    def q(self) -> float:
        """Probability that a bit of a word that is not there is reported as 1."""
        return self.false_chance / 2**64

    @property
    def p(self) -> float:
        """Probability that a bit of a word that is there is reported as 1."""
        return self.q + (1 - self.q) * self.added_chance / 2**64

    def _log_ratios(self) -> tuple[Decimal, Decimal]:
        """(ln p/q, ln (1-q)/(1-p)) from the exact probabilities, to 200 digits."""
        with localcontext(exact.PRECISE):
            q, added = Decimal(self.false_chance) / 2**64, Decimal(self.added_chance) / 2**64
            return ((q + (1 - q) * added) / q).ln(), (1 / (1 - added)).ln()

    @property
    def epsilon(self) -> float:
        """Price of a word replaced: of both its bits, rounded up once, so that a plan for 6 costs no more."""
        with localcontext(exact.PRECISE):
            ones, zeros = self._log_ratios()
            return exact.rounded_up(ones + zeros)

    def __call__(
        self, words: NDArray[Any], offsets: NDArray[Any], noise: Noise, *, shuffle: bool = False
    ) -> Release[SparseRows]:
        """Release the noisy bits of each document: words of value 1, ascending.

        Where documents are cut at `bounds.max_length`, `shuffle` draws the words that count at random.
        """
        words, offsets = check_documents(words, offsets, self.n_words)
        n_rows = len(offsets) - 1
        # How much noise is drawn up to here is public; below it depends on the documents.
        false = noise.survivors(Decimal(self.false_chance) / 2**64, n_rows * self.n_words)
        words = shuffled(words, offsets, noise) if shuffle else words
        words, offsets = cut(*distinct(words, offsets), self.bounds.max_length, warn=not shuffle)
        rows = np.repeat(np.arange(n_rows), np.diff(offsets))
        present = rows * self.n_words + words
        ones = np.concatenate([false, np.sort(present[noise.coins(self.added_chance, len(present))])])
        ones.sort(kind="stable")  # two sorted runs are merged; np.union1d would hash
        ones = ones[np.append(True, ones[1:] != ones[:-1])] if len(ones) else ones
        kept = np.searchsorted(ones, np.arange(n_rows + 1) * self.n_words)
        bits = SparseRows(
            kept, (ones % self.n_words).astype(np.int32), np.ones(len(ones), np.int32), self.n_words
        )
        return Release(bits, self.price(noise.source))

    def each(self, words: NDArray[Any], noise: Noise) -> Release[SparseRows]:
        """Release the noisy bits of each of `words` on its own, by `noise`; the number of words shows."""
        bits = self(words, np.arange(len(words) + 1), noise).value
        return Release(bits, report_price(Pure(self.epsilon), noise.source, self.claims))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What reporting every document once costs; their number is public, their lengths are hidden."""
        bit, replaced = Pure(exact.rounded_up(max(self._log_ratios()))), Pure(self.epsilon)
        return self.bounds.price(noise, lambda n: (bit, n), lambda n: (replaced, n), self.claims)

    def channel(self) -> NDArray[np.float64]:
        """Pr[bit | was there]: rows 0 (no) and 1 (yes), columns the reported bit; bits are independent."""
        return np.array([[1 - self.q, self.q], [1 - self.p, self.p]])

    def debias(self, counts: NDArray[Any], n_rows: int) -> NDArray[np.float64]:
        """Unbiased number of rows with each word from the `counts` of ones reported in `n_rows` rows."""
        if self.added_chance == 0:
            raise InputError("reports at epsilon 0 say nothing about the words; they cannot be debiased")
        return np.asarray((counts - n_rows * self.q) / (self.p - self.q), dtype=np.float64)


def distinct(words: WordIds, offsets: Offsets) -> tuple[WordIds, Offsets]:
    """The different `words` of each row (by `offsets`), in the order of their first occurrence."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    _, first = np.unique(rows * (int(words.max(initial=0)) + 1) + words, return_index=True)
    first.sort()
    lengths = np.bincount(rows[first], minlength=len(offsets) - 1)
    return words[first], np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def most_informative(epsilon: float, density: float) -> float:
    """The q that at `epsilon` tells most about a bit, 1 with this `density`, by mutual information."""
    from scipy.optimize import minimize_scalar
    from scipy.special import entr, expit

    def uncertainty(x: Any) -> Any:
        return entr(x) + entr(1 - x)

    def loss(log_odds: float) -> float:
        q, p = expit(log_odds), expit(log_odds + epsilon)
        ones = density * p + (1 - density) * q
        return float(density * uncertainty(p) + (1 - density) * uncertainty(q) - uncertainty(ones))

    found = minimize_scalar(loss, bounds=(-epsilon - 12, 2.0), method="bounded", options={"xatol": 1e-6})
    return float(expit(found.x))


def bits(name: str, make: Callable[..., UnaryEncoding], loud: float, **known: Any) -> Mechanism:
    """The mechanism `name`, by `make`; `known`: its parameter at most noise (least: `loud`), an example."""
    ((parameter, (quiet, example)),) = known.items()
    return Mechanism(
        name,
        make,
        takes="documents",
        gives="rows",
        examples=(
            {parameter: example, "n_words": 2},
            {parameter: example, "n_words": 3, "bounds": Bounds(max_length=1, max_documents=2)},
        ),
        parameter=parameter,
        quiet=quiet,
        loud=loud,
        law=cell_by_cell(UnaryEncoding.channel, lambda made, *data: kept_counts(made, *distinct(*data))),
    )


def hybrid_categorical(epsilon: float, n_words: int, bounds: Bounds = UNBOUNDED) -> UnaryEncoding:
    """The categorical branch of the hybrid mechanism (HM, a baseline of FedLDA): OUE at the full `epsilon`.

    `n_words` and `bounds` are as for `UnaryEncoding`. The numerical branch has no use for words; a tuple's
    word is one attribute, so use `each` (N. Wang et al., Collecting and analyzing multidimensional data with
    local differential privacy, ICDE 2019, section V).

    >>> round(hybrid_categorical(4.0, 100).p, 3), round(hybrid_categorical(4.0, 100).q, 4)
    (0.5, 0.018)
    """
    return UnaryEncoding.optimized(epsilon, n_words, bounds)


MECHANISM = (
    bits("optimized unary encoding", UnaryEncoding.optimized, 40.0, epsilon=(2e-6, 1.0)),
    bits("symmetric unary encoding", UnaryEncoding.symmetric, 40.0, epsilon=(2e-6, 1.0)),
    bits("hybrid categorical", hybrid_categorical, 40.0, epsilon=(2e-6, 1.0)),
    bits("informative unary encoding", UnaryEncoding.informative, 40.0, epsilon=(1e-3, 1.0)),
)
