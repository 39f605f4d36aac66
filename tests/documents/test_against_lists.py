"""Flat arrays do what plain lists of lists of words would do, on documents of any shape."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fedtopics.documents.corpus import Corpus, concatenate

WORDS = ("debt", "ship", "tax", "war")
Sentences = list[list[str]]

sentence = st.lists(st.sampled_from(WORDS), max_size=4)
documents = st.lists(st.lists(sentence, max_size=3), min_size=1, max_size=6)


def flat(documents: list[Sentences]) -> Corpus:
    lengths = [[len(words) for words in document] for document in documents]
    words = [WORDS.index(word) for document in documents for words in document for word in words]
    return Corpus(
        np.array(words, np.int32),
        np.cumsum([0, *map(sum, lengths)]),
        WORDS,
        np.cumsum([0, *(length for document in lengths for length in document)]),
        np.cumsum([0, *map(len, documents)]),
    )


def nested(corpus: Corpus) -> list[Sentences]:
    words = [corpus.vocabulary[word] for word in corpus.words]
    sentences = [words[start:end] for start, end in pairwise(corpus.sentence_offsets)]
    return [sentences[start:end] for start, end in pairwise(corpus.document_sentences)]


@given(documents)
def test_nested_undoes_flat(documents: list[Sentences]) -> None:
    assert nested(flat(documents)) == documents


@given(documents, st.data())
def test_select_is_indexing(documents: list[Sentences], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(documents) - 1), max_size=8))
    assert nested(flat(documents).select(places)) == [documents[place] for place in places]


@given(st.lists(documents, min_size=1, max_size=4))
def test_concatenate_is_addition(parts: list[list[Sentences]]) -> None:
    assert nested(concatenate([flat(part) for part in parts])) == [
        document for part in parts for document in part
    ]


@given(documents, st.permutations([*WORDS, "unheard"]), st.integers(1, 5))
def test_another_vocabulary_drops_words(documents: list[Sentences], order: list[str], size: int) -> None:
    known = tuple(order[:size])
    kept = [[[word for word in words if word in known] for words in document] for document in documents]
    changed = flat(documents).with_vocabulary(known)
    assert changed.vocabulary == known
    assert nested(changed) == kept


@given(documents)
def test_counts_are_counts(documents: list[Sentences]) -> None:
    corpus = flat(documents)
    expected = [[sum(words.count(word) for words in document) for word in WORDS] for document in documents]
    assert corpus.to_sparse().toarray().tolist() == expected
    assert corpus.document_frequency().tolist() == (np.array(expected) > 0).sum(0).tolist()
    again = Corpus.from_sparse(corpus.to_sparse(), WORDS)
    assert again.to_sparse().toarray().tolist() == expected
