"""How documents are cut and sums are ordered: by public facts, never by workers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from cluster.shard_corpora import PARTIES, documents
from hypothesis import given
from hypothesis import strategies as st

from fedtopics.cluster import shards, stored_documents
from fedtopics.cluster.settings import Cluster
from fedtopics.errors import InputError


def joined(one: str, other: str) -> str:
    return f"({one}{other})"


@given(st.integers(1, 500), st.integers(1, 40))
def test_every_document_is_in_one_shard(n_docs: int, n_shards: int) -> None:
    found = shards.ranges(n_docs, n_shards)
    assert (found[0].first, found[-1].last, len(found)) == (0, n_docs, min(n_docs, n_shards))
    assert all(one.last == other.first for one, other in pairwise(found))
    sizes = [last - first for first, last in found]
    assert min(sizes) >= 1
    assert max(sizes) - min(sizes) <= 1


def test_a_person_is_in_one_shard() -> None:
    _, bounds = documents(90, 1).documents_by_person()
    found = shards.ranges(90, 4, bounds)
    assert len(found) == 4
    assert {place for cut in found for place in cut} <= set(bounds.tolist())


@given(st.integers(1, 70), st.integers(1, 40))
def test_who_adds_which_subtree_changes_no_sum(n_parts: int, most: int) -> None:
    leaves = [f"{number};" for number in range(n_parts)]
    groups = shards.subtrees(leaves, most)
    assert len(groups) <= most
    parts = [shards.in_tree(group, joined) for group in groups]
    assert shards.in_tree(parts, joined) == shards.in_tree(leaves, joined)


def test_sums_leave_as_one_party_sends_them() -> None:
    total = shards.added(shards.wide({"n": np.array([2**31 - 1], np.int32)}), {"n": np.array([-1])})
    assert shards.as_sent(total, {"n": "<i4"})["n"].dtype == np.int32
    with pytest.raises(InputError, match="expected sums that fit <i4 in n"):
        shards.as_sent(shards.added(total, {"n": np.array([5])}), {"n": "<i4"})
    with pytest.raises(InputError, match="expected the same arrays of every shard"):
        shards.added({"n": np.zeros(2)}, {"n": np.zeros(3)})


@pytest.mark.parametrize(
    "address", ["10.0.0.5:8786", "http://a:1", "tcp://a", "tcp://a:1/b", "tcp://a b:1", ""]
)
def test_what_is_no_scheduler_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="expected a scheduler as tcp://HOST:PORT or tls://HOST:PORT"):
        Cluster(address)


@pytest.mark.parametrize("n_shards", [0, -1, 10**5])
def test_impossible_numbers_of_shards_are_refused(n_shards: int) -> None:
    with pytest.raises(InputError, match="shards must lie between 1 and 10,000"):
        Cluster("tcp://127.0.0.1:1", n_shards)


def test_a_part_of_stored_documents_is_that_part(tmp_path) -> None:
    corpus = PARTIES["north"]
    stored_documents.put(corpus, tmp_path / "documents")
    for first, last in ((0, 90), (13, 40), (89, 90)):
        part = stored_documents.part(str(tmp_path / "documents"), first, last)
        asked = corpus.select(np.arange(first, last))
        for name in ("words", "offsets", "sentence_offsets", "document_sentences"):
            assert np.array_equal(getattr(part, name), getattr(asked, name)), name
        assert part.vocabulary == asked.vocabulary
        assert part.n_persons == asked.n_persons
        assert "p1" not in (part.persons or ())


def test_other_documents_in_the_same_place_are_refused(tmp_path) -> None:
    stored_documents.put(PARTIES["north"], tmp_path / "documents")
    stored_documents.put(PARTIES["north"], tmp_path / "documents")
    with pytest.raises(InputError, match="the documents are not those that the run began with"):
        stored_documents.put(PARTIES["south"], tmp_path / "documents")
