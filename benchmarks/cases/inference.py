"""Topic mixtures of new documents: how many per CPU second, beside tomotopy and scikit-learn; and a stream.

Every library works with one thread and its own default settings, in one process, on the same documents: the
part of 20 newsgroups that was not trained on. tomotopy gets words that were cut before; the others are
measured from counts and from raw text. scikit-learn is given the topics of fedtopics; tomotopy, which takes
none, trains its own on the same documents.

"stream" is the command `fedtopics transform` on a file of a million stories of Reuters (the collection over
and over), with all cores: what it takes by the clock, of processor time and of memory.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import corpora, stored
from benchmarks.case import Steps, case
from benchmarks.cases.peers import TOMOTOPY
from benchmarks.markdown_tables import table
from fedtopics import LDA, model, sampling
from fedtopics.documents import text
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import documents
from fedtopics.model import TopicModel

N_TOPICS, N_WORDS, N_NEW, N_STREAM = 50, 10_000, 5_000, 1_000_000
COMMAND = """
import sys
from fedtopics.commands.application import main
peak, sys.argv[1:] = sys.argv[1], sys.argv[2:]
try:
    main()
finally:  # of this program alone: the peak that the system tells of a child begins at that of its parent
    told = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    open(peak, "w").write(told[0].split()[1])
"""
SETTINGS = {"n_topics": N_TOPICS, "n_words": N_WORDS, "n_documents": N_NEW}


@cache
def texts() -> tuple[list[str], list[str]]:
    """Texts to train on, and new ones."""
    found = [each.text for each in documents(corpora.path("20newsgroups"))]
    return found[N_NEW:], found[:N_NEW]


@cache
def trained() -> TopicModel:
    corpus = Corpus.from_texts(texts()[0], max_words=N_WORDS, sentences=False)
    return LDA(N_TOPICS, max_iter=100, random_state=0).fit(corpus).model_


@cache
def new() -> Corpus:
    return trained().read(texts()[1])


def speed(work: Callable[[], Any]) -> dict[str, float]:
    """Documents per CPU second, the best of three."""
    taken = []
    for _ in range(3):
        began = process_time()
        work()
        taken.append(process_time() - began)
    return {"documents_per_cpu_second": N_NEW / min(taken), **SETTINGS}


def fedtopics(source: str) -> dict[str, float]:
    given: Any = {"text": texts()[1], "counts": new().to_sparse()}[source]
    return speed(partial(trained().transform, given, n_threads=1))


def scikit_learn(source: str) -> dict[str, float]:
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    counts = new().to_sparse()
    peer = LatentDirichletAllocation(N_TOPICS, max_iter=1, random_state=0).fit(counts[:100])
    peer.components_ = trained().topic_word * 1e5
    peer.exp_dirichlet_component_ = trained().topic_word
    if source == "counts":
        return speed(partial(peer.transform, counts))
    both = make_pipeline(CountVectorizer(vocabulary=trained().vocabulary), peer)
    return speed(partial(both.transform, texts()[1]))


def tomotopy() -> dict[str, float]:
    import tomotopy as library

    corpus = Corpus.from_texts(texts()[0], vocabulary=trained().vocabulary, sentences=False)
    peer = library.LDAModel(k=N_TOPICS, seed=1)
    for words in np.split(corpus.words, corpus.offsets[1:-1]):
        if len(words):
            peer.add_doc(words.astype(str))
    peer.train(100, workers=1)
    cut = [words.astype(str) for words in np.split(new().words, new().offsets[1:-1])]
    made = [peer.make_doc(words) for words in cut if len(words)]
    return speed(partial(peer.infer, made, workers=1))


def stream() -> dict[str, float]:
    """The command on a long file."""
    stories = [each.text for each in documents(corpora.path("reuters"))]
    corpus = Corpus.from_texts(stories, max_words=N_WORDS, sentences=False)
    with TemporaryDirectory() as folder:
        LDA(N_TOPICS, max_iter=50, random_state=0).fit(corpus).model_.save(Path(folder) / "model")
        with (Path(folder) / "many.jsonl").open("w") as file:
            for number, story in enumerate(islice(cycle(stories), N_STREAM)):
                file.write(json.dumps({"id": number, "text": story}) + "\n")
        names = [str(Path(folder) / name) for name in ("model", "many.jsonl", "out.csv")]
        peak = Path(folder) / "peak.txt"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = perf_counter()
        command = [sys.executable, "-c", COMMAND, str(peak), "transform", *names[:2], "--out", names[2]]
        subprocess.run(command, check=True, capture_output=True)
        seconds = perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        size, kilobytes = (Path(folder) / "many.jsonl").stat().st_size, int(peak.read_text())
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "n_documents": N_STREAM,
        "megabytes_of_text": size / 1e6,
        "seconds": seconds,
        "cpu_seconds": processor,
        "documents_per_cpu_second": N_STREAM / processor,
        "megabytes_at_the_peak": kilobytes / 1e3,
        "n_cores": os.cpu_count() or 1,
    }


def rows() -> str:
    """The table of docs/how-to/large-corpora.md."""
    found = stored.values("inference")["speed"]
    named = {
        "fedtopics, from counts": found["fedtopics"]["counts"],
        "fedtopics, from text": found["fedtopics"]["text"],
        "scikit-learn, from counts": found["scikit-learn"]["counts"],
        "scikit-learn, from text": found["scikit-learn"]["text"],
        "tomotopy, from words": found["tomotopy"],
    }
    times = {
        name: found["fedtopics"]["text" if "text" in name else "counts"]["documents_per_cpu_second"]
        / each["documents_per_cpu_second"]
        for name, each in named.items()
    }
    lines = [
        [name, f"{each['documents_per_cpu_second']:,.0f}", f"{times[name]:.1f}"]
        for name, each in named.items()
    ]
    head = ["20 newsgroups, 50 topics, one thread", "documents per CPU second", "fedtopics: times as fast"]
    return f"{table(head, lines)}{streamed(stored.values('inference').get('stream'))}"


def streamed(found: dict[str, float] | None) -> str:
    """What the long file took, in a sentence; nothing before it was measured."""
    if found is None:
        return ""
    size, speed_ = f"{found['megabytes_of_text']:,.0f} MB of JSON lines", found["documents_per_cpu_second"]
    return (
        f"\n\n{found['n_documents']:,} stories of Reuters ({size}) by `fedtopics transform`, to CSV "
        f"on {found['n_cores']} cores: {found['seconds']:.0f} s, {speed_:,.0f} documents per CPU second, "
        f"{found['megabytes_at_the_peak']:.0f} MB of memory at the peak."
    )


@case(
    "inference",
    measures=(sampling, model, text),
    minutes=1,
    seeds=(0,),
    corpora=("20newsgroups", "reuters"),
    needs=TOMOTOPY,
    timed=True,
    pages=("docs/how-to/large-corpora.md",),
    shows={"inference": rows},
    summary=rows,
)
def steps() -> Steps:
    """Topic mixtures of new documents per CPU second, beside others, and of a million documents."""
    return {
        "speed/fedtopics/counts": partial(fedtopics, "counts"),
        "speed/fedtopics/text": partial(fedtopics, "text"),
        "speed/scikit-learn/counts": partial(scikit_learn, "counts"),
        "speed/scikit-learn/text": partial(scikit_learn, "text"),
        "speed/tomotopy": partial(tomotopy),
        "stream": partial(stream),
    }
