"""Texts as people write them: addresses of pages, emoji, and documents of any length."""

from time import process_time

import pytest

from fedtopics import Corpus
from fedtopics.documents.text import tokens
from fedtopics.documents.text.tokens import SentenceSplitter, tokenizer_for


def test_addresses_of_pages_are_no_words() -> None:
    text = (
        "See https://example.org/a?b=c&d, WWW.Example.com/x and http://x.y! The www is old: http:// ftp://a"
    )
    assert tokenizer_for("en")(text) == ["see", "and", "the", "www", "is", "old", "http"]
    assert tokenizer_for("en")("é " + text)[-6:] == ["and", "the", "www", "is", "old", "http"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("so happy 😀😀", ["so", "happy", "😀", "😀"]),
        ("I ❤️ rain", ["❤", "rain"]),
        ("thanks 👍🏽👍", ["thanks", "👍", "👍"]),
        ("👩‍👩‍👧 at home", ["👩‍👩‍👧", "at", "home"]),
        ("🇩🇪🇫🇷 match", ["🇩🇪", "🇫🇷", "match"]),
        ("• item → next ★ © 2020", ["item", "next"]),
    ],
)
def test_emoji_are_words(text: str, words: list[str]) -> None:
    assert tokenizer_for("en")(text) == words
    assert set(Corpus.from_texts([text], stop_words=False).vocabulary) == set(words)


@pytest.mark.nightly
def test_sentences_of_a_long_text_take_time_by_its_length() -> None:
    """It took the square: sentencex does, and is given blocks now."""
    story = 'The harvest failed ("all of it). Farmers of St. Louis protest; is it over? '
    split = SentenceSplitter("en")

    def took(n_times: int) -> float:
        began = process_time()
        split(story * n_times)
        return process_time() - began

    took(1000)
    assert took(160_000) < 12 * max(took(20_000), 0.05)


def test_blocks_are_the_whole_text_and_end_with_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_BLOCK", 320)
    for story in ("Rain fell. Wheat grew. ", "rain\n", "no end ", "x" * 50):
        text = story * 100
        blocks = list(tokens._blocks(text))
        assert "".join(blocks) == text
        assert max(map(len, blocks)) <= 320
        if story[-1] in " \n":
            assert all(block.endswith((". ", "rain\n", "end ", "no ")) for block in blocks)
    whole = SentenceSplitter("en")("Rain fell. Wheat grew. " * 100)
    assert [sentence.strip() for sentence in whole] == ["Rain fell.", "Wheat grew."] * 100
