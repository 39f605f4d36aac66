r"""A few words of each document by k-ary randomized response (the reports of FedLDA's repair).

Of every document n_reports slots are filled with different tokens drawn at random; slots for which the
document has none are filled with one more symbol, "no word". The slots are shuffled and each is reported by
randomized response on the words and that symbol, at `epsilon` each.

    document replaced:    every slot may change                                       n_reports epsilon
    word replaced:        one slot at most changes, whatever the draw                 epsilon
    word added, removed:  let the last token of the random order take the place of    epsilon
                          the one removed (or "no word" where slots are left over):
                          again a random order, and one slot at most differs

Which tokens are drawn comes from the noise too, so nobody who knows a seed can tell. Lengths are hidden.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.privacy.mechanisms.bounds import KEYS, check_documents, check_size, shuffled
from fedtopics.privacy.mechanisms.mechanism import Mechanism
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.mechanisms.randomized_response import RandomizedResponse
from fedtopics.privacy.price.cost import Cost, Loss, NoiseSource
from fedtopics.privacy.price.events import KaryResponse
from fedtopics.privacy.price.release import Release


@dataclass(frozen=True)
class SampledResponse:
    """Report `n_reports` tokens of each document at `epsilon` each; symbol `n_words` is "no word"."""

    epsilon: float
    n_words: int
    n_reports: int

    def __post_init__(self) -> None:
        check_size("number of words", self.n_words, minimum=2)
        check_size("number of reports", self.n_reports)
        self.response.price()

    @cached_property
    def response(self) -> RandomizedResponse:
        """What one slot is reported by."""
        return RandomizedResponse(self.epsilon, self.n_words + 1)

    def __call__(
        self, words: NDArray[Any], offsets: NDArray[Any], noise: Noise
    ) -> Release[NDArray[np.int32]]:
        """Release the reports, shape (n_docs, n_reports)."""
        words, offsets = check_documents(words, offsets, self.n_words)
        shape = len(offsets) - 1, self.n_reports
        # How much noise is drawn here is public; the shuffle of the tokens comes last.
        keep, other = (part.reshape(shape) for part in self.response.draw(shape[0] * shape[1], noise))
        places = np.argsort(noise.below(KEYS, keep.size).reshape(shape), axis=1, kind="stable")
        words, lengths = shuffled(words, offsets, noise), np.diff(offsets)
        rank = np.arange(len(words)) - np.repeat(offsets[:-1], lengths)
        docs = np.repeat(np.arange(shape[0]), lengths)
        drawn = rank < self.n_reports
        slots = np.full(shape, self.n_words, np.int32)
        slots[docs[drawn], rank[drawn]] = words[drawn]
        reports = np.where(keep, np.take_along_axis(slots, places, axis=1), other)
        return Release(reports, self.price(noise.source))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What reporting every document once costs; the number of documents is public."""
        event = KaryResponse(self.epsilon, self.n_words + 1)
        losses = (
            Loss("word add/remove", event),
            Loss("word replace", event),
            Loss("document add/remove", event, self.n_reports),
            Loss("document replace", event, self.n_reports),
        )
        return Cost(losses, noise=noise)


MECHANISM = Mechanism(
    "sampled response",
    SampledResponse,
    takes="documents",
    gives="reports",
    examples=({"epsilon": 1.0, "n_words": 2, "n_reports": 2},),
)
