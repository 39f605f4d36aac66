"""Private topics of others, at a budget for whole documents: DP-EM from a random start, and VIPS.

Both sum expected counts of words by topics, of each document a matrix that is cut to norm C, and add noise:

    S_wk = sum_d cut(c_dw r_dwk) + N(0, (m C)^2)       r: responsibilities of the document, given the topics

    DP-EM   T rounds of all documents;  m = sigma sqrt(T), as all rounds are one release of deviation sigma
            phi_wk ~ max(S_wk, 0) + beta
    VIPS    T rounds of a sample of the documents, each there with chance q;  m by the Renyi accountant for
            T times Gaussian noise on a Poisson sample (the paper's moments accountant)
            lambda <- (1 - rho_t) lambda + rho_t (beta + max(S, 0) / q),    rho_t = (tau0 + t)^-kappa
            phi = exp E[log phi] under Dirichlet(lambda);  in the end its mean

What is ours: a document is cut to a norm, where the papers bound its length, so that less noise is needed;
its responsibilities are those of CVB0, as hush takes them; DP-EM, published for mixtures, has LDA's topics.
T, C, q and kappa are the best of those that the case `hush_tuning` tries on Reuters, where VIPS gains with
the size of its samples and comes near DP-EM. Noise is of floats: this is for comparing, not for publishing.

Mijung Park, James Foulds, Kamalika Chaudhuri, Max Welling. DP-EM: Differentially private expectation
maximization. AISTATS 2017.
Mijung Park, James Foulds, Kamalika Chaudhuri, Max Welling. Variational Bayes in private settings (VIPS). JAIR
68, 2020.
"""

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import digamma

from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.privacy.price.gaussian import noise_multiplier
from fedtopics.sampling import clipped_counts

ALPHA, BETA = 0.05, 0.01
N_STEPS = 15  # updates of each document in a round, as in hush
RESOLUTION = 2**16  # steps in the norm of a document
ORDERS = range(2, 65)  # of the Renyi accountant
ANY_COUNT = 1e6  # a word's count in a document is not capped: the norm is

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """Rounds, the norm C of a document and, for VIPS, the chance q of a document and the step sizes."""

    n_rounds: int
    clip: float
    chance: float = 1.0
    tau0: float = 1.0
    kappa: float = 0.7


def dp_em(
    corpus: Corpus, n_topics: int, epsilon: float, delta: float, seed: int, setting: Setting
) -> TopicModel:
    """Topics by full-batch EM with noise in every round, from random topics."""
    generator = np.random.default_rng(seed)
    multiplier = noise_multiplier(epsilon, delta) * sqrt(setting.n_rounds)
    counts = corpus.to_sparse()
    phi = _random_topics(corpus.n_words, n_topics, generator)
    for _ in range(setting.n_rounds):
        noisy = _noisy_counts(counts, phi, setting.clip, multiplier, generator)
        phi = _normalized(np.maximum(noisy, 0) + BETA)
    return _model(phi, corpus.vocabulary)


def vips(
    corpus: Corpus, n_topics: int, epsilon: float, delta: float, seed: int, setting: Setting
) -> TopicModel:
    """Topics by stochastic variational inference on private samples of the documents."""
    generator = np.random.default_rng(seed)
    multiplier = sampled_multiplier(epsilon, delta, setting.chance, setting.n_rounds)
    counts = corpus.to_sparse()
    weights = generator.gamma(100, 0.01, (corpus.n_words, n_topics))  # lambda, as Hoffman et al. begin
    for number in range(setting.n_rounds):
        sample = counts[np.flatnonzero(generator.random(corpus.n_docs) < setting.chance)]
        phi = np.exp(digamma(weights) - digamma(weights.sum(axis=0)))
        noisy = _noisy_counts(sample, phi, setting.clip, multiplier, generator)
        rate = (setting.tau0 + number) ** -setting.kappa
        weights = (1 - rate) * weights + rate * (BETA + np.maximum(noisy, 0) / setting.chance)
    return _model(_normalized(weights), corpus.vocabulary)


@cache
def sampled_multiplier(epsilon: float, delta: float, chance: float, n_rounds: int) -> float:
    """The least noise, in norms of a document, with which this many rounds of samples keep the budget."""
    from dp_accounting import (
        GaussianDpEvent,
        PoissonSampledDpEvent,
        SelfComposedDpEvent,
        calibrate_dp_mechanism,
    )
    from dp_accounting.rdp import RdpAccountant

    def event(multiplier: float) -> SelfComposedDpEvent:
        return SelfComposedDpEvent(PoissonSampledDpEvent(chance, GaussianDpEvent(multiplier)), n_rounds)

    return float(calibrate_dp_mechanism(lambda: RdpAccountant(ORDERS), event, epsilon, delta, tol=1e-4))


def _noisy_counts(
    counts: csr_array, phi: Floats, clip: float, multiplier: float, generator: np.random.Generator
) -> Floats:
    """The noisy sum (n_words, n_topics) of what the documents, each cut to norm `clip`, expect of topics."""
    steps = clipped_counts.sum_of_differences(
        counts.indices,
        counts.data,
        counts.indptr,
        np.arange(counts.shape[0] + 1),
        phi.astype(np.float32),
        np.zeros(phi.shape, np.float32),
        np.ones(phi.shape, np.float32),
        alpha=ALPHA,
        n_steps=N_STEPS,
        cap=ANY_COUNT,
        clip=clip,
        resolution=RESOLUTION,
    )
    return steps * (clip / RESOLUTION) + generator.normal(0, multiplier * clip, phi.shape)


def _random_topics(n_words: int, n_topics: int, generator: np.random.Generator) -> Floats:
    return _normalized(generator.gamma(1.0, 1.0, (n_words, n_topics)))


def _normalized(weights: Floats) -> Floats:
    return np.asarray(weights / weights.sum(axis=0))


def _model(phi: Floats, vocabulary: tuple[str, ...]) -> TopicModel:
    return TopicModel(phi.T, np.full(phi.shape[1], ALPHA), vocabulary)
