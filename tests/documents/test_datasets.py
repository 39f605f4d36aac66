"""The built-in corpus is what its description says."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from fedtopics.documents import datasets
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import BUILT_IN, read
from fedtopics.errors import InputError


@pytest.fixture(scope="module")
def sotu() -> Corpus:
    return datasets.load("sotu", stop_words=False, min_df=1, max_df=1.0)


def test_three_unbalanced_parties_by_era(sotu: Corpus) -> None:
    sizes = Counter(sotu.parties)
    assert sizes == {"1790-1828": 794, "1829-1932": 6620, "1933-2021": 3275}
    for name, party in zip(sotu.ids, sotu.parties, strict=True):
        first, last = party.split("-")
        assert first <= name[:4] <= last


def test_passages_of_about_150_words(sotu: Corpus) -> None:
    assert sotu.n_docs == len(set(sotu.ids)) == 10_689
    assert sotu.n_empty == 0
    assert 140 < np.median(sotu.lengths) < 175
    assert np.quantile(sotu.lengths, [0.05, 0.95]).tolist() == pytest.approx([130, 200], abs=25)


def test_labels_are_political_parties(sotu: Corpus) -> None:
    assert set(sotu.labels) == {
        "Democratic", "Democratic-Republican", "Federalist", "National Union", "Republican", "Whig", "none",
    }  # fmt: skip


def test_it_is_small_enough_to_ship() -> None:
    path, _ = BUILT_IN["sotu"]
    assert path.stat().st_size < 3_000_000


def test_read_knows_the_name_and_its_columns() -> None:
    corpus = read("sotu", party_column="president", max_words=100)
    assert "Abraham Lincoln" in corpus.parties
    assert corpus.n_words == 100


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="'sonnets'; built in: sotu"):
        datasets.load("sonnets")
