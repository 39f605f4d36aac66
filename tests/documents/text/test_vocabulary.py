"""The vocabulary is what the filters leave, and an empty one says which filter emptied it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.word_filter import WordFilter
from fedtopics.errors import InputError

TEXTS = ["war tax", "war tax ship", "war debt", "war tax ship wheat"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "debt ship tax war wheat"),
        ({"min_df": 2}, "ship tax war"),
        ({"min_df": 0.6}, "tax war"),
        ({"min_df": 1.0}, "debt ship tax war wheat"),
        ({"min_df": 2.0}, "ship tax war"),
        ({"max_df": 1}, "debt ship tax war wheat"),
        ({"max_df": 3}, "debt ship tax wheat"),
        ({"max_df": 0.5}, "debt ship wheat"),
        ({"max_words": 2}, "tax war"),
        ({"max_words": 4}, "debt ship tax war"),
        ({"stop_words": ["tax"], "min_df": 2, "max_df": 0.75}, "ship"),
    ],
)
def test_filters_keep_the_right_words(options: dict[str, object], words: str) -> None:
    assert Corpus.from_texts(TEXTS, **options).vocabulary == tuple(words.split())


def test_unless_told_rare_and_omnipresent_words_go_in_larger_collections() -> None:
    texts = ["always"] * 300 + ["rare word"] * 3 + ["common word"] * 4
    corpus = Corpus.from_texts(texts, stop_words=False)
    assert corpus.vocabulary == ("common", "word")
    assert corpus.n_empty == 300


@pytest.mark.parametrize(
    ("options", "filter_named"),
    [
        ({"stop_words": ["war", "tax", "ship", "debt", "wheat"]}, "the stop words dropped the last 5"),
        ({"min_df": 5}, r"min_df \(5 documents\) dropped the last 5"),
        ({"stop_words": ["war"], "min_df": 4}, r"min_df \(4 documents\) dropped the last 4"),
        ({"min_df": 4, "max_df": 3}, r"max_df \(3 documents\) dropped the last 1 "),
        ({"vocabulary": ["Peace", "love"]}, "no word of the given vocabulary"),
    ],
)
def test_an_empty_vocabulary_names_the_filter(options: dict[str, object], filter_named: str) -> None:
    with pytest.raises(InputError, match=filter_named):
        Corpus.from_texts(TEXTS, **options)


def test_texts_without_words_and_no_texts_at_all() -> None:
    with pytest.raises(InputError, match="2 documents without a single word"):
        Corpus.from_texts(["1 2 3", "..."])
    with pytest.raises(InputError, match="empty corpus"):
        Corpus.from_texts([])


def test_a_given_vocabulary_fixes_the_ids(tmp_path: Path) -> None:
    words = ["wheat", "unheard", "war", "the"]
    file = tmp_path / "words.txt"
    file.write_text("\n".join(words) + "\n", encoding="utf-8")
    for given in (words, file, str(file)):
        corpus = Corpus.from_texts([*TEXTS, "the tax"], vocabulary=given)
        assert corpus.vocabulary == tuple(words)
        assert corpus.words.tolist() == [2, 2, 2, 2, 0, 3]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"vocabulary": ["war"], "min_df": 1}, "vocabulary or min_df, got both"),
        ({"vocabulary": ["war", "tax", "war"]}, "'war' twice"),
        ({"vocabulary": []}, "at least one word"),
        ({"vocabulary": "no/such/file"}, "no/such/file"),
        ({"min_df": 1.5}, "min_df"),
        ({"max_df": -1}, "max_df"),
        ({"max_df": float("nan")}, "max_df"),
        ({"max_words": 0}, "max_words"),
        ({"stop_words": "english"}, "True for those of the language, got one text"),
        ({"tokenizer": lambda text: [1, 2]}, "list of strings, got others"),
    ],
)
def test_options_that_cannot_be_meant(options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Corpus.from_texts(TEXTS, **options)


def test_own_tokenizer_and_no_sentences() -> None:
    corpus = Corpus.from_texts(["a.B c", "B"], tokenizer=lambda text: text.split("."), sentences=False)
    assert corpus.vocabulary == ("B", "B c")
    assert corpus.sentence_offsets is None


def test_a_filter_works_on_counts_too() -> None:
    corpus = Corpus.from_sparse([[2, 0, 1], [1, 1, 0]], ["war", "tax", "ship"])
    kept = corpus.filtered(WordFilter(["ship"], min_df=2))
    assert kept.vocabulary == ("war",)
    assert kept.lengths.tolist() == [2, 1]


def test_a_vocabulary_that_is_no_list_is_refused() -> None:
    with pytest.raises(InputError, match="expected a vocabulary as words, a file or a name, got int"):
        Corpus.from_texts(TEXTS, vocabulary=5)
