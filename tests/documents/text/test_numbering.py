"""Words that are cut natively or by other processes are those of the regular expressions, in order."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fedtopics.documents.text import cores
from fedtopics.documents.text.indexing import index_texts
from fedtopics.documents.text.known_words import reader
from fedtopics.documents.text.numbering import numbered
from fedtopics.documents.text.tokens import SentenceSplitter, tokenizer_for
from fedtopics.errors import InputError

ASCII = st.text(st.characters(max_codepoint=127), max_size=60)
TIGHT = st.text("aBs1_' -'’é<&;", max_size=30)
ADDRESSES = st.lists(
    st.sampled_from(
        ["http://", "HTTPS://", "ftp://", "www.", "a", "'", "_", " ", ".", '"', "1", "é", "\x1d"]
    ),
    max_size=8,
).map("".join)
ANY = st.text(max_size=60)
WESTERN = st.text("abÀÉéßÿ×÷'’‘“—…€©ª²\u00ad\xa0 1_<>&;/.w", max_size=40)
ONE_OF_EACH = {unicodedata.category(letter): letter for letter in map(chr, range(0xD7FF, -1, -1))}


@pytest.mark.parametrize("language", ["en", "fr", "de"])
@given(texts=st.lists(st.one_of(ASCII, TIGHT, WESTERN, ADDRESSES, ANY), max_size=4))
@example(texts=["a's o'clock's rock'n'roll 'tis dogs' x' a'1 1a 12 1990s _a_ a_b a--b", "\x00a\x7fb'"])
def test_native_words_are_those_of_the_regular_expressions(language: str, texts: list[str]) -> None:
    tokenizer = tokenizer_for(language)
    part = numbered(texts, tokenizer, None)
    words = [part.vocabulary[number] for number in part.words]
    assert words == [word for text in texts for word in tokenizer(text)]
    assert list(dict.fromkeys(words)) == list(part.vocabulary)


def test_a_letter_of_every_unicode_class_is_read_alike() -> None:
    for language in ("en", "fr"):
        texts = [f"ab{letter}c {letter}d e'{letter} f{letter}'s" for letter in ONE_OF_EACH.values()]
        part = numbered(texts, tokenizer_for(language), None)
        expected = [word for text in texts for word in tokenizer_for(language)(text)]
        assert [part.vocabulary[number] for number in part.words] == expected


def test_markup_is_never_cut_natively_as_words() -> None:
    indexer = tokenizer_for("en").indexer()
    for text in (
        "a<br>b",
        "tax &amp; law",
        "</p>",
        "<I think",
        "&#39;",
        "日本",
        "a\u0301",
        "x²",
        "\u00ad",
        "ª",
    ):
        assert indexer.add(text, True) < 0
    assert indexer.add("AT&T 3 < 4, café – “naïve” costs € 5 & ÷", True) == 4
    assert indexer.words() == ["at", "café", "naïve", "costs"]
    assert indexer.add("<b", False) == 4


@given(texts=st.lists(st.one_of(WESTERN, ADDRESSES, ANY, st.just("nation&#39;s <b>war</b>")), max_size=5))
def test_known_words_are_those_of_the_vocabulary(texts: list[str]) -> None:
    vocabulary = ["war", "é", "nation", "ab", "aé", "a's", "éa", "b's"]
    words, offsets, n_tokens = reader(vocabulary, tokenizer_for("en"))(texts)
    cut = [tokenizer_for("en")(text) for text in texts]
    expected = [[vocabulary.index(word) for word in one if word in vocabulary] for one in cut]
    assert [words[a:b].tolist() for a, b in pairwise(offsets)] == expected
    assert n_tokens == sum(map(len, cut))
    other = reader(vocabulary, str.split)(texts)
    assert other[2] == sum(len(text.split()) for text in texts)


@pytest.mark.parametrize("sentences", [True, False])
def test_all_cores_number_words_as_one_does(sentences: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Text {chr(97 + n % 26)}{n} is here. It's not café number w{n * 7 % 13}!" for n in range(200)]
    splitter = SentenceSplitter("en") if sentences else None
    alone = index_texts(texts, tokenizer_for("en"), splitter)
    monkeypatch.setattr(cores, "BATCH", 500)
    monkeypatch.setattr(cores, "ALONE", 1)
    monkeypatch.setattr(cores, "n_cores", lambda: 2)
    for on_disk in (False, True):
        shared = index_texts(texts, tokenizer_for("en"), splitter, on_disk=on_disk)
        assert shared.vocabulary == alone.vocabulary
        for one, other in zip(alone, shared, strict=True):
            assert one is other is None or np.array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize("executable", ["/bin/false", "/nowhere/python", ""])
def test_what_workers_cannot_do_is_done_here(executable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "BATCH", 10)
    monkeypatch.setattr(cores, "ALONE", 0)
    monkeypatch.setattr(cores, "n_cores", lambda: 2)
    monkeypatch.setattr(cores.sys, "executable", executable)
    indexed = index_texts(["one two three", "two four"] * 5, tokenizer_for("en"), None)
    assert indexed.vocabulary == ("one", "two", "three", "four")
    assert indexed.words.tolist() == [0, 1, 2, 1, 3] * 5


def test_a_text_that_fails_in_a_worker_is_the_callers_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "BATCH", 10)
    monkeypatch.setattr(cores, "ALONE", 0)
    monkeypatch.setattr(cores, "n_cores", lambda: 2)
    with pytest.raises(InputError, match="half of one"):
        index_texts(
            ["one two three four", "\ud800 five. Six"] * 3, tokenizer_for("en"), SentenceSplitter("en")
        )
