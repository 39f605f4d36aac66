"""Runs of FTM and iFTM: LDA on KOS, SentenceLDA on Reuters, shared by the figures of both papers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.papers.items import SEEDS, Numbers, Parts
from benchmarks.papers.runs import run
from fedtopics.documents.reading import read
from fedtopics.evaluation.perplexity import unigram_perplexity
from fedtopics.runs.preparing import Data, prepare

K, N_WORDS, ROUNDS = 50, 2000, 5
TAU = 0.2
NO_NOISE = 700.0  # epsilon: one count in 10^304 is changed; SentenceLDA has no other trainer here
CONVENTIONAL, EVERY = 300, 5  # sweeps of conventional training, each a round, and how often it is scored
SETS = {"LDA": "kos", "SentenceLDA": "reuters"}
UNITS: dict[str, dict[str, Any]] = {"LDA": {}, "SentenceLDA": {"unit": "sentence", "n_local": 40}}
KOS = f"""
    LDA: KOS, {N_WORDS:,} words, 3,087 training documents at three unlike, unequal parties, 343 to test;
    {K} topics a party.
"""
REUTERS = f"""
    SentenceLDA: 4,000 Reuters stories of 30 or more of the {N_WORDS:,} most frequent words with their
    sentences, 3,200 of them at three unlike, unequal parties, 800 to test; {K} topics a party.
"""
THEIRS = "Theirs: 178,337 documents of a company, 29,700 to test, not public."


@cache
def data(model: str, n_parties: int = 3) -> Data:
    """The corpus that a model is trained on, among unlike, unequal parties."""
    path = corpora.path(SETS[model])
    if model == "LDA":
        return prepare(str(path), n_parties=n_parties, max_words=N_WORDS)
    corpus = read(str(path), max_words=N_WORDS)
    long = np.flatnonzero(corpus.lengths >= 30)
    chosen = corpus.select(np.random.default_rng(0).permutation(long)[:4000])
    return prepare(chosen, n_parties=n_parties, test_fraction=0.2)


def unigram(model: str) -> float:
    """What a model without topics reaches."""
    held = data(model)
    return unigram_perplexity(held.train, held.test)


def printed(model: str, seed: int, epsilon: float, tau: float) -> dict[str, Any]:
    """The papers' variant."""
    given: dict[str, Any] = UNITS[model] | {"variant": "paper", "n_rounds": ROUNDS, "n_local": 6}
    return run(data(model), "ftm", seed, epsilon=epsilon, tau=tau, n_topics=K, **given)


def repaired(
    model: str, seed: int, epsilon: float, n_rounds: int = ROUNDS, n_parties: int = 3
) -> dict[str, Any]:
    held = data(model, n_parties)
    return run(held, "ftm", seed, epsilon=epsilon, n_topics=K, n_rounds=n_rounds, **UNITS[model])


def alone(model: str, seed: int) -> dict[str, Any]:
    """Every party by itself, without noise; its perplexity is that of the best."""
    if model == "LDA":
        return run(data(model), "alone", seed, n_topics=K)
    given: dict[str, Any] = UNITS[model] | {"n_rounds": 1, "n_local": ROUNDS * 40, "epsilon": NO_NOISE}
    local = {
        name: run(Data({name: corpus}, data(model).test), "ftm", seed, n_topics=K, **given)["perplexity"]
        for name, corpus in data(model).parties.items()
    }
    return {"local": local, "perplexity": min(local.values())}


def conventional(model: str, seed: int) -> dict[str, Any]:
    """Training without noise that exchanges counts at every sweep, scored every few."""
    if model == "LDA":
        return run(data(model), "shared", seed, every=EVERY, n_topics=K, n_rounds=CONVENTIONAL)
    given: dict[str, Any] = UNITS[model] | {"n_local": 1, "n_rounds": CONVENTIONAL, "epsilon": NO_NOISE}
    together = Data({"all": data(model).train}, data(model).test)
    return run(together, "ftm", seed, every=EVERY, n_topics=K, **given)


def calm(model: str, seed: int, epsilon: float, n_parties: int = 3) -> dict[str, Any]:
    return run(data(model, n_parties), "calm", seed, every=50, epsilon=epsilon, n_topics=K)


def key(kind: str, model: str, seed: int, epsilon: float, tau: float = TAU) -> str:
    """The name of a run by epsilon."""
    return f"ftm {kind} {model}, epsilon {epsilon:g}{f', tau {tau:g}' if tau != TAU else ''}, seed {seed}"


def printed_runs(model: str, epsilon: float, tau: float = TAU, seeds: Iterable[int] = SEEDS) -> Parts:
    return {key("printed", model, s, epsilon, tau): partial(printed, model, s, epsilon, tau) for s in seeds}


def runs(kind: str, model: str, epsilon: float, seeds: Iterable[int] = SEEDS) -> Parts:
    """Runs of `repaired` or `calm`."""
    called = {"repaired": repaired, "calm": calm}[kind]
    return {key(kind, model, seed, epsilon): partial(called, model, seed, epsilon) for seed in seeds}


def others(kind: str, model: str, seeds: Iterable[int] = SEEDS) -> Parts:
    """Runs of `alone` or `conventional`."""
    called = {"alone": alone, "conventional": conventional}[kind]
    return {f"ftm {kind} {model}, seed {seed}": partial(called, model, seed) for seed in seeds}


def unigrams(models: Iterable[str]) -> Parts:
    made: Parts = {f"ftm unigram {model}": partial(unigram, model) for model in models}
    return made


def of(numbers: Numbers, kind: str, model: str, epsilon: float, tau: float = TAU) -> list[float]:
    """The last perplexity of a kind of run, seed by seed."""
    keys = [key(kind, model, seed, epsilon, tau) for seed in SEEDS]
    return [numbers[found]["perplexity"] for found in keys if found in numbers]


def honest(epsilon: float) -> str:
    return f"""
        word replace {2 * epsilon:g} (twice the scale of the noise: a replaced word changes two entries); word
        add/remove: none, the number of token vectors shows the length; a document of n words replaced:
        {2 * epsilon:g} n. Rounds cost nothing: the vectors are drawn once.
    """
