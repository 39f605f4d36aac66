"""A corpus small enough to list every assignment of topics, and how likely each is."""

from __future__ import annotations

import os
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln
from scipy.stats import chisquare

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling.lda import Priors

FALSE_ALARM = 1e-6  # per assertion, when the code is right

N_TOPICS = 3
TINY = Corpus(np.array([0, 1, 1, 0], np.int32), np.array([0, 3, 4], np.int64), ("a", "b"))
PRIORS = Priors(np.array([0.3, 0.5, 0.9]), beta=0.7)
EVERY_Z = np.array(list(product(range(N_TOPICS), repeat=TINY.n_tokens)), np.uint16)


def seed_of(fixed: int) -> int:
    """A fixed seed on each push, a fresh one with FRESH_SEEDS=1."""
    return int.from_bytes(os.urandom(4)) if os.environ.get("FRESH_SEEDS") == "1" else fixed


def number_of(z: NDArray[np.uint16]) -> int:
    """The row of EVERY_Z that equals `z`."""
    return int(z @ N_TOPICS ** np.arange(len(z))[::-1])


def log_joint(z: NDArray[np.uint16], others: NDArray[np.float64]) -> float:
    """log p(w, z) up to a constant (Griffiths and Steyvers 2004, eq. 2 and 3)."""
    n_dk, n_wk = np.zeros((TINY.n_docs, N_TOPICS)), others.copy()
    np.add.at(n_dk, (TINY.docs, z), 1)
    np.add.at(n_wk, (TINY.words, z), 1)
    words = gammaln(n_wk + PRIORS.beta).sum() - gammaln(n_wk.sum(axis=0) + TINY.n_words * PRIORS.beta).sum()
    return float(gammaln(n_dk + PRIORS.alpha).sum() + words)


def posterior(others: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Probability of each row of EVERY_Z."""
    base = np.zeros((TINY.n_words, N_TOPICS)) if others is None else others
    log_p = np.array([log_joint(z, base) for z in EVERY_Z])
    p = np.exp(log_p - log_p.max())
    return np.asarray(p / p.sum())


def assert_drawn_from(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> None:
    """`counts` are independent draws from `probabilities` (Pearson's test, expected counts of at least 5)."""
    expected = probabilities / probabilities.sum() * counts.sum()
    assert expected.min() >= 5, f"too few draws: the smallest expected count is {expected.min():.2f}"
    p = chisquare(counts, expected).pvalue
    assert p > FALSE_ALARM, f"p = {p:.1e}: drew {counts}, expected {expected.round(1)}"
