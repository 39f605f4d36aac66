"""Speed of LDA training against tomotopy, scikit-learn, gensim and lda, interleaved in one run.

    python benchmarks/speed.py                                   every set, K = 50, 100, 500
    python benchmarks/speed.py --sets nips --topics 100          one of them
    python benchmarks/speed.py --threads                         two threads against one, on a free machine
    python benchmarks/speed.py --plot                            only draw what is in benchmarks/results

Every library runs in its own process; they take turns of a few sweeps, so that whatever else the machine does
hits all alike. Time is CPU time unless it says wall. The number that counts is the time to the held-out
perplexity that tomotopy has at the end (200 sweeps): on the fedtopics side the first turn that is at least as
good. fedtopics makes three sweeps in the time of one, so that it is there before tomotopy ends and no part of
its time is measured alone. Sets above 10 million tokens get 20 sweeps. One JSON file per set and K goes to
benchmarks/results, and a plot of perplexity against time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from math import inf
from pathlib import Path
from time import perf_counter
from typing import Any

from corpora import RESULTS, available, load
from peers import PEERS, save

from fedtopics.corpus import Corpus

HERE = Path(__file__).parent
SLOW = {"scikit-learn": 10, "gensim": 10, "lda": 3}  # passes in all
LARGE, FEW_SWEEPS = 10_000_000, 20  # tokens above which few sweeps must do
TURN, AHEAD = 4, 3  # sweeps of tomotopy at a time, and how many of fedtopics for each of them


class Worker:
    """A library at work in another process, and what it has spent so far."""

    def __init__(self, name: str, data: Path, n_topics: int, n_threads: int = 1) -> None:
        command = [sys.executable, str(HERE / "peers.py"), name, str(data), str(n_topics), str(n_threads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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


def time_to(curve: list[dict[str, float]], perplexity: float) -> float | None:
    """CPU seconds to the first scored turn that is at least this good."""
    return next((point["cpu"] for point in curve if point["perplexity"] <= perplexity), None)


def measure(
    name: str, train: Corpus, test: Corpus, n_topics: int, n_sweeps: int, others: list[str]
) -> dict[str, Any]:
    """All libraries on one set with one number of topics."""
    n_sweeps = FEW_SWEEPS if train.n_tokens > LARGE else n_sweeps
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        save(data, train, test)
        workers = {peer: Worker(peer, data, n_topics) for peer in ("fedtopics", "tomotopy", *others)}
        race(workers, n_sweeps)
        for worker in workers.values():
            worker.close()
    target = workers["tomotopy"].curve[-1]
    reached = time_to(workers["fedtopics"].curve, target["perplexity"])
    return {
        "set": name,
        "n_tokens": train.n_tokens,
        "n_words": train.n_words,
        "n_topics": n_topics,
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
sys.path.insert(0, {folder!r})
import numpy as np
from fedtopics.corpus import Corpus
from peers import PEERS
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


def latency() -> dict[str, dict[str, float]]:
    """CPU seconds to import each library and to train a first, tiny model, in fresh processes."""
    found = {}
    for peer, module in MODULES.items():
        code = LATENCY.format(folder=str(HERE), module=module, peer=peer)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        found[peer] = json.loads(done.stdout.splitlines()[-1])
    return found


def table(result: dict[str, Any]) -> str:
    """What was measured, for the terminal."""
    lines = ["{set}, {n_tokens:,} tokens, V = {n_words}, K = {n_topics}".format_map(result)]
    for name, found in result["libraries"].items():
        end = found["curve"][-1]
        lines.append(
            f"  {name:16} {found['million_tokens_per_cpu_second']:7.2f} million tokens/s"
            f"  {found['memory_mb']:6.0f} MB  perplexity {end['perplexity']:.1f}, sweep {found['sweeps']}"
        )
    if result["times_faster"]:
        text = "{fedtopics_cpu_seconds:.2f} s of CPU time, tomotopy {tomotopy_cpu_seconds:.2f} s"
        text = "  to perplexity {target_perplexity:.1f}: " + text + ": {times_faster:.1f} times faster"
        lines.append(text.format_map(result))
    return "\n".join(lines)


def plot(results: list[dict[str, Any]], path: Path) -> None:
    """Perplexity against CPU time, one panel per set and K."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(results), figsize=(4 * len(results), 3.5), squeeze=False)
    for axis, result in zip(axes[0], results, strict=True):
        for name, found in result["libraries"].items():
            points = found["curve"]
            axis.plot([p["cpu"] for p in points], [p["perplexity"] for p in points], marker=".", label=name)
        axis.set(title=f"{result['set']}, K = {result['n_topics']}", xlabel="CPU seconds", xscale="log")
    axes[0][0].set_ylabel("held-out perplexity")
    axes[0][0].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path)


def time_training(corpus: Corpus, n_topics: int) -> dict[str, float]:
    """Wall seconds of a training of 200 sweeps with fitted priors, by one thread and by two.

    It is 19 times ten sweeps with a fit of alpha and 10 times one sweep that is counted; of each the fastest
    of eight, one thread and two in turn, so that a moment's other work does not count.
    """
    from fedtopics.sampling import lda

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


def time_threads(sets: list[str], topics: list[int]) -> None:
    """Two threads against one on every set and K."""
    found = []
    for name in sets:
        train, _ = load(name)
        for n_topics in topics:
            found.append({"set": name, "n_topics": n_topics} | time_training(train, n_topics))
            print(found[-1], flush=True)
    (RESULTS / "threads.json").write_text(json.dumps(found, indent=1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="*", default=available())
    parser.add_argument("--topics", nargs="*", type=int, default=[50, 100, 500])
    parser.add_argument("--sweeps", type=int, default=200)
    parser.add_argument("--plot", action="store_true", help="only draw what is there")
    parser.add_argument("--threads", action="store_true", help="only time two threads; wants a free machine")
    chosen = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    if chosen.threads:
        time_threads(chosen.sets, chosen.topics)
        return
    if not chosen.sets:
        print("no corpora found: let FEDTOPICS_DATA point to them")
    if not chosen.plot:
        (RESULTS / "latency.json").write_text(json.dumps(found := latency(), indent=1))
        print(json.dumps(found, indent=1))
    for name in [] if chosen.plot else chosen.sets:
        train, test = load(name)
        for n_topics in chosen.topics:
            # The slow ones once: they lag so far behind that one set and one K show it.
            slow = list(SLOW) if (name, n_topics) == ("nips", 100) else []
            result = measure(name, train, test, n_topics, chosen.sweeps, slow)
            (RESULTS / f"speed-{name}-{n_topics}.json").write_text(json.dumps(result, indent=1))
            print(table(result), flush=True)
    found = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("speed-*.json"))]
    if found:
        plot(found, RESULTS / "speed.svg")
        print(RESULTS / "speed.svg")


if __name__ == "__main__":
    if set(SLOW) - set(PEERS):
        raise SystemExit("benchmarks/peers.py does not know all libraries")
    main()
