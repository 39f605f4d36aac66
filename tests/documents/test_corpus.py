"""A corpus keeps its documents, its sentences and its words through every operation."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from fedtopics.documents.corpus import Corpus, concatenate
from fedtopics.errors import InputError

TEXTS = [
    "Taxes rise. Taxes fall! War and peace.",
    "Nothing of it.",
    "War, war? Peace treaties hold.",
    "Taxes pay for treaties.",
]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS, ids="abcd", labels=[1, 2, 1, 2], parties=["x", "y", "y", "x"])


def readable(corpus: Corpus) -> list[list[list[str]]]:
    """Documents, as lists of sentences, as lists of words."""
    words = [corpus.vocabulary[word] for word in corpus.words]
    sentences = [words[start:end] for start, end in pairwise(corpus.sentence_offsets)]
    return [sentences[start:end] for start, end in pairwise(corpus.document_sentences)]


def test_texts_become_sentences_of_words(corpus: Corpus) -> None:
    assert readable(corpus) == [
        [["taxes", "rise"], ["taxes", "fall"], ["war", "peace"]],
        [[]],
        [["war", "war"], ["peace", "treaties", "hold"]],
        [["taxes", "pay", "treaties"]],
    ]
    assert (corpus.n_docs, corpus.n_tokens, corpus.n_empty) == (4, 14, 1)
    assert corpus.vocabulary == tuple(sorted(corpus.vocabulary))
    assert corpus.words.dtype == np.int32
    for offsets in (corpus.offsets, corpus.sentence_offsets, corpus.document_sentences):
        assert offsets.dtype == np.int64


def test_a_sentence_without_words_is_one_and_space_is_none() -> None:
    texts = ["Taxes rise.\n\n\n\n1. 2. War!\n\n", " \n", "", "3."]
    assert readable(Corpus.from_texts(texts)) == [[["taxes", "rise"], [], [], ["war"]], [], [], [[]]]


def test_select_takes_documents_with_all_that_belongs_to_them(corpus: Corpus) -> None:
    chosen = corpus.select([2, 0, 1])
    assert readable(chosen) == [readable(corpus)[place] for place in (2, 0, 1)]
    assert (chosen.ids, chosen.labels, chosen.parties) == (("c", "a", "b"), ("1", "1", "2"), ("y", "x", "y"))
    assert chosen.vocabulary is corpus.vocabulary
    assert readable(corpus.select(np.array([True, False, False, True]))) == readable(corpus.select([0, 3]))
    assert corpus.select([]).n_docs == 0
    for wrong in ([-1], [0, 4]):
        with pytest.raises(InputError, match="expected positions from 0 to 3"):
            corpus.select(wrong)
    with pytest.raises(InputError, match="mask of 4 documents, got 2"):
        corpus.select(np.array([True, False]))


def test_concatenate_undoes_a_division(corpus: Corpus) -> None:
    whole = concatenate([corpus.select([0, 1]), corpus.select([2]), corpus.select([3])])
    assert readable(whole) == readable(corpus)
    assert (whole.ids, whole.labels, whole.parties) == (corpus.ids, corpus.labels, corpus.parties)
    with pytest.raises(InputError, match="one vocabulary"):
        concatenate([corpus, corpus.with_vocabulary(["war"])])


def test_another_vocabulary_leaves_unknown_words_out(corpus: Corpus) -> None:
    known = corpus.with_vocabulary(["war", "unheard", "taxes"])
    assert readable(known) == [[["taxes"], ["taxes"], ["war"]], [[]], [["war", "war"], []], [["taxes"]]]
    assert known.n_words == 3


def test_the_number_of_sentences_does_not_depend_on_their_words() -> None:
    """As otherwise whoever sees how many there are learns whether a single word is there."""
    texts = ["Taxes rise. Ships sink. Taxes fall.", "War."]
    with_ships, without = (
        Corpus.from_texts(texts, vocabulary=words) for words in (["taxes", "ships"], ["taxes"])
    )
    assert readable(with_ships) == [[["taxes"], ["ships"], ["taxes"]], [[]]]
    assert readable(without) == [[["taxes"], [], ["taxes"]], [[]]]
    for documents in ([1, 0], [0]):
        assert readable(without.select(documents)) == [readable(without)[place] for place in documents]


def test_split_is_a_partition_that_depends_on_the_seed_alone() -> None:
    corpus = Corpus.from_texts(["word"] * 100, ids=range(100), max_df=1.0)
    train, test = corpus.split(0.2, seed=1)
    assert (train.n_docs, test.n_docs) == (80, 20)
    assert sorted(train.ids + test.ids) == sorted(corpus.ids)
    assert corpus.split(0.2, seed=1)[1].ids == test.ids
    assert corpus.split(0.2, seed=2)[1].ids != test.ids
    assert len({train.vocabulary, test.vocabulary, corpus.vocabulary}) == 1


@pytest.mark.parametrize("fraction", [0.0, 1.0, 0.001, 0.999, -1.0, float("nan")])
def test_split_leaves_documents_on_both_sides(fraction: float) -> None:
    with pytest.raises(InputError, match="both sides"):
        Corpus.from_texts(["word"] * 10).split(fraction, seed=0)


def test_counts_go_out_and_come_back(corpus: Corpus) -> None:
    counts = corpus.to_sparse()
    assert counts.shape == (4, corpus.n_words)
    assert counts.toarray()[0].tolist() == [1, 0, 0, 1, 1, 2, 0, 1]
    again = Corpus.from_sparse(csr_matrix(counts.astype(float)), corpus.vocabulary, ids="abcd")
    assert (again.to_sparse() != counts).nnz == 0
    assert again.lengths.tolist() == corpus.lengths.tolist()
    assert again.sentence_offsets is None


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ([[0.5, 1]], "whole numbers"),
        ([[-1, 1]], "not negative"),
        ([[1, 2, 3]], "3 words"),
        ([[np.nan, 1]], "whole"),
    ],
)
def test_counts_must_be_counts_of_the_words(counts: list[list[float]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Corpus.from_sparse(np.array(counts), ["tax", "war"])


def test_document_frequency_counts_documents_and_leaves_the_corpus_alone(corpus: Corpus) -> None:
    before = corpus.offsets.tolist()
    frequency = dict(zip(corpus.vocabulary, corpus.document_frequency().tolist(), strict=True))
    assert (frequency["taxes"], frequency["war"], frequency["rise"]) == (2, 2, 1)
    assert corpus.offsets.tolist() == before


def test_arrays_are_read_only_and_the_callers_stay_his(corpus: Corpus) -> None:
    with pytest.raises(ValueError, match="read-only"):
        corpus.words[0] = 1
    mine = np.zeros(2, np.int32)
    Corpus(mine, np.array([0, 2]), ("word",))
    mine[0] = 0


@pytest.mark.parametrize(
    ("words", "offsets", "said"),
    [
        ([0, 2], [0, 2], "words below 2, got 0 to 2"),
        ([0, -1], [0, 2], "words below 2, got -1 to 0"),
        ([0, 1], [0, 1], "from 0 to 2"),
        ([0, 1], [1, 2], "from 0 to 2"),
        ([0, 1], [0, 2, 1, 2], "from 0 to 2"),
    ],
)
def test_arrays_that_do_not_fit_together(words: list[int], offsets: list[int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Corpus(np.array(words, np.int32), np.array(offsets), ("tax", "war"))


@pytest.mark.parametrize(
    ("sentences", "documents", "said"),
    [
        ([0, 1, 3], None, "got no document_sentences"),
        (None, [0, 1, 2], "got no sentence_offsets"),
        ([0, 1, 2], [0, 1, 2], "sentence_offsets to rise from 0 to 3"),
        ([0, 1, 3], [0, 1, 1], "document_sentences to rise from 0 to 2"),
        ([0, 1, 3], [0, 2], "1 documents of 2"),
        ([0, 2, 3], [0, 1, 2], "cross documents"),
    ],
)
def test_sentences_that_do_not_fit_the_documents(
    sentences: list[int] | None, documents: list[int] | None, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        Corpus(np.zeros(3, np.int32), np.array([0, 1, 3]), ("tax",), sentences, documents)  # type: ignore[arg-type]


def test_a_corpus_prints_its_sizes(corpus: Corpus) -> None:
    assert repr(corpus) == "<Corpus: 4 documents, 14 tokens, 8 words, 2 parties>"


def test_one_label_for_each_document() -> None:
    with pytest.raises(InputError, match="labels for 2 documents, got 1"):
        Corpus.from_texts(["war", "peace"], labels=["x"])


def test_texts_are_strings() -> None:
    with pytest.raises(InputError, match="text as a string, got None"):
        Corpus.from_texts(["war", None])  # type: ignore[list-item]


def test_one_string_is_no_list_of_texts() -> None:
    with pytest.raises(InputError, match="list of texts"):
        Corpus.from_texts("war and peace")


def test_memory_holds_numbers_not_strings() -> None:
    """Texts come one by one and leave 4 bytes for each word; lists of strings take 65 (this test: 27)."""

    def texts() -> Iterator[str]:
        generator = random.Random(0)
        for _ in range(200):
            yield " ".join(f"word{generator.randrange(2000)}" for _ in range(1000))

    Corpus.from_texts(["warm up the imports"])
    tracemalloc.start()
    corpus = Corpus.from_texts(texts(), max_df=1.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert corpus.n_tokens == 200_000
    assert peak < 35 * corpus.n_tokens
