"""The papers under attack: what their printed claims say, what is proved, and what an attack reaches.

Every attack runs the code of the method as printed (variant "paper"), or of its mechanism where that is what
the claim is about, and guesses coins; its number is a lower bound at 95 % confidence. Counting guesses cannot
reach more than about the logarithm of their number, so a number here says "at least", not "about".
"""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit import last_sweep_noise, lower_bounds, mechanisms, messages
from fedtopics.audit.canaries import PARTY, Canaries
from fedtopics.audit.guesses import Scored, reached
from fedtopics.audit.messages import Reference
from fedtopics.documents.corpus import Corpus
from fedtopics.methods.ftm.paper import PrintedFtm
from fedtopics.methods.ftm.vectors import Vectors
from fedtopics.methods.pctd.paper import PrintedPctd, moments_claim
from fedtopics.privacy.mechanisms.bit_vector import bit_vector
from fedtopics.privacy.mechanisms.bounds import Bounds
from fedtopics.privacy.mechanisms.mechanism import find_mechanism
from fedtopics.privacy.mechanisms.one_hot import OneHot
from fedtopics.privacy.mechanisms.prior_response import PriorResponse
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Loss, Relation
from fedtopics.privacy.price.events import Gaussian
from fedtopics.protocol.turn import Party, Turn

FEW = tuple(f"word{number}" for number in range(12))


@dataclass(frozen=True)
class Broken:
    """One claim, and what an attack reached, at the same delta; `seen` is what the attacker looked at."""

    paper: str
    relation: Relation
    claimed: float
    delta: float
    proved: float
    reached: float
    seen: str
    bound: str
    n_canaries: int

    @property
    def refuted(self) -> bool:
        """Whether the attack reaches more than is claimed."""
        return self.reached > self.claimed


def ftm_number(seed: int = 0, epsilon: float = 8.0, n_documents: int = 20_000) -> Broken:
    """FTM: a word more is a vector more, whatever the noise on it is."""
    vectors = PrintedFtm(epsilon=epsilon, n_topics=2).vectors(len(FEW))
    seen = [_lengths(vectors, n_documents, seed + start) for start in (0, 1)]
    found = reached(*seen)
    return Broken(
        "FTM, iFTM",
        "word add/remove",
        epsilon,
        0.0,
        inf,
        found.epsilon,
        "number of vectors",
        found.how,
        n_documents,
    )


def _lengths(vectors: Vectors, n_documents: int, seed: int) -> Scored:
    """Documents of two words or three: how many vectors each has."""
    there = np.random.default_rng(seed).random(n_documents) < 0.5
    offsets = np.concatenate([[0], np.cumsum(2 + there)])
    corpus = Corpus((np.arange(offsets[-1]) % len(FEW)).astype(np.int32), offsets, FEW)
    released = vectors.release(Party(PARTY, corpus, {}), Turn(seed, "party", 0, PARTY)).value
    return Scored(np.diff(released["documents"]).astype(np.float64), there)


def ftm_word(seed: int = 0, epsilon: float = 8.0, n_trials: int = 100_000) -> Broken:
    """FTM: a word replaced changes two entries of a vector, and costs twice what is claimed."""
    made = OneHot(epsilon, len(FEW))
    found = mechanisms.audit_mechanism(
        find_mechanism("one-hot"), made, "word replace", n_trials=n_trials, delta=0.0, seed=seed
    )
    proved = mechanisms.proved(made, "word replace", 0.0)
    return Broken(
        "FTM, iFTM", "word replace", epsilon, 0.0, proved, found.epsilon, "noisy vectors", found.how, n_trials
    )


# FedLDA's Figure 3: rows are topics; the columns are the marked word "cat", then the others in printed order.
FIGURE_3 = np.array(
    [
        [0.6, 0.2, 0.1, 0.05, 0.02, 0.02, 0.01],
        [0.1, 0.8, 0.04, 0.03, 0.01, 0.01, 0.01],
        [0.01, 0.5, 0.2, 0.1, 0.1, 0.08, 0.01],
        [0.02, 0.7, 0.1, 0.1, 0.06, 0.01, 0.01],
        [0.02, 0.7, 0.2, 0.03, 0.02, 0.02, 0.01],
    ]
)
FIGURE_3_THETA = np.array([0.6, 0.2, 0.1, 0.08, 0.02])
FREQUENT, RARE = 1, 6  # words of it: the rare one is in no topic's truncated set


def fedlda(seed: int = 0, epsilon: float = 7.5, delta: float = 0.1, n_trials: int = 40_000) -> Broken:
    """FedLDA: of a word outside every truncated set RRP says so, on the paper's own example."""
    made = PriorResponse.from_topics(epsilon, delta, FIGURE_3, FIGURE_3_THETA, public_prior=True)
    pair = (np.array([FREQUENT], np.int32),), (np.array([RARE], np.int32),)
    known = find_mechanism("prior response")
    seen = [mechanisms.trials(known, made, pair, n_trials, seed + start) for start in (0, n_trials)]
    found = reached(*seen, delta=2 * delta, independent=True)
    return Broken(
        "FedLDA", "word replace", epsilon, 2 * delta, inf, found.epsilon, "one report", found.how, n_trials
    )


def lplda(seed: int = 0, f: float = 0.1, max_distinct: int = 100, n_trials: int = 2000) -> Broken:
    """LP-LDA: the bits of a document are many, and each tells of it."""
    made = bit_vector(f, 2 * max_distinct, Bounds(max_length=max_distinct))
    found = mechanisms.audit_mechanism(
        find_mechanism("bit vector"), made, "document replace", n_trials=n_trials, delta=0.0, seed=seed
    )
    claimed, proved = made.price().claims[0].epsilon, mechanisms.proved(made, "document replace", 0.0)
    return Broken(
        "LP-LDA", "document replace", claimed, 0.0, proved, found.epsilon, "noisy bits", found.how, n_trials
    )


def pctd(seed: int = 0, sigma: float = 0.25, n_replays: int = 60) -> Broken:
    """PC-TD: noise is drawn anew in every round; the rounds together have hardly any."""
    method = PrintedPctd(sigma=sigma, n_topics=2)
    rng = np.random.default_rng(seed)
    others = Corpus(rng.integers(0, len(FEW), 60).astype(np.int32), np.arange(0, 61, 6), FEW)
    reference = messages.reference(method, {"others": others}, seed=seed, n_threads=1)
    word = Canaries(
        "word add/remove", np.zeros(1, np.int64), np.array([[0]]), np.zeros((1, 0), np.int64), FEW
    )
    known, guessed = (_odds(reference, word, sigma, n_replays, seed + start) for start in (1, 1 + n_replays))
    cuts = np.quantile(known, (0.1, 0.5, 0.9))
    cut = float(max(cuts, key=lambda each: _bound(known, each, method.delta)))
    found = _bound(guessed, cut, method.delta)
    claimed = moments_claim(sigma, method.n_rounds, method.delta)
    fresh = [Loss("word add/remove", Gaussian(sigma), method.n_rounds)]
    proved = accounting.epsilon(fresh, method.delta)
    seen = f"messages of {method.n_rounds} rounds"
    return Broken("PC-TD", "word add/remove", claimed, method.delta, proved, found, seen, "odds", n_replays)


def _odds(
    reference: Reference, word: Canaries, sigma: float, n_replays: int, seed: int
) -> NDArray[np.float64]:
    """Of replays in which the word is there: the logarithm of the likelihood ratio of all its counts.

    The only n-gram of the only document has it once or not at all, so what is sent of the word, added up over
    the topics, is that number with noise.
    """
    found = []
    for number in range(n_replays):
        sent = messages.replay(reference, word, np.array([True]), seed=seed + number, n_threads=1)
        counts = np.array([arrays["counts"][0].sum(dtype=np.float64) for arrays in sent])
        found.append(float((2 * counts - 1).sum() / (2 * sigma**2)))
    return np.array(found)


def _bound(odds: NDArray[np.float64], cut: float, delta: float) -> float:
    return lower_bounds.losses(int((odds >= cut).sum()), len(odds), cut, delta)


def fdptm(seed: int = 0, epsilon: float = 1.0, n_models: tuple[int, int] = (50, 100)) -> Broken:
    """FDPTM: noise in the last sweep decides where words are counted, not whether."""
    known, guessed = (
        last_sweep_noise.attacked(epsilon, number, seed + start)
        for number, start in zip(n_models, (0, n_models[0]), strict=True)
    )
    found = reached(known, guessed)
    return Broken(
        "FDPTM", "document add/remove", epsilon, 0.0, inf, found.epsilon, "the model", found.how, len(guessed)
    )
