"""Corpora on the disk: memory and time of training 100 million tokens and more, beside memory and tomotopy.

The Blog Authorship Corpus with its stop words, over its 20,000 most frequent words, is indexed once into a
folder among the temporary files. Every step runs in a process of its own on two threads; `peak_mb` is the
most memory that was resident there, mapped files included.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import corpora
from benchmarks.case import Steps, case
from benchmarks.cases import disk_tables
from benchmarks.cases.peers import TOMOTOPY, Tomotopy, memory
from benchmarks.persons import posts
from benchmarks.runner import in_own_process
from fedtopics import documents, sampling
from fedtopics.documents import Corpus, store
from fedtopics.methods import calm, make
from fedtopics.protocol import in_process
from fedtopics.sampling import channel_em, lda
from fedtopics.sampling.training import Schedule, train

FOLDER = Path(tempfile.gettempdir()) / "fedtopics-benchmarks-blogs"
READING: dict[str, Any] = {"stop_words": False, "max_df": 1.0, "max_words": 20_000}
N_TOPICS, N_THREADS = 100, 2
MILLIONS = (1, 3, 10, 30, 100)
DOCUMENTS = (10_000, 100_000, 1_000_000)
LENGTH = 100  # tokens of a document where their number grows


def measured(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the work gives, and what it took."""
    began, busy = perf_counter(), process_time()
    found = work()
    taken = {"wall_seconds": perf_counter() - began, "cpu_seconds": process_time() - busy}
    return taken | found | {"peak_mb": memory("VmHWM")}


def index() -> dict[str, Any]:
    """All posts into a new folder; the processes that cut texts are counted by `worker_cpu_seconds`."""
    shutil.rmtree(FOLDER, ignore_errors=True)

    def work() -> dict[str, Any]:
        corpus = Corpus.from_documents(posts(corpora.path("blogs")), on_disk=True, **READING)
        store.save(corpus, FOLDER)
        return {"n_docs": corpus.n_docs, "n_tokens": corpus.n_tokens, "n_words": corpus.n_words}

    before = os.times()
    found = measured(work)
    after = os.times()
    workers = after.children_user + after.children_system - before.children_user - before.children_system
    began = perf_counter()
    store.load(FOLDER)
    return found | {"worker_cpu_seconds": workers, "opened_in_seconds": perf_counter() - began}


def blogs(where: str, n_tokens: int | None = None) -> Corpus:
    """The corpus "on disk" or "in memory", or its first documents with about so many tokens."""
    if not store.is_store(FOLDER):
        in_own_process(index)
    corpus = replace(store.load(FOLDER), sentence_offsets=None, document_sentences=None)
    if n_tokens is not None:
        n_docs = int(np.searchsorted(corpus.offsets, n_tokens))
        end = int(corpus.offsets[n_docs])
        corpus = Corpus(corpus.words[:end], corpus.offsets[: n_docs + 1].copy(), corpus.vocabulary)
    return corpus if where == "on disk" else replace(corpus, words=np.array(corpus.words))


def recut(where: str, n_docs: int) -> Corpus:
    """As many documents of `LENGTH` tokens each, cut from the posts as they follow each other."""
    corpus = blogs(where)
    words = corpus.words[: n_docs * LENGTH]
    return Corpus(words, np.arange(0, n_docs * LENGTH + 1, LENGTH), corpus.vocabulary)


def sweeps(corpus: Callable[[], Corpus], n_sweeps: int) -> dict[str, Any]:
    """LDA, as `fedtopics.LDA` trains it."""

    def work() -> dict[str, Any]:
        made, schedule = corpus(), Schedule(n_sweeps, "warp", N_THREADS)
        train(made, lda.Priors.symmetric(N_TOPICS, 0.1, 0.05), schedule, seed=1)
        return {"n_tokens": made.n_tokens, "n_docs": made.n_docs, "n_sweeps": n_sweeps}

    return measured(work)


def rounds(corpus: Callable[[], Corpus], n_rounds: int) -> dict[str, Any]:
    """CALM at epsilon 6, one party; the first round draws the histograms."""
    seconds: list[float] = []

    def work() -> dict[str, Any]:
        made, method = corpus(), make("calm", n_topics=N_TOPICS, n_rounds=n_rounds)
        given: dict[str, Any] = {"seed": 1, "n_threads": N_THREADS}
        in_process.run(method, {"all": made}, on_round=lambda entry: seconds.append(entry.seconds), **given)
        return {"n_tokens": made.n_tokens, "n_docs": made.n_docs, "n_rounds": n_rounds}

    return measured(work) | {"round_seconds": seconds}


def tomotopy_sweeps(n_sweeps: int) -> dict[str, Any]:
    """LDA by tomotopy: its time per sweep, and its memory."""
    peer = Tomotopy(blogs("in memory"), N_TOPICS, N_THREADS)

    def work() -> dict[str, Any]:
        peer.go(n_sweeps)
        return {"n_tokens": peer.corpus.n_tokens, "n_docs": peer.corpus.n_docs, "n_sweeps": n_sweeps}

    return measured(work)


@case(
    "disk",
    measures=(documents, sampling),
    minutes=20,
    seeds=(1,),
    corpora=("blogs",),
    needs=TOMOTOPY,
    timed=True,
    pages=("docs/how-to/large-corpora.md",),
    shows={"disk": disk_tables.large, "tokens": disk_tables.tokens, "documents": disk_tables.documents},
)
def steps() -> Steps:
    """Memory and time of LDA from the disk: 100 million tokens, and as tokens and documents grow."""
    every: Steps = {
        "index": index,
        "lda/on disk": partial(sweeps, partial(blogs, "on disk"), 100),
        "lda/in memory": partial(sweeps, partial(blogs, "in memory"), 10),
        "lda/on disk, 10 sweeps": partial(sweeps, partial(blogs, "on disk"), 10),
        "lda/tomotopy": partial(tomotopy_sweeps, 2),
    }
    for where in ("on disk", "in memory"):
        every |= {
            f"tokens/{where}/{millions} million": partial(
                sweeps, partial(blogs, where, millions * 1_000_000), 2
            )
            for millions in MILLIONS
        }
    every |= {
        f"lda by documents/{n_docs}": partial(sweeps, partial(recut, "on disk", n_docs), 3)
        for n_docs in DOCUMENTS
    }
    return {name: partial(in_own_process, step) for name, step in every.items()}


@case(
    "disk_calm",
    measures=(documents, channel_em, calm),
    minutes=12,
    seeds=(1,),
    corpora=("blogs",),
    timed=True,
    pages=("docs/how-to/large-corpora.md",),
)
def calm_steps() -> Steps:
    """The same of CALM, whose noisy histograms are on the disk too."""
    every: Steps = {
        "calm/on disk": partial(rounds, partial(blogs, "on disk"), 50),
        "calm/in memory": partial(rounds, partial(blogs, "in memory"), 4),
        "calm/on disk, 4 rounds": partial(rounds, partial(blogs, "on disk"), 4),
    }
    every |= {
        f"calm by documents/{n_docs}": partial(rounds, partial(recut, "on disk", n_docs), 3)
        for n_docs in DOCUMENTS
    }
    return {name: partial(in_own_process, step) for name, step in every.items()}
