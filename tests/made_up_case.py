"""A case that takes no time, and one that is never ready; for the tests of the suite."""

import time
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks import runner
from benchmarks.case import Case, Steps
from fedtopics.documents.corpus import Corpus


def drawn(seed: int, n_words: int) -> dict[str, float]:
    return {"perplexity": float(np.random.default_rng(seed).random((n_words, n_words)).sum())}


def broken() -> None:
    raise ValueError("no such corpus")


def busy(seconds: float) -> None:
    while process_time() < seconds:
        pass


def busy_elsewhere() -> None:
    runner.in_own_process(partial(busy, 0.5))


def steps() -> Steps:
    return {f"drawn/{seed}": partial(drawn, seed, n_words=50) for seed in range(4)}


def quick(**given: Any) -> Case:
    usual = {"steps": steps, "measures": (Corpus,), "minutes": 1}
    return Case("made_up", "Numbers that are drawn", **usual | given)


def slow() -> Steps:
    return {"quick": partial(drawn, 0, 5), "slow": partial(time.sleep, 60)}
