"""`check_mechanism` is of use only if it fails: each of these mechanisms is broken in one way."""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, isfinite

import numpy as np
import pytest

from fedtopics.checks import check_mechanism
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import report_price
from fedtopics.privacy.mechanisms.histogram import MECHANISM as HISTOGRAM
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.mechanism import Mechanism, word_for_word
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class Response:
    """Randomized response as somebody else might write it; it is right."""

    epsilon: float
    n_words: int

    def __post_init__(self):
        if not isinstance(self.epsilon, float) or not isfinite(self.epsilon) or self.epsilon < 0:
            raise InputError(f"epsilon must be a number, got {self.epsilon!r}")

    @property
    def kept(self):
        return (exp(self.epsilon) - 1) / (exp(self.epsilon) + self.n_words - 1)

    def __call__(self, words, noise):
        if np.any(words >= self.n_words):
            raise InputError("unknown words")
        keep = noise.coins(int(self.kept * 2**64), len(words))
        other = noise.below(self.n_words, len(words)).astype(np.int32)
        return Release(np.where(keep, words, other), self.price(noise.source))

    def price(self, noise="secure"):
        return report_price(Pure(self.epsilon), noise)

    def channel(self):
        return np.full((self.n_words, self.n_words), (1 - self.kept) / self.n_words) + self.kept * np.eye(
            self.n_words
        )


class TooCheap(Response):
    """States half of what it costs."""

    def price(self, noise="secure"):
        return report_price(Pure(self.epsilon / 2), noise)


class LastWordRaw(Response):
    """Reports the last word as it is, and says otherwise."""

    def __call__(self, words, noise):
        release = super().__call__(words, noise)
        return release.map(lambda reports: np.where(words == self.n_words - 1, words, reports))


class PricedByData(Response):
    """Costs more where there are more words."""

    def __call__(self, words, noise):
        return Release(
            super().__call__(words, noise).value, report_price(Pure(0.1 * len(words)), noise.source)
        )


class OwnNoise(Response):
    """Draws from a generator of its own, which nobody can repeat."""

    def __call__(self, words, noise):
        release = super().__call__(words, noise)
        keep = np.random.default_rng().random(len(words)) < self.kept
        return release.map(lambda reports: np.where(keep, words, reports))


class NoNoise(Response):
    """Sends what it gets."""

    def __call__(self, words, noise):
        return super().__call__(words, noise).map(lambda reports: words)


class CalledSecure(Response):
    """Says that its noise is secure, whatever it was given."""

    def price(self, noise="secure"):
        return super().price("secure")


class TakesAnything(Response):
    """Takes any epsilon."""

    def __post_init__(self):
        pass

    @property
    def kept(self):
        return 0.4


class TakesStrangers(Response):
    """Reports words that are not in the vocabulary."""

    def __call__(self, words, noise):
        return super().__call__(np.minimum(words, self.n_words - 1), noise)


class OneTooFew(Response):
    """Forgets the last word."""

    def __call__(self, words, noise):
        return super().__call__(words, noise).map(lambda reports: reports[:-1])


class LengthsPriced(Response):
    """Prices a word that is added, though the number of reports shows it."""

    def price(self, noise="secure"):
        return Cost((*super().price(noise).losses, Loss("word add/remove", Pure(self.epsilon))), noise=noise)


class Stateful(Response):
    """Has another price after its first release."""

    def __call__(self, words, noise):
        release = super().__call__(words, noise)
        object.__setattr__(self, "epsilon", self.epsilon + 1)
        return release


class TrueWordsFirst(Histogram):
    """Rows whose true words stand before the others."""

    def __call__(self, words, offsets, noise):
        def turned(rows):
            ends = rows.offsets.tolist()
            order = [place for row in pairwise(ends) for place in reversed(range(*row))]
            return SparseRows(rows.offsets, rows.words[order], rows.values[order], rows.n_words)

        return super().__call__(words, offsets, noise).map(turned)


class InPlace(Response):
    """Puts the reports where the words were."""

    def __call__(self, words, noise):
        release = super().__call__(words, noise)
        words[:] = release.value
        return release


class NotCut(Histogram):
    """Does not cut documents at the public maximum."""

    def __call__(self, words, offsets, noise):
        release = Histogram(self.epsilon, self.n_words, self.threshold)(words, offsets, noise)
        return Release(release.value, self.price(noise.source))


RIGHT = Mechanism(
    "response",
    Response,
    takes="words",
    gives="words",
    examples=({"epsilon": 1.0, "n_words": 3},),
    parameter="epsilon",
    law=word_for_word(),
)
BROKEN = [
    (TooCheap, "word replace to keep epsilon 0.5"),
    (LastWordRaw, "no value that the law excludes|draws that follow the law"),
    (PricedByData, "a release that costs the price"),
    (OwnNoise, "the same release from the same seed"),
    (NoNoise, "another release from another seed"),
    (CalledSecure, "a price that names simulated noise"),
    (TakesAnything, "an InputError for epsilon nan"),
    (TakesStrangers, "an InputError for words that nobody knows"),
    (OneTooFew, "an array of shape"),
    (LengthsPriced, "no price for word add/remove: the number of outputs shows"),
    (InPlace, "data that is left as it is"),
    (Stateful, "a release that costs the price|the same price after a release"),
]


def test_a_mechanism_of_somebody_else_passes_with_and_without_a_law():
    check_mechanism(RIGHT)
    check_mechanism(replace(RIGHT, law=None))


@pytest.mark.parametrize(("make", "told"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_broken_mechanism_fails_and_the_message_says_why(make, told):
    with pytest.raises(AssertionError, match=f"expected ({told})"):
        check_mechanism(replace(RIGHT, make=make))


@pytest.mark.parametrize("make", [TooCheap, LastWordRaw], ids=lambda make: make.__name__)
def test_without_a_law_draws_tell(make):
    with pytest.raises(AssertionError, match="word replace to keep epsilon"):
        check_mechanism(replace(RIGHT, make=make, law=None))


@pytest.mark.parametrize(("make", "told"), [(TrueWordsFirst, "ascending words"), (NotCut, "follow the law")])
def test_a_broken_histogram_fails(make, told):
    with pytest.raises(AssertionError, match=told):
        check_mechanism(replace(HISTOGRAM, make=make))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"parameter": "eps"}, "examples that name the parameter, got 'eps'"),
        ({"quiet": 600.0, "loud": 2e-6}, "a lower price at quiet=600.0 than at loud=2e-06"),
        ({"quiet": 0.0}, "an end of the parameter above 0, got 0.0"),
    ],
    ids=["unknown", "swapped", "zero"],
)
def test_a_parameter_that_cannot_be_calibrated_is_named(said, told):
    with pytest.raises(AssertionError, match=told):
        check_mechanism(replace(RIGHT, **said))


def test_a_mechanism_without_examples_is_not_checked_silently():
    with pytest.raises(AssertionError, match="at least one example"):
        check_mechanism(replace(RIGHT, examples=()))
    with pytest.raises(AssertionError, match="an example of 2 to 4 words"):
        check_mechanism(replace(RIGHT, examples=({"epsilon": 1.0, "n_words": 100},)))
