"""Speed of LDA training against tomotopy, scikit-learn, gensim and lda, interleaved in one run.

Every library runs in its own process; they take turns of a few sweeps, so that whatever else the machine does
hits all alike. Time is CPU time unless it says wall. The number that counts is the time to the held-out
perplexity that tomotopy has at the end (200 sweeps): on the fedtopics side the first turn that is at least as
good. fedtopics makes three sweeps in the time of one, so that it is there before tomotopy ends and no part of
its time is measured alone. Sets above 10 million tokens get 20 sweeps.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import partial
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks import ROOT, stored
from benchmarks.case import Steps, case
from benchmarks.cases import peers
from benchmarks.cases.peers import LDA, TOMOTOPY
from benchmarks.corpora import ALL_WORDS, pooled
from benchmarks.markdown_tables import table
from fedtopics import sampling
from fedtopics.sampling import lda

TOPICS, N_SWEEPS = (50, 100, 500), 200
SLOW = {"scikit-learn": 10, "gensim": 10, "lda": 3}  # passes in all
LARGE, FEW_SWEEPS = 10_000_000, 20  # tokens above which few sweeps must do
TURN, AHEAD = 4, 3  # sweeps of tomotopy at a time, and how many of fedtopics for each of them


class Worker:
    """A library at work in another process, and what it has spent so far."""

    def __init__(self, name: str, data: Path, n_topics: int, n_threads: int = 1) -> None:
        command = [sys.executable, "-m", peers.__name__, name, str(data), str(n_topics), str(n_threads)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
        )
        self.prepared = self._answer()
        self.sweeps, self.cpu, self.wall, self.memory = 0, 0.0, 0.0, 0.0
        self.curve: list[dict[str, float]] = []

    def go(self, n_sweeps: int) -> None:
        spent = self._ask(f"go {n_sweeps}")
        self.sweeps += n_sweeps
        self.cpu += spent["cpu"]
        self.wall += spent["wall"]
        # Scoring takes memory too: what counts is the peak before the first score.
        self.memory = self.memory if self.curve else spent["memory"]

    def score(self) -> float:
        found = self._ask("score")["perplexity"]
        self.curve.append({"sweeps": self.sweeps, "cpu": self.cpu, "wall": self.wall, "perplexity": found})
        return found

    def summary(self, n_tokens: int) -> dict[str, Any]:
        rate = n_tokens * self.sweeps / 1e6
        return {
            "sweeps": self.sweeps,
            "preparation_cpu_seconds": self.prepared["cpu"],
            "million_tokens_per_cpu_second": rate / self.cpu,
            "million_tokens_per_second": rate / self.wall,
            "memory_mb": self.memory,
            "curve": self.curve,
        }

    def close(self) -> None:
        self.process.communicate()

    def _ask(self, line: str) -> dict[str, float]:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, float]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} ended early")
        return dict(json.loads(line))


def race(workers: dict[str, Worker], n_sweeps: int) -> None:
    """tomotopy and fedtopics by turns, fedtopics more sweeps in each; both are scored on the way."""
    while workers["tomotopy"].sweeps < n_sweeps:
        for name in ("fedtopics", "tomotopy"):
            workers[name].go(TURN * AHEAD if name == "fedtopics" else TURN)
            if name == "fedtopics" or workers[name].sweeps % (n_sweeps // 5) == 0:
                workers[name].score()
        for name in set(workers) & set(SLOW):
            if workers[name].sweeps < SLOW[name]:
                workers[name].go(1)
    for name in set(workers) & set(SLOW):
        workers[name].score()


def raced(name: str, n_topics: int) -> dict[str, Any]:
    """All libraries on one set with one number of topics."""
    train, test = pooled(name)
    n_sweeps = FEW_SWEEPS if train.n_tokens > LARGE else N_SWEEPS
    # The slow ones once: they lag so far behind that one set and one K show it.
    others = list(SLOW) if (name, n_topics) == ("nips", 100) else []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        peers.save(data, train, test)
        workers = {peer: Worker(peer, data, n_topics) for peer in ("fedtopics", "tomotopy", *others)}
        race(workers, n_sweeps)
        for worker in workers.values():
            worker.close()
    target = workers["tomotopy"].curve[-1]
    good = (point for point in workers["fedtopics"].curve if point["perplexity"] <= target["perplexity"])
    reached = next((point["cpu"] for point in good), None)
    return {
        "n_tokens": train.n_tokens,
        "n_words": train.n_words,
        "target_perplexity": target["perplexity"],
        "tomotopy_cpu_seconds": target["cpu"],
        "fedtopics_cpu_seconds": reached,
        "times_faster": target["cpu"] / reached if reached else None,
        "libraries": {peer: worker.summary(train.n_tokens) for peer, worker in workers.items()},
    }


LATENCY = """
import json, sys, time
began = time.process_time()
import {module}
imported = time.process_time() - began
import numpy as np
from benchmarks.cases.peers import PEERS
from fedtopics.documents.corpus import Corpus
corpus = Corpus(np.arange(100, dtype=np.int32) % 20, np.arange(0, 101, 10), tuple(map(str, range(20))))
began = time.process_time()
PEERS[{peer!r}](corpus, 10, 1).go(1)
called = time.process_time() - began
print(json.dumps({{"import_cpu_seconds": imported, "first_call_cpu_seconds": called}}))
"""
MODULES = {
    "fedtopics": "fedtopics, fedtopics.sampling.lda",
    "tomotopy": "tomotopy",
    "scikit-learn": "sklearn.decomposition",
    "gensim": "gensim.models",
    "lda": "lda",
}


def latency(peer: str) -> dict[str, float]:
    """CPU seconds to import a library and to train a first, tiny model, in a fresh process."""
    code = LATENCY.format(module=MODULES[peer], peer=peer)
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def threads(name: str, n_topics: int) -> dict[str, float]:
    """Wall seconds of a training of 200 sweeps with fitted priors, by one thread and by two.

    It is 19 times ten sweeps with a fit of alpha and 10 times one sweep that is counted; of each the fastest
    of eight, one thread and two in turn, so that a moment's other work does not count.
    """
    corpus, _ = pooled(name)
    priors = lda.Priors.symmetric(n_topics, 0.1, 0.01)
    state = lda.sweep(corpus, lda.start(corpus, n_topics, 1), priors, seed=1, n_sweeps=20)
    ten, last = {1: inf, 2: inf}, {1: inf, 2: inf}
    for n in (1, 2) * 8:
        began = perf_counter()
        after = lda.sweep(corpus, state, priors, seed=1, n_sweeps=10, n_threads=n)
        lda.optimize_alpha(corpus, after, priors, n_threads=n)
        ten[n] = min(ten[n], perf_counter() - began)
        began = perf_counter()
        after = lda.sweep(corpus, state, priors, seed=1, n_threads=n)
        lda.word_topic_counts(corpus, after.topics, n_topics).astype(float)
        last[n] = min(last[n], perf_counter() - began)
    one, two = (19 * ten[n] + 10 * last[n] for n in (1, 2))
    return {"seconds_by_one_thread": one, "seconds_by_two": two, "two_threads_over_one": one / two}


def shown() -> str:
    """CPU seconds to tomotopy's perplexity after 200 sweeps, and how many times the tokens of others."""
    rows = []
    for name, title in {"nips": "NIPS", "20newsgroups": "20 newsgroups"}.items():
        for n_topics in (100, 500):
            found = stored.values("speed")[name][str(n_topics)]
            ours, theirs = found["fedtopics_cpu_seconds"], found["tomotopy_cpu_seconds"]
            times = [f"{ours:.1f}", f"{theirs:.1f}", f"{theirs / ours:.1f}"]
            rows.append([f"{title}, {n_topics} topics", *times, *_passes(found["libraries"])])
    head = ["", "fedtopics", "tomotopy", "times faster", "a pass, times gensim", "a pass, times scikit-learn"]
    return table(head, rows)


def _passes(libraries: dict[str, Any]) -> list[str]:
    """Tokens per CPU second relative to two libraries, where they were timed."""
    rates = {name: found["million_tokens_per_cpu_second"] for name, found in libraries.items()}
    others = ("gensim", "scikit-learn")
    return [f"{rates['fedtopics'] / rates[other]:.0f}" if other in rates else "" for other in others]


racing = partial(case, measures=(sampling,), seeds=(1,), timed=True)


@racing(
    "speed",
    minutes=25,
    corpora=tuple(ALL_WORDS),
    needs=TOMOTOPY | LDA,
    pages=("docs/evidence/speed.md",),
    shows={"speed": shown},
    summary=shown,
)
def speed_steps() -> Steps:
    """CPU seconds of LDA training to one perplexity, against tomotopy, scikit-learn, gensim and lda."""
    return {f"{name}/{k}": partial(raced, name, k) for name in ALL_WORDS for k in TOPICS}


@racing("latency", minutes=1, needs=TOMOTOPY | LDA)
def latency_steps() -> Steps:
    """CPU seconds to import each library and to train a first, tiny model."""
    return {peer: partial(latency, peer) for peer in MODULES}


@racing("threads", minutes=3, corpora=("nips", "20newsgroups"), pages=("docs/evidence/speed.md",))
def threads_steps() -> Steps:
    """LDA training by two threads against one; wants a free machine."""
    return {f"{n}/{k}": partial(threads, n, k) for n in ("nips", "20newsgroups") for k in (100, 500)}
