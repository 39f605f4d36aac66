"""Topics are shown by words that set them apart; names and background come from the model alone."""

from __future__ import annotations

import numpy as np
import pytest

from fedtopics.errors import InputError
from fedtopics.model import TopicModel

WORDS = ("year", "people", "bank", "loan", "army", "navy", "hapax", "typo")
COUNTS = [[500, 400, 100, 90, 0, 0, 1, 0], [520, 410, 0, 0, 110, 80, 0, 1]]


def made() -> TopicModel:
    return TopicModel.from_counts(COUNTS, WORDS, beta=0.05)


def test_words_that_are_everywhere_are_not_shown_first() -> None:
    assert made().top_words(2, by="probable") == [["year", "people"]] * 2
    assert made().top_words(2) == [["bank", "loan"], ["army", "navy"]]


def test_a_word_that_smoothing_alone_puts_in_a_topic_is_never_shown_before_one_with_text() -> None:
    """A small topic over many rare words: their share of the prior must not look like distinction."""
    few = np.array([[30.0, 3, *[0] * 500], [90_000, 0, *np.full(500, 0.01)]])
    names = ["frequent", "own", *(f"rare{word}" for word in range(500))]
    assert set(TopicModel.from_counts(few, names, beta=0.05).top_words(2)[0]) == {"frequent", "own"}


def test_every_word_has_its_place_and_equals_go_by_probability_then_id() -> None:
    order = made().top_word_ids(8)
    assert sorted(order[0].tolist()) == list(range(8))
    even = TopicModel(np.full((2, 4), 0.25), np.ones(2), WORDS[:4])
    assert even.top_word_ids(4).tolist() == [[0, 1, 2, 3]] * 2


def test_another_order_is_refused() -> None:
    with pytest.raises(InputError, match=r"distinctive or probable, got 'lift'"):
        made().top_words(by="lift")


def test_the_background_is_what_topics_share() -> None:
    assert set(made().common_words(2)) == {"year", "people"}
    assert made().background.sum() == pytest.approx(1.0)
    alone = TopicModel(np.array([[0.7, 0.3], [0.0, 1.0]]), np.ones(2), ("one", "two"))
    assert alone.common_words(1) == ["two"]


def test_a_topic_is_called_by_its_label_or_its_words() -> None:
    assert made().names[0].startswith("bank, loan, ")
    named = made().set_topic_labels({1: "defense"})
    assert named.names == (made().names[0], "defense")
    assert [row.label for row in named.get_topic_info()] == list(named.names)


def test_a_function_that_names_topics_gets_their_words_and_nothing_else() -> None:
    heard: list[object] = []

    def namer(words: list[str]) -> str:
        heard.append(words)
        return f" {words[0]}\nof old "

    named = made().name_topics(namer, n=2)
    assert heard == [["bank", "loan"], ["army", "navy"]]
    assert named.labels is not None
    assert all("\n" not in label for label in named.labels)
    for wrong in ("", None, 3):
        with pytest.raises(InputError, match="a name for topic 0"):
            made().name_topics(lambda _, wrong=wrong: wrong)  # type: ignore[misc]


def test_a_name_has_one_form_of_a_word() -> None:
    words = ("court", "courts", "jury", "de:court", "tax", "taxi", "taxation", "judges")
    counts = np.array([[90.0, 80, 70, 60, 0, 0, 0, 0], [0, 0, 0, 0, 90, 80, 70, 60]])
    assert TopicModel.from_counts(counts, words).names == ("courts, jury, de:court", "taxi, taxation, judges")
    forms = TopicModel.from_counts([[3, 2, 0, 0], [0, 0, 3, 2]], ("tax", "taxes", "war", "wars"))
    assert forms.names == ("taxes", "wars")
