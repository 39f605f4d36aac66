"""Words counted by others: UCI and LDA-C files, and all the ways their numbers can disagree."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from fedtopics.documents.reading import read
from fedtopics.errors import InputError

UCI = "3\n4\n5\n3 1 2\n1 1 1\n1 4 3\n3 2 1\n3 1 1\n"
LDA_C = "2 0:1 3:3\n0\n\n2 0:3 1:1\n"
COUNTS = [[1, 0, 0, 3], [0, 0, 0, 0], [3, 1, 0, 0]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "vocab.small.txt").write_text("war\ntax\nship\nwheat\n")
    return tmp_path


@pytest.mark.parametrize(("name", "content"), [("docword.small.txt", UCI), ("small.dat", LDA_C)])
@pytest.mark.parametrize("packed", [False, True])
def test_counts_and_words_come_together(folder: Path, name: str, content: str, packed: bool) -> None:
    path = folder / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    for source in (path, folder):
        corpus = read(source)
        assert corpus.to_sparse().toarray().tolist() == COUNTS
        assert corpus.vocabulary == ("war", "tax", "ship", "wheat")
        assert (corpus.n_docs, corpus.n_empty, corpus.sentence_offsets) == (3, 1, None)


def test_filters_apply_to_counts_only_when_given(folder: Path) -> None:
    (folder / "docword.small.txt").write_text(UCI)
    assert read(folder, stop_words=True).n_words == 4
    assert read(folder, min_df=2).vocabulary == ("war",)
    assert read(folder, stop_words=["war"]).vocabulary == ("tax", "wheat")
    assert read(folder, max_words=1).vocabulary == ("war",)


def test_a_given_vocabulary_names_the_words(folder: Path) -> None:
    (folder / "docword.small.txt").write_text(UCI)
    assert read(folder, vocabulary=["a", "b", "c", "d"]).vocabulary == ("a", "b", "c", "d")
    with pytest.raises(InputError, match=r"expected 4 words, as the second line of .*, got 2 in the given"):
        read(folder, vocabulary=["a", "b"])


def test_the_vocabulary_of_the_same_name_is_taken(folder: Path) -> None:
    (folder / "vocab.other.txt").write_text("x\n")
    (folder / "docword.small.txt").write_text(UCI)
    assert read(folder).n_words == 4
    (folder / "vocab.small.txt").rename(folder / "vocab.big.txt")
    with pytest.raises(
        InputError, match=r"beside .*docword\.small\.txt, got vocab\.big\.txt, vocab\.other\.txt"
    ):
        read(folder)


BAD_UCI = {
    "header of words": ("three\n4\n5\n1 1 1\n", "three lines with the numbers"),
    "no header": ("", "three lines with the numbers"),
    "too few rows": (UCI[:-6], "expected 5 counts, as the third line .* says, got 4"),
    "too many rows": (UCI + "1 2 1\n", "expected 5 counts, as the third line .* says, got 6"),
    "unknown document": (UCI.replace("3\n4\n5", "2\n4\n5"), "document numbers from 1 to 2 .* got 3"),
    "document zero": (UCI.replace("1 4 3", "0 4 3"), "document numbers from 1 to 3 .* got 0"),
    "unknown word": (UCI.replace("1 4 3", "1 5 3"), "word numbers from 1 to 4 .* got 5"),
    "words disagree": (
        UCI.replace("3\n4\n5", "3\n5\n5"),
        "expected 5 words, as the second line .* got 4 in .*vocab",
    ),
    "negative": (UCI.replace("1 4 3", "1 4 -3"), "counts of 0 or more, got -3"),
    "two numbers": ("3\n4\n2\n1 4\n1 2\n", "`document word count` on each line, got 2 numbers"),
    "letters": (UCI.replace("1 4 3", "1 x 3"), "`document word count`, got something else at .*, line 6"),
    "nothing": ("3\n4\n0\n", "at least one word"),
}


@pytest.mark.parametrize("name", BAD_UCI)
def test_a_header_that_disagrees_with_its_body(folder: Path, name: str) -> None:
    content, said = BAD_UCI[name]
    (folder / "docword.small.txt").write_text(content)
    with pytest.raises(InputError, match=said) as raised:
        read(folder)
    assert "\n" not in str(raised.value)


BAD_LDA_C = {
    "pairs": ("2 0:1 3:3\n3 0:3 1:1\n", r"expected 3 pairs, .* got 2 at .*small\.dat, line 2"),
    "no pair": ("1 01\n", "`M word:count ...`, got other text at .*line 1"),
    "letters": ("1 a:b\n", "`M word:count ...`"),
    "three": ("1 1:2:3\n", "`M word:count ...`"),
    "unknown word": ("1 4:1\n", "word numbers from 0 to 3 .*got 4"),
    "nothing": ("\n", "at least one document"),
    "zeros": ("0\n0\n", "at least one word"),
}


@pytest.mark.parametrize("name", BAD_LDA_C)
def test_a_line_that_disagrees_with_itself(folder: Path, name: str) -> None:
    content, said = BAD_LDA_C[name]
    (folder / "small.dat").write_text(content)
    with pytest.raises(InputError, match=said):
        read(folder)


def test_counts_have_no_columns(folder: Path) -> None:
    (folder / "small.dat").write_text(LDA_C)
    with pytest.raises(InputError, match=r"no column names for counted words, got 'owner'"):
        read(folder, party_column="owner")
    with pytest.raises(InputError, match=r"no column names for counted words, got 'author'"):
        read(folder, person_column="author")
