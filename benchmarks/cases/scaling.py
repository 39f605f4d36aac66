"""Cost of LDA training as the corpus grows 1 to 64 times and as K grows from 50 to 10,000.

    python benchmarks/scaling.py

CPU seconds per million tokens and sweep (the smallest of three turns) for the samplers of fedtopics on NIPS
papers, and the memory they take; gibbs and metropolis hold K x V counts beside the tokens. Writes
benchmarks/results/scaling.json and a plot.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from ctypes import CDLL
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from corpora import RESULTS, available, load, repeated
from peers import memory

from fedtopics.corpus import Corpus
from fedtopics.sampling import lda

TIMES = (1, 2, 4, 8, 16, 32, 64)
TOPICS = (50, 100, 200, 500, 1000, 2000, 10_000)
TOKENS_PER_TURN = 4_000_000
SLOWEST = 1000  # topics: above it one sweep of the dense sampler says nothing new


def papers(times: int | None) -> Corpus:
    """A quarter of the NIPS papers several times over, or all of them once."""
    nips, _ = load("nips")
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


def report(times: int | None, n_topics: int, sampler: str) -> dict[str, Any]:
    """The cost, measured in a process of its own and printed."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = pool.submit(cost, times, n_topics, sampler).result()
    what = "{sampler:10} {n_tokens:>11,} tokens  K = {n_topics:<6} {memory_mb:6.0f} MB".format_map(found)
    print(
        what,
        "{cpu_seconds_per_million_tokens:.4f} s, {bytes_per_token:.1f} bytes".format_map(found),
        flush=True,
    )
    return found


def plot(results: dict[str, list[dict[str, Any]]]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(9, 3.5), sharey=True)
    for axis, (across, rows) in zip(axes, results.items(), strict=True):
        for sampler in dict.fromkeys(row["sampler"] for row in rows):
            chosen = [row for row in rows if row["sampler"] == sampler]
            costs = [row["cpu_seconds_per_million_tokens"] for row in chosen]
            axis.plot([row[across] for row in chosen], costs, marker=".", label=sampler)
        axis.set(xscale="log", yscale="log", xlabel=across)
    axes[0].set_ylabel("CPU seconds per million tokens")
    axes[1].legend()
    figure.tight_layout()
    figure.savefig(RESULTS / "scaling.svg")


def main() -> None:
    if "nips" not in available():
        print("no corpora found: let FEDTOPICS_DATA point to them")
        return
    RESULTS.mkdir(exist_ok=True)
    tokens = [report(times, 100, "warp") for times in TIMES]
    topics = [
        report(None, n_topics, sampler)
        for sampler in ("warp", "metropolis", "gibbs")
        for n_topics in TOPICS
        if sampler != "gibbs" or n_topics <= SLOWEST
    ]
    results = {"n_tokens": tokens, "n_topics": topics}
    (RESULTS / "scaling.json").write_text(json.dumps(results, indent=1))
    plot(results)


if __name__ == "__main__":
    main()
