"""Tokens a second of every reader: imdb reviews in each format, and the plain path on one core and on all.

The time is that of `read`, from the file to a corpus over the words that the defaults choose. Processor time
is that of all processes: the number of tokens over it is the speed of one core.
"""

from __future__ import annotations

import csv
import json
import os
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from benchmarks import corpora
from benchmarks.case import Steps, case
from benchmarks.cases import disk_tables
from benchmarks.runner import in_own_process
from fedtopics import documents
from fedtopics.documents import Corpus, read
from fedtopics.documents import reading as readers
from fedtopics.documents.text import cores

N_REVIEWS = 20_000
FORMATS = ("txt", "csv", "jsonl", "jsonl.xz", "parquet", "folder of txt", "docword", "lda-c", "index")


def reviews() -> list[str]:
    """Reviews, each on one line."""
    return [" ".join(each.text.split()) for each in readers.documents(corpora.path("imdb"))[:N_REVIEWS]]


def written(texts: list[str], kind: str, folder: Path) -> Path:
    """The texts in a format; what to read."""
    import lzma

    import pyarrow
    from pyarrow import parquet

    path = folder / f"reviews.{kind}"
    if kind == "txt":
        path.write_text("\n".join(texts))
    elif kind == "csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([["text"], *([text] for text in texts)])
    elif kind.startswith("jsonl"):
        raw = "\n".join(json.dumps({"text": text}) for text in texts).encode()
        path.write_bytes(lzma.compress(raw, preset=1) if kind.endswith("xz") else raw)
    elif kind == "parquet":
        parquet.write_table(pyarrow.table({"text": texts}), path)
    elif kind == "folder of txt":
        path = folder / "texts"
        path.mkdir()
        for number, text in enumerate(texts):
            (path / f"{number:05}.txt").write_text(text)
    else:
        return _counted(Corpus.from_texts(texts), kind, folder)
    return path


def _counted(corpus: Corpus, kind: str, folder: Path) -> Path:
    counts = corpus.to_sparse()
    (folder / "vocab.reviews.txt").write_text("\n".join(corpus.vocabulary))
    if kind == "index":
        documents.store.save(corpus, folder / "index")
        return folder / "index"
    if kind == "docword":
        cells = counts.tocoo()
        rows = zip(cells.row + 1, cells.col + 1, cells.data, strict=True)
        head = [counts.shape[0], counts.shape[1], counts.nnz]
        path = folder / "docword.reviews.txt"
        path.write_text("\n".join([*map(str, head), *(f"{d} {w} {n}" for d, w, n in rows)]))
        return path
    path = folder / "reviews.dat"
    (folder / "reviews.vocab").write_text("\n".join(corpus.vocabulary))
    (folder / "vocab.reviews.txt").unlink()
    lines = []
    for d in range(corpus.n_docs):
        own = slice(counts.indptr[d], counts.indptr[d + 1])
        pairs = [f"{w}:{n}" for w, n in zip(counts.indices[own], counts.data[own], strict=True)]
        lines.append(" ".join([str(len(pairs)), *pairs]))
    path.write_text("\n".join(lines))
    return path


def speed(kind: str, n_cores: int, times: int = 1) -> dict[str, Any]:
    """Seconds of reading a format, the texts so many times over."""
    with tempfile.TemporaryDirectory() as name:
        path = written(reviews() * times, kind, Path(name))
        cores.n_cores = lambda: n_cores
        counted: list[int] = []
        whole = cores.parts

        def parts(*given: Any) -> Any:
            for part in whole(*given):
                counted.append(len(part.words))
                yield part

        documents.text.indexing.parts = parts
        before, began = os.times(), perf_counter()
        busy = process_time()
        corpus = read(path)
        corpus.sound  # noqa: B018 - what is opened is read
        wall, after = perf_counter() - began, os.times()
        workers = after.children_user + after.children_system - before.children_user - before.children_system
        cpu = process_time() - busy + workers
    return {"n_tokens": sum(counted) or corpus.n_tokens, "wall_seconds": wall, "cpu_seconds": cpu}


@case(
    "reading_speed",
    measures=(documents,),
    minutes=3,
    corpora=("imdb",),
    timed=True,
    pages=("docs/how-to/large-corpora.md",),
    shows={"reading": disk_tables.reading},
)
def steps() -> Steps:
    """Tokens a second of every reader, and of the plain-text path on one core and on two."""
    every: Steps = {kind: partial(speed, kind, 1) for kind in FORMATS}
    every |= {f"txt, {number} cores": partial(speed, "txt", number, 5) for number in (1, 2)}
    return {name: partial(in_own_process, step) for name, step in every.items()}
