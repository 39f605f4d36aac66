"""Documents know their person, and no way of dividing them puts a person on two sides."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedtopics.documents.corpus import Corpus, concatenate
from fedtopics.documents.persons import held_out
from fedtopics.documents.splitting import automatic, by_column, by_labels, by_proportions, by_topics
from fedtopics.errors import InputError

WORDS = ("debt", "ship", "tax", "war")
persons = st.lists(st.sampled_from(["ada", "bob", "eve", "Ada", "b\0", "zoé"]), min_size=2, max_size=12)


def written_by(names: list[str]) -> Corpus:
    """A document of some words for each name; labels change from one to the next."""
    words = np.random.default_rng(len(names)).integers(0, len(WORDS), 3 * len(names)).astype(np.int32)
    offsets = np.arange(0, len(words) + 1, 3)
    places = tuple(map(str, range(len(names))))
    labels = tuple(str(number % 3) for number in range(len(names)))
    return Corpus(words, offsets, WORDS, ids=places, labels=labels, persons=tuple(names))


def check_whole(corpus: Corpus, parts: list[Corpus]) -> None:
    """Every document is in one part, every person in one part, and no part is empty."""
    assert sorted(concatenate(parts).ids) == sorted(corpus.ids)
    known = [set(part.persons) for part in parts]
    assert sum(map(len, known)) == len(set(corpus.persons))
    assert all(known)
    written = dict(zip(corpus.ids, corpus.persons, strict=True))
    assert all(written[name] == person for p in parts for name, person in zip(p.ids, p.persons, strict=True))


@given(persons, st.floats(0.01, 0.99), st.integers(0, 2**32 - 1))
def test_held_out_persons_are_held_out_whole(names: list[str], fraction: float, seed: int) -> None:
    corpus = written_by(names)
    if len(set(names)) == 1:
        with pytest.raises(InputError, match=r"persons on both sides, got .* of 1 persons"):
            corpus.split(fraction, seed)
        return
    train, test = corpus.split(fraction, seed)
    check_whole(corpus, [train, test])
    assert corpus.split(fraction, seed)[1].ids == test.ids


DEALT: dict[str, Callable[[Corpus, int, int], list[Corpus]]] = {
    "proportions": lambda corpus, n, seed: by_proportions(corpus, np.arange(1.0, n + 1), seed=seed),
    "labels": lambda corpus, n, seed: by_labels(corpus, n, concentration=0.3, seed=seed),
    "topics": lambda corpus, n, seed: by_topics(corpus, n, seed=seed),
    "automatic": lambda corpus, n, seed: automatic(corpus, n, seed=seed),
}


@pytest.mark.parametrize("name", DEALT)
@given(names=persons, n_parties=st.integers(1, 6), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_a_person_is_dealt_to_one_party(name: str, names: list[str], n_parties: int, seed: int) -> None:
    corpus = written_by(names)
    n_persons = len(set(names))
    if n_parties > n_persons:
        with pytest.raises(InputError, match=f"1 to {n_persons} parties, as there are persons"):
            DEALT[name](corpus, n_parties, seed)
        return
    parties = DEALT[name](corpus, n_parties, seed)
    assert len(parties) == n_parties
    check_whole(corpus, parties)


@given(names=persons, data=st.data())
def test_a_column_gives_each_person_to_one_party_or_is_refused(names: list[str], data: st.DataObject) -> None:
    parties = data.draw(st.lists(st.sampled_from("xy"), min_size=len(names), max_size=len(names)))
    corpus = replace(written_by(names), parties=tuple(parties))
    several = len(set(zip(names, parties, strict=True))) - len(set(names))
    if several:
        with pytest.raises(InputError, match=f"one party, got {several} of {len(set(names))} persons at sev"):
            by_column(corpus)
    else:
        check_whole(corpus, by_column(corpus))


@given(persons)
def test_documents_by_person_are_those_of_each(names: list[str]) -> None:
    corpus = written_by(names)
    order, offsets = corpus.documents_by_person()
    assert order.dtype == offsets.dtype == np.int64
    found = [order[start:end].tolist() for start, end in pairwise(offsets)]
    wanted = [[place for place, name in enumerate(names) if name == one] for one in sorted(set(names))]
    assert found == wanted
    assert corpus.n_persons == len(wanted)


def test_nobody_else_changes_sides_when_a_person_comes_or_goes() -> None:
    names = [f"person {number}" for number in range(2000)]
    is_test = held_out(names, 0.1, seed=7)
    assert 140 < is_test.sum() < 260
    fewer = held_out(names[:500] + names[501:], 0.1, seed=7)
    assert fewer.tolist() == np.delete(is_test, 500).tolist()
    others = [name for name, out in zip(names, is_test, strict=True) if not out]
    assert held_out(others, 0.1, seed=7).sum() == 0
    assert held_out(names, 0.1, seed=8).tolist() != is_test.tolist()
    assert held_out(names, 0.0, seed=7).sum() == 0


def test_shares_are_about_those_asked_for() -> None:
    corpus = written_by([f"person {number // 3}" for number in range(3000)])
    train, test = corpus.split(0.2, seed=0)
    assert abs(test.n_docs - 600) < 150
    assert (train.n_docs + test.n_docs, train.n_persons + test.n_persons) == (3000, 1000)
    sizes = [party.n_docs for party in by_proportions(corpus, [6, 3, 1], seed=0)]
    assert np.allclose(sizes, [1800, 900, 300], atol=200)


def test_the_person_of_every_document_must_be_known() -> None:
    corpus = written_by(["ada", "", "eve", ""])
    for use in (
        corpus.documents_by_person,
        lambda: corpus.split(0.5, 0),
        lambda: by_topics(corpus, 2, seed=0),
    ):
        with pytest.raises(InputError, match="expected a person for every document, got none for 2 of 4"):
            use()
    with pytest.raises(InputError, match=r"with persons, got none; name a --person-column \(person_column\)"):
        replace(corpus, persons=None).documents_by_person()


def test_no_documents_are_of_no_person() -> None:
    none = written_by(["ada", "eve"]).select([])
    order, offsets = none.documents_by_person()
    assert (order.tolist(), offsets.tolist(), none.n_persons) == ([], [0], 0)


def test_persons_come_with_texts_and_counts() -> None:
    corpus = Corpus.from_texts(["war", "peace", "war"], persons=[7, 8, 7])
    assert corpus.persons == ("7", "8", "7")
    assert repr(corpus) == "<Corpus: 3 documents, 3 tokens, 2 words, 2 persons>"
    assert corpus.select([1]).persons == ("8",)
    assert corpus.with_vocabulary(["war"]).persons == corpus.persons
    assert concatenate([corpus, replace(corpus, persons=None)]).persons is None
    assert Corpus.from_sparse([[1, 0], [0, 1]], ["tax", "war"], persons=["a", "b"]).persons == ("a", "b")
    with pytest.raises(InputError, match="expected persons for 3 documents, got 2"):
        replace(corpus, persons=("a", "b"))
    assert replace(corpus, persons=None).n_persons is None
