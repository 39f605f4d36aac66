"""Cost of LDA training as the corpus grows 1 to 64 times and as K grows from 50 to 10,000.

CPU seconds per million tokens and sweep (the smallest of three turns) for the samplers of fedtopics on NIPS
papers, and the memory they take; gibbs and metropolis hold K x V counts beside the tokens.
"""

from __future__ import annotations

from ctypes import CDLL
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.case import Steps, case
from benchmarks.cases.peers import memory
from benchmarks.corpora import pooled, repeated
from benchmarks.runner import in_own_process
from fedtopics import sampling
from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import lda

TIMES = (1, 2, 4, 8, 16, 32, 64)
TOPICS = (50, 100, 200, 500, 1000, 2000, 10_000)
TOKENS_PER_TURN = 4_000_000
SLOWEST = 1000  # topics: above it one sweep of the dense sampler says nothing new


def papers(times: int | None) -> Corpus:
    """A quarter of the NIPS papers several times over, or all of them once."""
    nips, _ = pooled("nips")
    return nips if times is None else repeated(nips.select(np.arange(0, nips.n_docs, 4)), times)


def cost(times: int | None, n_topics: int, sampler: str) -> dict[str, Any]:
    """CPU seconds per million tokens and sweep; MB above the corpus, and bytes per token with its words."""
    corpus = papers(times)
    priors = lda.Priors.symmetric(n_topics)
    CDLL(None).malloc_trim(0)  # what reading took and gave back does not count
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = memory("VmRSS")
    state = lda.sweep(corpus, lda.start(corpus, n_topics, seed=1), priors, seed=1, sampler=sampler)
    n_sweeps = max(1, TOKENS_PER_TURN // corpus.n_tokens)
    seconds = []
    for _ in range(3):
        began = process_time()
        state = lda.sweep(corpus, state, priors, seed=1, n_sweeps=n_sweeps, sampler=sampler)
        seconds.append((process_time() - began) / n_sweeps / corpus.n_tokens * 1e6)
    return {
        "sampler": sampler,
        "n_tokens": corpus.n_tokens,
        "n_topics": n_topics,
        "cpu_seconds_per_million_tokens": min(seconds),
        "memory_mb": (taken := memory("VmHWM") - before),
        "bytes_per_token": taken * 2**20 / corpus.n_tokens + corpus.words.itemsize,
    }


@case(
    "scaling",
    measures=(sampling,),
    minutes=30,
    seeds=(1,),
    corpora=("nips",),
    timed=True,
    pages=("docs/evidence/speed.md", "docs/decisions/0010-delayed-counts-by-default.md"),
)
def steps() -> Steps:
    """CPU seconds and memory of LDA training as the corpus and the number of topics grow."""
    tokens = {f"n_tokens/{times} times": partial(cost, times, 100, "warp") for times in TIMES}
    topics = {
        f"n_topics/{sampler} {n_topics}": partial(cost, None, n_topics, sampler)
        for sampler in ("warp", "metropolis", "gibbs")
        for n_topics in TOPICS
        if sampler != "gibbs" or n_topics <= SLOWEST
    }
    return {name: partial(in_own_process, step) for name, step in (tokens | topics).items()}
