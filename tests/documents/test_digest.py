"""The digest of documents: the same wherever they lie, another where anything in them is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fedtopics.documents import store
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.digest import corpus_digest

CORPUS = replace(
    Corpus.from_texts(["Tax fell. War came.", "War came. Tax rose."], min_df=1, max_df=1.0, sentences=True),
    persons=("ann", "bob"),
)


def test_documents_on_the_disk_have_the_digest_of_those_in_memory(tmp_path: Path) -> None:
    store.save(CORPUS, tmp_path / "stored")
    assert corpus_digest(store.load(tmp_path / "stored")) == corpus_digest(CORPUS)


@pytest.mark.parametrize(
    "other",
    [
        {"vocabulary": CORPUS.vocabulary[::-1]},
        {"persons": ("ann", "ann")},
        {"persons": None},
        {"words": CORPUS.words[::-1].copy()},
        {"offsets": np.array([0, 2, CORPUS.n_tokens]), "sentence_offsets": None, "document_sentences": None},
        {"sentence_offsets": None, "document_sentences": None},
    ],
    ids=lambda other: "-".join(other),
)
def test_what_differs_in_anything_has_another_digest(other: dict[str, Any]) -> None:
    assert corpus_digest(replace(CORPUS, **other)) != corpus_digest(CORPUS)
