"""Time and memory of the channel E step, and of whole CALM training against tomotopy.

The best of several repetitions is kept, because other work
on the machine only adds time; `cpu` counts the processor time of all threads.
"""

from __future__ import annotations

import resource
from functools import cache, partial
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.case import Steps, case
from benchmarks.cases.peers import TOMOTOPY, tomotopy_model, tomotopy_topics
from benchmarks.runner import in_own_process
from fedtopics import sampling
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.evaluation.perplexity import perplexity
from fedtopics.methods.calm import Calm
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.runs.preparing import Data
from fedtopics.sampling import channel_em
from fedtopics.sampling.channel_em import SizedTopics
from fedtopics.sampling.histograms import Histograms


def noisy(corpus: Corpus, epsilon: float) -> Histograms:
    """The private histograms of a corpus, with simulated noise."""
    mechanism = Histogram(epsilon, corpus.n_words)
    rows = mechanism(corpus.words, corpus.offsets, Noise.simulated(0)).value
    return Histograms(rows.offsets, rows.words, rows.values, rows.n_words, mechanism.decay)


def timed(histograms: Histograms, n_topics: int, n_threads: int, n_repetitions: int) -> dict[str, float]:
    """Best wall and processor time of one E step with two inner steps and self-exclusion."""
    rng = np.random.default_rng(0)
    phi = rng.gamma(0.3, size=(histograms.n_words, n_topics)) + 1e-4
    sizes = np.full(n_topics, histograms.values.sum() / n_topics, np.float32)
    topics = SizedTopics((phi / phi.sum(axis=0)).astype(np.float32), sizes)
    documents = channel_em.start(histograms, n_topics, 150.0)
    alpha = np.full(n_topics, 0.1, np.float32)
    walls, processors = [], []
    for _ in range(n_repetitions):
        wall, processor = perf_counter(), process_time()
        channel_em.expect(histograms, documents, topics, alpha, n_threads=n_threads)
        walls.append(perf_counter() - wall)
        processors.append(process_time() - processor)
    entries = len(histograms.words)
    return {
        "n_topics": n_topics,
        "n_threads": n_threads,
        "entries": entries,
        "seconds": min(walls),
        "nanoseconds_per_entry": min(walls) / entries * 1e9,
        "cpu_nanoseconds_per_entry": min(processors) / entries * 1e9,
    }


@cache
def stories() -> Histograms:
    """AP at epsilon 6."""
    return noisy(read(str(corpora.path("ap")), **corpora.FEW_WORDS["ap"]), 6.0)


def kernel(n_topics: int, n_threads: int) -> dict[str, float]:
    return timed(stories(), n_topics, n_threads, 60)


def large() -> dict[str, Any]:
    """All imdb reviews over 10,000 words with 100 topics."""
    histograms = noisy(read(str(corpora.path("imdb")), max_words=10_000), 6.0)
    rounds = [timed(histograms, 100, threads, 3) for threads in (1, 2)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    return {"n_docs": histograms.n_docs, "rounds": rounds, "peak_gigabytes": peak}


def training(name: str) -> dict[str, Any]:
    """Seconds until both, CALM at epsilon 6 and tomotopy without privacy, reach the same perplexity."""
    data = corpora.dealt(name)
    traces = {"tomotopy": tomotopy_trace(data, 50), "calm": calm_trace(data, 50)}
    target = 1.002 * max(trace[-1][1] for trace in traces.values())
    reached = {who: next(t for t, value in trace if value <= target) for who, trace in traces.items()}
    return {"set": name, "target_perplexity": target, "seconds_to_target": reached, "traces": traces}


def tomotopy_trace(data: Data, n_topics: int, n_sweeps: int = 400) -> list[tuple[float, float]]:
    """Processor seconds and perplexity after every 20 sweeps on the pooled documents."""
    model, spent, trace = tomotopy_model(data.train, n_topics), 0.0, []
    for _ in range(n_sweeps // 20):
        began = process_time()
        model.train(20, workers=1)
        spent += process_time() - began
        trace.append((spent, perplexity(tomotopy_topics(model, data.test.n_words), data.test)))
    return trace


def calm_trace(data: Data, n_topics: int) -> list[tuple[float, float]]:
    """Processor seconds and perplexity after every five rounds, all parties and the server together."""
    method, spent, trace, state = Calm(epsilon=6.0, n_topics=n_topics), 0.0, [], {}
    memory: dict[str, Arrays] = {name: {} for name in data.parties}
    for number in range(method.n_rounds):
        began, sent = process_time(), {}
        for party, corpus in data.parties.items():
            told = method.tell(state, party)
            turn = Turn(0, "party", number, party)
            release, memory[party] = method.contribute(Party(party, corpus, memory[party]), told, turn)
            sent[party] = release.value
        state = method.combine(state, sent, Turn(0, "server", number))
        spent += process_time() - began
        if (number + 1) % 5 == 0:
            trace.append((spent, perplexity(method.model(state, data.test.vocabulary), data.test)))
    return trace


timed_case = partial(case, measures=(sampling,), timed=True, pages=("docs/methods/calm.md",))


@timed_case("channel_em", minutes=1, corpora=("ap",))
def kernel_steps() -> Steps:
    """Nanoseconds of the channel E step per stored entry, by topics and threads."""
    return {f"{k} topics, {n} threads": partial(kernel, k, n) for k in (16, 32, 64, 128) for n in (1, 2)}


@timed_case("channel_em_large", minutes=3, corpora=("imdb",))
def large_steps() -> Steps:
    """Seconds of a round on 50,000 imdb reviews with 100 topics, and peak memory."""
    return {"imdb": partial(in_own_process, large)}


@timed_case(
    "channel_em_training", measures=(sampling, Calm), minutes=10, corpora=("kos", "ap"), needs=TOMOTOPY
)
def training_steps() -> Steps:
    """Processor seconds until CALM at epsilon 6 and tomotopy reach one perplexity."""
    return {name: partial(training, name) for name in ("kos", "ap")}
