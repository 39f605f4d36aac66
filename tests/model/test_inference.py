"""Texts that come one by one: the mixtures of all at once, in order, with a few of them in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from fedtopics import Corpus
from fedtopics.documents.text import known_words
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.model.inference import in_order

MODEL = TopicModel.from_counts([[9, 1, 0, 2], [0, 1, 9, 3]], ["tax", "law", "war", "café"])
TEXTS = [f"The tax {'law ' * (n % 3)} &amp; <b>war</b> café {'日本 ' * (n % 2)}" for n in range(53)]


@pytest.mark.parametrize("n_threads", [1, 3])
def test_a_stream_gives_the_mixtures_of_a_corpus(n_threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_words, "TEXTS", 10)
    expected = MODEL.transform(Corpus.from_texts(TEXTS, vocabulary=MODEL.vocabulary))
    parts = list(MODEL.transform_stream(iter(TEXTS), n_threads=n_threads))
    assert [len(part) for part in parts] == [10, 10, 10, 10, 10, 3]
    assert np.array_equal(np.concatenate(parts), expected)
    assert np.array_equal(MODEL.transform(TEXTS, n_threads=n_threads), expected)
    assert np.array_equal(MODEL.transform(MODEL.read(iter(TEXTS))), expected)


def test_no_more_texts_are_read_than_are_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_words, "TEXTS", 10)
    n_read = 0

    def coming() -> Iterator[str]:
        nonlocal n_read
        for text in TEXTS * 10:
            n_read += 1
            yield text

    for number, _ in enumerate(MODEL.transform_stream(coming(), n_threads=2), start=1):
        assert n_read <= 10 * (number + 4)


def test_errors_come_through_and_nothing_is_left_running() -> None:
    def work(number: int) -> int:
        if number == 7:
            raise InputError("expected another number, got 7")
        return number

    for n_threads in (1, 3):
        found = in_order(work, range(20), n_threads)
        assert [next(found) for _ in range(7)] == list(range(7))
        with pytest.raises(InputError, match="got 7"):
            next(found)
    with pytest.raises(InputError, match="every text as a string, got dict"):
        MODEL.transform(["tax", {"a": 1}])  # type: ignore[list-item]
    assert MODEL.transform([]).shape == (0, 2)
