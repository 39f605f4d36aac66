"""What the coordinator gets of one unit from noisy sums (hush), by the exact likelihood ratio.

The coordinator knows all but whether the unit is there. What it adds to every sum, given what the party was
told, he can compute; the noise is Gaussian, so the logarithm of the likelihood ratio of all answers is

    sum over rounds of  <answer - without, shift> / sigma^2 - |shift|^2 / (2 sigma^2)

Each replay holds one unit and a coin of its own: replays are independent, and error rates may be counted.
Where a secure sum carries the answers, the noise is that of all parties that do not help him.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit.canaries import Canaries
from fedtopics.audit.guesses import Scored
from fedtopics.audit.messages import Reference
from fedtopics.errors import InputError
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
    """One answer of the party, before noise: its sum without the unit, and with it.

    unknown   the parties whose noise is in what is seen: this one, and others that have nothing to add
    """

    without: NDArray[np.int64]
    having: NDArray[np.int64]
    mechanism: ClippedSum
    unknown: tuple[str, ...]

    def drawn(self, there: bool, turn: Turn) -> NDArray[np.int64]:
        """The noisy sum, bit for bit as it is seen at this turn."""
        seen = self.having if there else self.without
        for name in self.unknown:
            seen = self.mechanism.release(seen, replace(turn, party=name).noise()).value
        return seen

    def evidence(self, sent: NDArray[np.int64], turn: Turn) -> float:
        """The logarithm of the likelihood ratio of what was sent."""
        shift = (self.having - self.without).ravel().astype(np.float64)
        beyond = (sent - self.without).ravel().astype(np.float64) - shift / 2
        return float(beyond @ shift) / (self.mechanism.sigma * turn.noise_of_sum(len(self.unknown))) ** 2


def answers(reference: Reference, canaries: Canaries, n_threads: int) -> list[Answer]:
    """What the party adds up in every round of the run, with the unit and without."""
    corpora = [canaries.planted(np.array([coin])) for coin in (False, True)]
    found = []
    for told in reference.told:
        made = [reference.method.before_noise(corpus, told, n_threads) for corpus in corpora]
        without, having = made
        if without is None or having is None:
            raise InputError(f"expected answers that are noisy sums, got {reference.method.about.summary}")
        found.append(Answer(without.total, having.total, without.mechanism, reference.unknown))
    return found


def scored(reference: Reference, canaries: Canaries, *, n_replays: int, seed: int, n_threads: int) -> Scored:
    """The logarithm of the likelihood ratio of each replay, and its coin."""
    rounds = answers(reference, canaries, n_threads)
    coins = np.random.default_rng(seed).random(n_replays) < 0.5
    scores = []
    for replayed, coin in enumerate(coins):
        turns = (reference.turn(seed + replayed, number, n_threads) for number in range(len(rounds)))
        scores.append(
            sum(
                answer.evidence(answer.drawn(bool(coin), turn), turn)
                for answer, turn in zip(rounds, turns, strict=True)
            )
        )
    return Scored(np.array(scores), coins)
