r"""Agreeing on words without leaking them: a public list (free), or together at a document-level epsilon.

    party, 1:   each document votes for its first m different words that are at home here, each with weight
                1/sqrt(n), n <= m their number; sum the votes, add discrete Gaussian noise, and release the
                words that reach a threshold
    server:     candidates = the words that any party released; broadcast
    party, 2:   release noisy votes for all candidates (a clipped sum: the words are public now)
    server:     keep the words that at least min_parties parties proposed or confirmed, the most voted first
                (`choice_of_words`)

An engine runs it as two rounds like any others (`protocol.agreeing`).

A word is at home with `n_homes` parties that a public hash chooses: fewer words share a document's votes, so
rarer ones pass, and the other parties still confirm them. A word that no home of it holds often is lost. A
party proposes at most `most_proposed` words, so that none can crowd out the others.

Privacy of step 1. The votes of a document have Euclidean norm at most 1: rho-zCDP with rho = 1/(2 sigma^2)
for the words that other documents hold too. Words that only this document holds appear with probability at
most 1 - prod (1 - Pr[1/sqrt(n) + Z >= T]) <= delta by the choice of T, independently of the rest, so they are
one more event, (-ln(1 - delta), delta). Weights and threshold as in S. Gopi et al., Differentially private
set union, ICML 2020. A changed word changes its document's other votes, so words are priced as a document
replaced. Nothing about a word below the threshold leaves a party.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import ceil, expm1, isqrt, log1p, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text import words as rule
from fedtopics.documents.text.harmless import quoted
from fedtopics.documents.text.words import is_word
from fedtopics.errors import InputError
from fedtopics.privacy.choice_of_words import capped, held
from fedtopics.privacy.mechanisms import exact
from fedtopics.privacy.mechanisms.bounds import check_size
from fedtopics.privacy.mechanisms.calibration import bisect
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Cost, Loss, NoiseSource, Relation
from fedtopics.privacy.price.events import Approximate, ZeroConcentrated, check_delta, check_number
from fedtopics.privacy.price.release import Release

WordLists: TypeAlias = Sequence[Sequence[str]]
RESOLUTION = 2**12  # steps of the grid in a vote of weight 1


@dataclass(frozen=True)
class WordProposal:
    """Words whose noisy votes reach a threshold; delta: the chance that words of one document slip out."""

    multiplier: float
    delta: float
    max_words: int

    def __post_init__(self) -> None:
        exact.dyadic_variance(self.multiplier * RESOLUTION)
        check_delta(self.delta)
        check_number("delta", self.delta, open_minimum=True)
        check_size("words of a document that count", self.max_words)

    @cached_property
    def threshold(self) -> int:
        """Votes in steps that a word needs, so that words of one document pass with probability <= delta.

        Discrete noise reaches k no more often than continuous noise k - 1: the sum of its weights from k on
        is at most their integral from k - 1 on, and its normalizer at least sigma sqrt(2 pi).
        """
        from scipy.stats import norm

        sizes = np.arange(1, self.max_words + 1)
        each = np.array([-expm1(log1p(-self.delta) / n) for n in sizes])
        sigma = float(exact.dyadic_sigma(self.multiplier * RESOLUTION))  # what is drawn
        needed = vote_steps(sizes) + 1 + sigma * norm.isf(each)
        return ceil(float(needed.max()))

    def __call__(self, documents: WordLists, noise: Noise) -> Release[dict[str, float]]:
        """Release the words above the threshold, in alphabetical order, with their noisy votes."""
        votes: Counter[str] = Counter()
        for document in documents:
            words = list(dict.fromkeys(document))[: self.max_words]
            weight = int(vote_steps(np.array([max(1, len(words))]))[0])
            for word in words:
                votes[word] += weight
        words = sorted(votes)
        drawn = noise.gaussian(exact.dyadic_variance(self.multiplier * RESOLUTION), len(words))
        noisy = np.array([votes[word] for word in words], dtype=np.int64) + drawn
        released = {words[i]: float(noisy[i] / RESOLUTION) for i in np.flatnonzero(noisy >= self.threshold)}
        return Release(released, self.price(noise.source))

    def price(self, noise: NoiseSource = "secure") -> Cost:
        """What one proposal costs."""
        rho, slip = 1 / (2 * self.multiplier**2), Approximate(-log1p(-self.delta), self.delta)
        losses = [Loss("document add/remove", ZeroConcentrated(rho)), Loss("document add/remove", slip)]
        relations: tuple[Relation, ...] = ("word add/remove", "word replace", "document replace")
        for relation in relations:
            losses += [Loss(relation, ZeroConcentrated(4 * rho)), Loss(relation, slip, 2)]
        return Cost(tuple(losses), noise=noise)


@dataclass(frozen=True)
class Agreement:
    """How `parties` agree on a vocabulary at a document-level (`epsilon`, `delta`).

    min_parties     that must hold a word, which is at home with `n_homes`
    max_size        the most words that are agreed on; None: no limit
    max_words       m, different words of a document that count
    proposal_share  of the price that is for step 1
    """

    epsilon: float
    delta: float
    min_parties: int = 2
    max_size: int | None = None
    max_words: int = 200
    n_homes: int = 2
    proposal_share: float = 0.75

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, open_minimum=True)
        check_delta(self.delta)
        check_number("delta", self.delta, open_minimum=True)
        check_size("number of parties that must hold a word", self.min_parties)
        check_size("number of homes of a word", self.n_homes)
        if not 0 < self.proposal_share < 1:
            raise InputError(f"share of the proposal must lie in (0, 1), got {quoted(self.proposal_share)}")

    @cached_property
    def mechanisms(self) -> tuple[WordProposal, ClippedSum]:
        """The two releases, calibrated together; a fifth of delta is for words that slip out."""

        def both(multiplier: float) -> tuple[WordProposal, ClippedSum]:
            first, second = (multiplier / sqrt(s) for s in (self.proposal_share, 1 - self.proposal_share))
            return WordProposal(first, self.delta / 5, self.max_words), ClippedSum(second, 1.0, RESOLUTION)

        def cost(multiplier: float) -> float:
            spent = both(multiplier)[0].price() + both(multiplier)[1].price()
            return accounting.epsilon(spent.losses_of("document add/remove"), self.delta)

        return both(bisect(cost, 1e3, 0.1, self.epsilon, "document add/remove"))

    def prices(self) -> list[Cost]:
        """Price of both releases of a party, before any data is read."""
        return [mechanism.price() for mechanism in self.mechanisms]

    def propose(
        self, documents: WordLists, party: str, parties: Sequence[str], noise: Noise
    ) -> Release[dict[str, float]]:
        """[party] Words of `documents` at home with this `party` that reach the threshold with `noise`."""
        words = {word for document in documents for word in document}
        here = {w for w in words if is_word(w) and party in homes(w, parties, self.n_homes)}
        found = self.mechanisms[0]([[w for w in document if w in here] for document in documents], noise)
        return found.map(lambda votes: most_voted(votes, most_proposed(len(parties))))

    def at_home(self, words: Iterable[str], party: str, parties: Sequence[str]) -> set[str]:
        """[server] Of the `words` a `party` proposed, those at home with it: it counts as their holder."""
        return {word for word in words if party in homes(word, parties, self.n_homes)}

    def confirm(
        self, documents: WordLists, candidates: Sequence[str], noise: Noise
    ) -> Release[NDArray[np.float64]]:
        """[party] Votes of the `documents` for each of the `candidates`, with `noise`."""
        return self.mechanisms[1](presence(documents, candidates), noise)

    def choose(
        self, candidates: Sequence[str], proposed: NDArray[np.bool_], votes: NDArray[np.float64]
    ) -> tuple[str, ...]:
        """[server] The agreed words, most voted first; `proposed` and `votes` are parties x `candidates`."""
        if not proposed.size:
            return ()
        taken = held(proposed, votes / self.mechanisms[1].multiplier, self.min_parties)
        order = np.argsort(-capped(votes).sum(axis=0), kind="stable")
        return tuple(candidates[i] for i in order if taken[i])[: self.max_size]


def homes(word: str, parties: Sequence[str], n_homes: int) -> list[str]:
    """The parties that propose this word: those with the smallest hash of word and party."""
    return sorted(parties, key=lambda party: sha256(f"{word}/{party}".encode()).digest())[:n_homes]


def most_proposed(n_parties: int) -> int:
    """The most words that one of so many parties may propose: together they stay below what is taken."""
    return rule.MOST // n_parties


def most_voted(votes: Mapping[str, float], most: int) -> dict[str, float]:
    """At most so many words, those with the most votes, in the order they had."""
    if len(votes) <= most:
        return dict(votes)
    kept = set(sorted(votes, key=lambda word: -votes[word])[:most])
    return {word: vote for word, vote in votes.items() if word in kept}


def vote_steps(n_words: NDArray[np.int64]) -> NDArray[np.int64]:
    """The weight 1/sqrt(n) in steps, rounded down so that n of them have norm at most RESOLUTION."""
    return np.array([isqrt(RESOLUTION**2 // int(n)) for n in n_words], dtype=np.int64)


def presence(documents: WordLists, candidates: Sequence[str]) -> NDArray[np.float64]:
    """Which candidates each document holds, as sparse rows of ones."""
    from scipy.sparse import csr_matrix

    column = {word: i for i, word in enumerate(candidates)}
    held = [sorted({column[word] for word in document if word in column}) for document in documents]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in held])]).astype(np.int64)
    columns = np.array([i for row in held for i in row], dtype=np.int64)
    matrix: NDArray[np.float64] = csr_matrix(
        (np.ones(len(columns)), columns, offsets), shape=(len(held), len(candidates))
    )
    return matrix
