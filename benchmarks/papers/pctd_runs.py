"""Runs of PC-TD on Reuters stories at the paper's own sizes, shared by its figures."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.papers.items import SEEDS, Numbers, Parts, mean
from benchmarks.papers.runs import run
from fedtopics import methods
from fedtopics.documents import splitting
from fedtopics.documents.reading import read
from fedtopics.documents.text.word_filter import WordFilter
from fedtopics.evaluation.perplexity import unigram_perplexity
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import FREE
from fedtopics.runs.preparing import Data

SIZES = {"party-1": 85, "party-2": 165, "party-3": 252}  # the paper's own
N_WORDS, N_TEST = 3000, 125
SIGMA, SIGMAS, TOPICS = 0.25, (0.25, 0.3), (10, 20, 50)
DELTA, ROUNDS, EVERY, K = 1e-5, 35, 5, 20
NO_NOISE: dict[str, Any] = {"sigma": 0.12, "release": "unit"}  # one count in 10^15 is changed
REUTERS = f"""
    502 Reuters stories of 40 or more of the {N_WORDS:,} most frequent words (85, 165 and 252 at three
    parties, as theirs), {N_TEST} others to test; units of three words. Theirs: 502 stories of the New York
    Times, 18,286 words; not public as sampled. No word vectors: relations between words are a part of their
    own here.
"""


@cache
def data() -> Data:
    corpus = read(str(corpora.path("reuters"))).filtered(WordFilter(max_words=N_WORDS))
    long = np.random.default_rng(0).permutation(np.flatnonzero(corpus.lengths >= 40))
    n_docs = sum(SIZES.values())
    train, test = corpus.select(long[:n_docs]), corpus.select(long[n_docs : n_docs + N_TEST])
    parties = splitting.by_proportions(train, list(SIZES.values()), seed=0)
    return Data({party.name or "": party for party in parties}, test, "reuters")


def unigram() -> float:
    return unigram_perplexity(data().train, data().test)


def printed(seed: int, sigma: float, k: int, party: str | None) -> dict[str, Any]:
    """The paper's variant, of all parties or of one."""
    held = data() if party is None else Data({party: data().parties[party]}, data().test)
    given: dict[str, Any] = {"variant": "paper", "sigma": sigma, "n_rounds": ROUNDS}
    return run(held, "pctd", seed, every=EVERY, n_topics=k, **given)


def no_noise(seed: int, k: int) -> dict[str, Any]:
    """Semantic units without perturbation."""
    return run(data(), "pctd", seed, every=EVERY, n_topics=k, n_rounds=ROUNDS, **NO_NOISE)


def repaired(seed: int, k: int, party: str | None) -> dict[str, Any]:
    held = data() if party is None else Data({party: data().parties[party]}, data().test)
    return run(held, "pctd", seed, every=EVERY, n_topics=k, epsilon=8.0)


def lda(seed: int, k: int) -> dict[str, Any]:
    """By one sweep a round, with the paper's priors: alpha is the number of topics / 50."""
    given: dict[str, Any] = {"n_sweeps": 1, "n_rounds": ROUNDS, "alpha": k / 50, "beta": 0.01}
    return run(data(), "pooled", seed, every=EVERY, n_topics=k, **given)


def calm(seed: int, k: int, epsilon: float) -> dict[str, Any]:
    return run(data(), "calm", seed, every=50, n_topics=k, epsilon=epsilon)


def proved(sigma: float) -> float:
    """Epsilon of all rounds for a word of a sentence, others where they were, from the method's own plan."""
    plan = methods.make("pctd", variant="paper", unit="sentence", sigma=sigma, n_rounds=ROUNDS).prices(
        N_WORDS
    )
    return accounting.epsilon(sum(plan, start=FREE).losses_of("word add/remove"), DELTA)


def printed_runs(
    sigma: float = SIGMA, k: int = K, seeds: Iterable[int] = SEEDS, party: str | None = None
) -> Parts:
    named = f"pctd printed, sigma {sigma:g}, {k} topics{f', {party}' if party else ''}"
    return {f"{named}, seed {seed}": partial(printed, seed, sigma, k, party) for seed in seeds}


def runs(kind: str, k: int = K, party: str | None = None) -> Parts:
    """Runs of `lda`, `no noise`, `repaired` or `calm` (at the epsilon of sigma 0.25, and at 8)."""
    if kind == "calm":
        return {
            f"pctd calm, epsilon {e:.0f}, {k} topics, seed {s}": partial(calm, s, k, e)
            for e in (round(proved(SIGMA), 1), 8.0)
            for s in SEEDS
        }
    if kind == "repaired":
        named = f"pctd repaired, {k} topics{f', {party}' if party else ''}"
        return {f"{named}, seed {seed}": partial(repaired, seed, k, party) for seed in SEEDS}
    called = {"lda": lda, "no noise": no_noise}[kind]
    return {f"pctd {kind}, {k} topics, seed {seed}": partial(called, seed, k) for seed in SEEDS}


def of(numbers: Numbers, named: str, score: str = "perplexity") -> list[float]:
    """The last score of a kind of run, seed by seed."""
    keys = [f"pctd {named}, seed {seed}" for seed in SEEDS]
    return [numbers[key][score] for key in keys if key in numbers]


def curve(numbers: Numbers, named: str) -> list[float]:
    """Perplexity every five rounds, the mean of the seeds."""
    keys = [f"pctd {named}, seed {seed}" for seed in SEEDS]
    found = [numbers[key]["by_round"] for key in keys if key in numbers]
    return [mean(values) for values in zip(*found, strict=True)]


def named(sigma: float = SIGMA, k: int = K) -> str:
    return f"printed, sigma {sigma:g}, {k} topics"
