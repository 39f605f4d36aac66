"""What the coordinator gets of one unit from noisy sums (hush), by the exact likelihood ratio.

The coordinator knows all but whether the unit is there. What it adds to every sum, given what the party was
told, he can compute; the noise is Gaussian, so the logarithm of the likelihood ratio of all answers is

    sum over rounds of  <answer - without, shift> / sigma^2 - |shift|^2 / (2 sigma^2)

Each replay holds one unit and a coin of its own: replays are independent, and error rates may be counted.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit.canaries import PARTY, Canaries
from fedtopics.audit.guesses import Scored
from fedtopics.audit.messages import Reference
from fedtopics.errors import InputError
from fedtopics.methods.hush import forms
from fedtopics.methods.hush.method import Hush
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.price.cost import Relation
from fedtopics.protocol.turn import Turn

N_WORDS, TIMES = 30, 10  # of a document that adds as much to every sum as is allowed: nothing is cut in vain


def worst_unit(relation: Relation, vocabulary: tuple[str, ...], frequent: NDArray[np.int64]) -> Canaries:
    """One document of frequent words, or one word, against none or against another."""
    if relation.startswith("word"):
        there, other = frequent[:1], frequent[1:2]
    else:
        half = min(N_WORDS, len(frequent) // 2)
        there, other = np.repeat(frequent[:half], TIMES), np.repeat(frequent[half : 2 * half], TIMES)
    otherwise = other[None] if relation.endswith("replace") else other[None, :0]
    return Canaries(relation, np.zeros(1, np.int64), there[None], otherwise, vocabulary)


@dataclass(frozen=True, eq=False)
class Answer:
    """One answer of the party, before noise: its sum without the unit, and with it."""

    without: NDArray[np.int64]
    having: NDArray[np.int64]
    mechanism: ClippedSum

    def drawn(self, there: bool, turn: Turn) -> NDArray[np.int64]:
        """The noisy sum, bit for bit as the party of a run sends it at this turn."""
        return self.mechanism.release(self.having if there else self.without, turn.noise()).value

    def evidence(self, sent: NDArray[np.int64]) -> float:
        """The logarithm of the likelihood ratio of what was sent."""
        shift = (self.having - self.without).ravel().astype(np.float64)
        beyond = (sent - self.without).ravel().astype(np.float64) - shift / 2
        return float(beyond @ shift) / self.mechanism.sigma**2


def answers(reference: Reference, canaries: Canaries, n_threads: int) -> list[Answer]:
    """What the party adds up in every round of the run, with the unit and without."""
    method = reference.method
    if not isinstance(method, Hush):
        raise InputError(f"expected a method that sends noisy sums, got {type(method).__name__}")
    without, having = (canaries.planted(np.array([coin])) for coin in (False, True))
    found = []
    for told in reference.told:
        what = forms.asked(told)
        less, more = (method.summed(what, corpus, told, n_threads) for corpus in (without, having))
        found.append(Answer(less, more, method.spending.mechanism(what)))
    return found


def scored(reference: Reference, canaries: Canaries, *, n_replays: int, seed: int, n_threads: int) -> Scored:
    """The logarithm of the likelihood ratio of each replay, and its coin."""
    rounds = answers(reference, canaries, n_threads)
    coins = np.random.default_rng(seed).random(n_replays) < 0.5
    scores = [
        sum(
            answer.evidence(answer.drawn(bool(coin), Turn(seed + replayed, "party", number, PARTY)))
            for number, answer in enumerate(rounds)
        )
        for replayed, coin in enumerate(coins)
    ]
    return Scored(np.array(scores), coins)
