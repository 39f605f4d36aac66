"""PC-TD as printed: semantic units of one topic each, federated EM, Gaussian noise on the counts.

Yexuan Shi et al., Federated topic discovery: a semantic consistent approach, IEEE Intelligent Systems 2021.

    unit      n words in a row (of one sentence, where known), a sentence or a paragraph; has one topic
    round t   server:  send phi;  t = 0: random topics
              party:   Y_uw = N_uw + Gaussian noise of deviation sigma, for each unit u and word w, anew;
                       r_uk ~ theta_dk prod_w phi_kw^Y_uw;  theta_dk ~ sum_u r_uk;
                       send M_wk = sum_u Y_uw r_uk
              server:  phi_kw ~ max(sum over the parties of M_wk, 0) + beta

Word relations (Eq. 12, 13) are a part of their own: `fedtopics.related_words`, with any method.

Guarantee: n_rounds Gaussian releases compose, for a word added or removed to epsilon 380 at sigma 0.25, 35
rounds and delta 1e-5; with sentences or paragraphs as units. With n-grams, as in the paper, only a word
replaced has a bound (`gaussian_units.py`). Public: vocabulary, settings, number of documents and of units in
each (for n-grams so the length). theta never leaves.

Corrections to the printed algorithm: all parties start from the same topics (drawn each by itself, topic k of
one party has nothing to do with topic k of another). Negative sums of M, which have no logarithm, are cut at
zero and beta is added. The noise is discrete on a grid of 1/64.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.methods.pctd import semantic_units
from fedtopics.methods.pctd.gaussian_units import GaussianUnits, least_sigma
from fedtopics.methods.pctd.semantic_units import SemanticUnits
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.mechanism import counts_of
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.release import Release, side_by_side
from fedtopics.protocol.method import About
from fedtopics.protocol.told import Form, topics_with_sizes
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import unit_em

SIGMA = 0.25  # where neither it nor epsilon is given


@dataclass(frozen=True)
class PrintedPctd(GaussianUnits):
    sigma: float | None = None  # deviation of the noise, instead of epsilon; 0.25 where neither is given
    beta: float = 0.05

    grid: ClassVar[int] = 64
    about: ClassVar[About] = About(
        summary="one topic for each n-gram, sentence or paragraph; Gaussian noise in every round; as printed",
        guarantee="(epsilon, delta) for a word added or removed; none with n-grams",
        citation="Shi et al., IEEE Intelligent Systems 2021",
    )
    variant: ClassVar[str | None] = "paper"
    may_be_negative: ClassVar[tuple[str, ...]] = ("counts",)

    @property
    def deviation(self) -> float:
        if self.epsilon is None:
            return SIGMA if self.sigma is None else self.sigma
        return least_sigma(self.epsilon, self.delta, self.n_releases, self.grid, self.bounds)

    @property
    def prior(self) -> float:
        return self.beta

    @property
    def ngrams(self) -> bool:
        return self.unit == "ngram"

    @property
    def n_releases(self) -> int:
        return self.n_rounds

    def claims(self) -> list[tuple[float, str]]:
        claimed = moments_claim(self.deviation, self.n_rounds, self.delta)
        return [(claimed, "PC-TD, conditions in the proof of Theorem 1")]

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {"counts": turn.generator().gamma(5.0, 1 / 5.0, (n_words, self.n_topics))}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return [topics_with_sizes(n_words, self.n_topics, self.prior)]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        corpus = party.require_documents()
        mechanism = self.mechanism(corpus.n_words)
        units = semantic_units.cut(corpus, self.unit, self.words_of_unit)
        random = turn.generator().dirichlet(np.ones(self.n_topics), corpus.n_docs).astype(np.float32)
        theta = party.memory.get("theta", random)
        fresh = fresh_counts(mechanism, corpus, units, theta, told["phi"], turn.noise())
        return fresh.map(lambda found: {"counts": found["counts"]}), {"theta": fresh.value["theta"]}


def moments_claim(sigma: float, rounds: int, delta: float) -> float:
    """Epsilon by the proof: the least with T l^2 / s^2 <= l e / 2, exp(-l e / 2) <= delta for an l."""
    return 2 * sqrt(rounds * log(1 / delta)) / sigma


CELLS_AT_ONCE = 1 << 22


def fresh_counts(
    mechanism: GaussianCounts | Histogram,
    corpus: Corpus,
    units: SemanticUnits,
    theta: NDArray[np.float32],
    phi: NDArray[np.float32],
    noise: Noise,
) -> Release[Arrays]:
    """M (Eq. 10) and the mixtures of documents, on counts with noise of their own, drawn for this step.

    Every count of every unit is noisy, zeros too; the units are read block by block.
    """
    document = np.repeat(np.arange(corpus.n_docs), np.diff(units.documents))
    log_phi = np.log(phi)

    def e_step(first: int, last: int) -> Release[Arrays]:
        rows = units.offsets[first : last + 1]
        counts = counts_of(corpus.words[rows[0] : rows[-1]], rows, corpus.n_words)
        released = _noisy(mechanism, counts, noise)
        chances = unit_em.responsibilities(
            unit_em.plug_in(released.value, log_phi), theta[document[first:last]]
        )
        upload = unit_em.plug_in_counts(released.value, chances)
        return released.map(lambda _: {"counts": upload, "chances": chances})

    n_rows = max(1, CELLS_AT_ONCE // corpus.n_words)
    bounds = [*range(0, max(len(document), 1), n_rows), len(document)]
    parts = (e_step(first, last) for first, last in pairwise(bounds))
    return side_by_side(parts, _added).map(
        lambda found: {
            "counts": found["counts"].astype(np.float32),
            "theta": unit_em.mixtures(found["chances"], units.documents, 0.0),
        }
    )


def _noisy(
    mechanism: GaussianCounts | Histogram, counts: NDArray[np.int64], noise: Noise
) -> Release[NDArray[np.float64]]:
    if isinstance(mechanism, Histogram):  # which releases nothing
        silent = mechanism(np.zeros(0, np.int32), np.zeros(1, np.int64), noise)
        return silent.map(lambda _: np.zeros(counts.shape))
    return mechanism.add_to(counts, noise).map(lambda drawn: drawn / mechanism.grid)


def _added(one: Arrays, other: Arrays) -> Arrays:
    counts, chances = one["counts"] + other["counts"], np.concatenate([one["chances"], other["chances"]])
    return {"counts": counts, "chances": chances}


METHOD = PrintedPctd
