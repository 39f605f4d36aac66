"""Words and sentences of real writing: scripts, apostrophes, markup, quotations."""

from __future__ import annotations

import sys

import pytest

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.stop_words import stop_words_for
from fedtopics.documents.text.tokens import SentenceSplitter, tokenizer_for
from fedtopics.errors import InputError


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        (
            "en",
            "The U.S. has 1,250 ships; in 1990s 3D CO2.",
            ["the", "has", "ships", "in", "1990s", "3d", "co2"],
        ),
        (
            "en",
            "don’t, DON'T, Nation's, O'Neill, farmers' x's",
            ["don't", "don't", "nation", "o'neill", "farmers"],
        ),
        ("en", "snake_case well-known", ["snake", "case", "well", "known"]),
        ("en", "good<br /><br />film &amp; a <i>great</i> one", ["good", "film", "great", "one"]),
        ("en", "a <- b && c; AT&T, x<y", ["at"]),
        ("de", "Die STRASSE, die Straße", ["die", "strasse", "die", "straße"]),
        ("de", "A\u0308rzte = Ärzte; Zucker\u00adrohr", ["ärzte", "ärzte", "zuckerrohr"]),
        ("fr", "L’élève qu'on n'a pas vu", ["élève", "qu", "on", "pas", "vu"]),
        ("uk", "п'ять м’ята", ["п'ять", "м'ята"]),
        ("hi", "हिन्दी में किताबें", ["हिन्दी", "में", "किताबें"]),
        ("fa", "می‌خواهم", ["می‌خواهم"]),
        ("el", "ΟΔΟΣ", ["οδος"]),
        ("en", "9" * 5000 + " " + "a" * 3, ["aaa"]),
    ],
)
def test_words(language: str, text: str, words: list[str]) -> None:
    assert tokenizer_for(language)(text) == words


def test_words_of_ascii_do_not_depend_on_their_neighbors() -> None:
    """A text of ASCII letters goes through a simpler pattern than the others; the words are the same."""
    text = "The nation's 1990s don't o'neill x2 re-use 7th snake_case it's"
    tokenize = tokenizer_for("en")
    assert tokenize(text + " é") == tokenize(text)


def test_a_long_run_of_digits_takes_no_long_time() -> None:
    assert tokenizer_for("en")("1" * 300_000) == []


def test_languages_without_spaces_ask_for_a_tokenizer() -> None:
    with pytest.raises(InputError, match="own tokenizer"):
        tokenizer_for("ja")


def test_chinese_words() -> None:
    pytest.importorskip("jieba")
    words = tokenizer_for("zh")("我来到北京清华大学，2024 年 AI。")
    assert words == ["我", "来到", "北京", "清华大学", "年", "ai"]


def test_chinese_corpus() -> None:
    pytest.importorskip("jieba")
    corpus = Corpus.from_texts(["我们的大学在北京。大学很大！", "我来到北京"], language="zh")
    assert corpus.vocabulary == ("北京", "大学", "很大", "来到")
    assert len(corpus.sentence_offsets) == 4


def test_chinese_without_jieba_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(InputError, match=r"fedtopics\[chinese\]"):
        tokenizer_for("zh")


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("en", "Mr. Adams spoke. Was he heard? Yes!", ["Mr. Adams spoke.", "Was he heard?", "Yes!"]),
        ("en", "Bad film.<br /><br />Good end.", ["Bad film.", "Good end."]),
        ("zh", "今天天气很好。我们去公园！", ["今天天气很好。", "我们去公园！"]),
        ("en", "", []),
    ],
)
def test_sentences(language: str, text: str, sentences: list[str]) -> None:
    found = [sentence.strip() for sentence in SentenceSplitter(language)(text)]
    assert [sentence for sentence in found if sentence] == sentences


@pytest.mark.parametrize("opening", ['He said: "', "(a) ", "(", "They said: '"])
def test_an_open_quotation_does_not_swallow_the_rest(opening: str) -> None:
    text = opening + "The first part is long enough to be cut. Then came the second one. " * 20
    sentences = SentenceSplitter("en")(text)
    assert len(sentences) >= 40
    assert "".join(sentences) == text


def test_stop_words_are_function_words() -> None:
    english = stop_words_for("en")
    assert {"the", "don't", "we're", "upon"} <= english
    assert not {"state", "member", "system", "computer", "bill", "fire", "interest"} & english
    assert {"der", "und"} <= stop_words_for("de")
    assert "的" in stop_words_for("zh")


def test_unknown_language_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"'xx'.* de .* zh"):
        stop_words_for("xx")


def test_a_wide_space_before_a_full_stop_is_no_end_of_the_program() -> None:
    for space in "\x85\u00a0\u2003\u3000":
        sentences = SentenceSplitter("en")(f"It was B{space}. Then it went.")
        assert "".join(sentences).replace(space, " ") == "It was B . Then it went."
