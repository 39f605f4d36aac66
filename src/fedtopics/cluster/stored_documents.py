"""A party's documents in a folder that its machines share, so that a worker reads its own part alone.

    FOLDER/words.npy, offsets.npy, ...   the arrays of a `Corpus`, mapped into memory, never copied whole
    FOLDER/about.json                    what else a shard needs, and a hash of all

`part` is the one way in to documents for a worker: a corpus that lies in such files already needs no `put`.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.digest import corpus_digest
from fedtopics.files import StoreError

ABOUT = "about.json"
KEPT = 64  # shards whose documents a worker keeps open


def put(corpus: Corpus, folder: Path) -> None:
    """Write the documents, all of them or nothing; those that are there must be the same."""
    about = {
        "vocabulary": corpus.vocabulary,
        "sentence_unit": corpus.sentence_unit,
        "sha256": corpus_digest(corpus),
    }
    if folder.is_dir():
        if json.loads(files.read(folder / ABOUT))["sha256"] != about["sha256"]:
            raise StoreError("the documents are not those that the run began with; start a new run")
        return
    with files.whole_folder(folder) as draft:
        for name, array in _arrays(corpus):
            written = BytesIO()
            np.save(written, array, allow_pickle=False)
            files.write(draft / f"{name}.npy", written.getvalue(), failed=files.UNWRITTEN)
        files.write(draft / ABOUT, json.dumps(about).encode(), failed=files.UNWRITTEN)


@lru_cache(KEPT)
def part(folder: str, first: int, last: int) -> Corpus:
    """The documents `first`:`last` of those in the folder."""
    about = json.loads(files.read(Path(folder) / ABOUT))
    offsets = _mapped(folder, "offsets")
    assert offsets is not None  # noqa: S101
    words, own = _mapped(folder, "words"), offsets[first : last + 1]
    sentences, by_document = _mapped(folder, "sentence_offsets"), _mapped(folder, "document_sentences")
    if sentences is not None and by_document is not None:
        by_document = by_document[first : last + 1]
        sentences = sentences[by_document[0] : by_document[-1] + 1] - own[0]
        by_document = by_document - by_document[0]
    persons = _mapped(folder, "persons")
    return Corpus(
        words[own[0] : own[-1]],  # type: ignore[index]
        own - own[0],
        tuple(about["vocabulary"]),
        sentence_offsets=sentences,
        document_sentences=by_document,
        persons=None if persons is None else tuple(map(str, persons[first:last].tolist())),
        sentence_unit=about["sentence_unit"],
    )


def _arrays(corpus: Corpus) -> Iterator[tuple[str, NDArray[Any]]]:
    yield "words", corpus.words
    yield "offsets", corpus.offsets
    if corpus.sentence_offsets is not None and corpus.document_sentences is not None:
        yield "sentence_offsets", corpus.sentence_offsets
        yield "document_sentences", corpus.document_sentences
    if corpus.persons is not None:  # who is who, and nobody's name
        yield "persons", np.unique(np.array(corpus.persons), return_inverse=True)[1].astype(np.int64)


def _mapped(folder: str, name: str) -> NDArray[Any] | None:
    path = Path(folder) / f"{name}.npy"
    return np.load(path, mmap_mode="r", allow_pickle=False) if path.is_file() else None
