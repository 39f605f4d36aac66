"""Document histograms as channel EM reads them: sparse counts, and the law of the noise on them."""

from dataclasses import dataclass, replace
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.mapped import least_and_most
from fedtopics.errors import InputError

SMALLEST_SIGMA, LARGEST_SIGMA = 0.05, 100.0
SMALLEST_DECAY = 1e-30  # noise on one count in 10^30 is taken for none: single precision ends soon below


@dataclass(frozen=True, eq=False)
class Histograms:
    """Counts of each document's words, sparse: document d owns the entries offsets[d]:offsets[d+1].

    values   at least 1; the entries left out are those whose noisy count was below 1 (or zero without noise)
    decay    ratio a of the two-sided geometric noise, exp(-epsilon); 0: the counts are exact
    sigma    deviation of discrete Gaussian noise instead; 0: it is geometric, or none
    burstiness   q in [0, 1), assumed of the true counts: how much a word that is there tends to come again

    The arrays can be written no more: a GPU keeps what it made of them.
    """

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    values: NDArray[np.int32]
    n_words: int
    decay: float = 0.0
    burstiness: float = 0.0
    sigma: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.decay <= 1:
            raise InputError(f"expected a decay from 0 (exact counts) to 1, got {self.decay}")
        if self.decay < SMALLEST_DECAY:
            object.__setattr__(self, "decay", 0.0)
        if (
            not 0 <= self.sigma <= LARGEST_SIGMA
            or (0 < self.sigma < SMALLEST_SIGMA)
            or self.decay * self.sigma
        ):
            raise InputError(
                f"expected a sigma of 0 or from {SMALLEST_SIGMA} to {LARGEST_SIGMA:g}, and one law of noise, "
                f"got sigma {self.sigma} and decay {self.decay}"
            )
        if not 0 <= self.burstiness < 1:
            raise InputError(f"expected a burstiness from 0 to below 1, got {self.burstiness}")
        if len(self.words) != len(self.values) or self.offsets[0] != 0 or self.offsets[-1] != len(self.words):
            raise InputError(f"expected offsets from 0 to {len(self.words)} entries, got {self.offsets[-1]}")
        if len(self.words):
            first, last = least_and_most(self.words)
            if not 0 <= first <= last < self.n_words:
                raise InputError(f"expected word ids below {self.n_words}, got up to {last}")
            least, _ = least_and_most(self.values)
            if least < 1:
                raise InputError(f"expected values of at least 1, got {least}; drop the others")
        if np.any(np.diff(self.offsets) < 0):
            raise InputError("expected offsets that do not decrease, got some that do")
        for array in (self.offsets, self.words, self.values):
            array.flags.writeable = False

    @property
    def n_docs(self) -> int:
        return len(self.offsets) - 1

    def select(self, chosen: NDArray[np.bool_]) -> "Histograms":
        """The chosen documents."""
        lengths = np.diff(self.offsets)
        keep = np.repeat(chosen, lengths)
        offsets = np.concatenate(([0], np.cumsum(lengths[chosen]))).astype(np.int64)
        return replace(self, offsets=offsets, words=self.words[keep], values=self.values[keep])

    def restrict(self, allowed: NDArray[np.bool_]) -> "Histograms":
        """The same documents with the entries of the allowed words only."""
        keep = allowed[self.words]
        offsets = np.concatenate(([0], np.cumsum(keep)))[self.offsets]
        return replace(self, offsets=offsets, words=self.words[keep], values=self.values[keep])

    @property
    def growth(self) -> float:
        """exp(1 / (2 sigma^2)): Pr[m | n] / Pr[m | 0] is growth^(n (2m - n)); 0 without Gaussian noise."""
        return exp(0.5 / self.sigma**2) if self.sigma else 0.0

    @property
    def dropping(self) -> float:
        """Pr[below 1 | n] / Pr[below 1 | 0] for n = 1, whose n-th power it is for n > 1.

        For Gaussian noise the power is an approximation from above; words of which a document has more than
        one and that are dropped nevertheless are rare.
        """
        if not self.sigma:
            return self.decay
        steps = np.arange(0, int(40 * self.sigma) + 2)
        tail = np.exp(-(steps**2) / (2 * self.sigma**2))
        return float(tail[1:].sum() / tail.sum())

    def chances(self) -> dict[str, float]:
        """What the kernel needs of words of mean mu that were not there, or did not survive, per unit of mu.

        P(n = 0) = exp(-absence mu), E[a^n] = exp(-silence mu), E[n a^n] / E[a^n] = hidden mu.
        """
        a, q = self.dropping, self.burstiness
        if a == 0:
            return {"absence": 0.0, "silence": 0.0, "hidden": 0.0}
        if q == 0:
            return {"absence": 1.0, "silence": 1 - a, "hidden": a}
        odds = (1 - q) / q
        return {
            "absence": -odds * log(1 - q),
            "silence": odds * log((1 - q * a) / (1 - q)),
            "hidden": a * (1 - q) / (1 - q * a),
        }
