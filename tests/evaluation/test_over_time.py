"""Topics by period, and questions to people about words that do not belong."""

from __future__ import annotations

import numpy as np
import pytest

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.assigned import Assigned
from fedtopics.evaluation.intrusion import graded, questions, sheet
from fedtopics.evaluation.over_time import over_time
from fedtopics.model import TopicModel
from tests.planted import planted_topics

WORDS = tuple(f"w{word}" for word in range(36))
MODEL = TopicModel(planted_topics(3, 12), np.full(3, 0.1), WORDS)


def test_a_topic_peaks_when_it_is_written_about() -> None:
    texts = [[0, 1, 2, 3]] * 3 + [[12, 13, 14, 15]] * 2 + [[12, 13, 25, 26]]
    words = np.array([word for text in texts for word in text], np.int32)
    found = over_time(
        MODEL,
        Corpus(words, np.arange(0, 25, 4), WORDS),
        [1861, "1862-03", "1865-04-09", 1941, 1942, 1950],
        period="decade",
    )
    assert found.periods == ("1860", "1940", "1950")
    assert found.n_docs == (3, 2, 1)
    assert [found.peak(topic) for topic in range(3)] == ["1860", "1940", "1950"]
    assert np.allclose(found.shares.sum(axis=1), 1)
    assert found.bar(0)[0] == "█"
    assert str(found).count("\n") == 3
    assert list(found.to_pandas().index) == list(found.periods)


def test_what_a_topic_says_in_a_period_is_told_by_the_words_that_are_more_often_there() -> None:
    """Topic 0 speaks of w0 and w1 in the forties and of w2 and w3 in the sixties; w4 is always there."""
    texts = [[0, 1, 4, 4]] * 3 + [[2, 3, 4, 4]] * 2 + [[12, 13, 14, 15]]
    words = np.array([word for text in texts for word in text], np.int32)
    corpus = Corpus(words, np.arange(0, 25, 4), WORDS)
    years = [1941, 1942, 1943, 1961, 1962, 1963]
    found = over_time(MODEL, corpus, years, period="decade", events=["w0", "w2 W3", "w4"], n_words=2)
    assert [set(of_period[0]) for of_period in found.said] == [{"w0", "w1"}, {"w2", "w3"}]
    assert found.said[0][2] == ()
    assert [(event.topic, event.peak) for event in found.events[:2]] == [(0, "1940"), (0, "1960")]
    assert np.allclose(found.events[1].shares, [0, 4 / 12], atol=0.01)
    assert np.allclose(found.events[2].shares, [6 / 12, 4 / 12], atol=0.01)
    assert found.events[1].bar() == " █"
    assert found.story(0).splitlines()[2].split() == ["1960", f"{found.shares[1, 0]:.1%}", *found.said[1][0]]
    assert "w2 W3" in str(found)
    assert over_time(MODEL, corpus, years, period="decade", n_words=0).said == ()


def test_a_word_of_several_topics_is_divided_by_what_its_documents_speak_of() -> None:
    """By theta times phi of each token, whatever the size of the stretches in which they are done."""
    shared = np.full((2, 4), 1e-9)
    shared[0, [0, 2]], shared[1, [1, 2]] = 0.5, 0.5
    model = TopicModel(shared / shared.sum(axis=1, keepdims=True), np.full(2, 0.1), WORDS[:4])
    corpus = Corpus(np.array([0, 0, 2, 1, 1, 2, 2], np.int32), np.array([0, 3, 7]), WORDS[:4])
    theta = model.transform(corpus)
    found = Assigned(corpus, theta, model.topic_word, np.array([0, 1]), 2)
    assert np.allclose(found.amounts(np.array([2])), theta * np.array([[1.0], [2.0]]), atol=1e-6)
    counts = list(found.by_group())
    assert np.allclose([group[:, 2] for group in counts], found.amounts(np.array([2])))
    assert np.allclose([group.sum() for group in counts], [3, 4])
    assert found.sayings(1) == [[[0], []], [[], [1]]]


@pytest.mark.parametrize(
    ("events", "message"), [(["w0", "lincoln"], "lincoln"), ([" "], "none"), (["w30"], "none has")]
)
def test_events_that_nobody_speaks_of_are_refused(events: list[str], message: str) -> None:
    two = Corpus(np.zeros(2, np.int32), np.arange(3), WORDS)
    with pytest.raises(InputError, match=message):
        over_time(MODEL, two, [1900, 1901], events=events)
    with pytest.raises(InputError, match="0 to 2"):
        over_time(MODEL, two, [1900, 1901]).story(3)
    with pytest.raises(InputError, match="n_words"):
        over_time(MODEL, two, [1900, 1901], n_words=-1)


@pytest.mark.parametrize(
    ("times", "period", "message"),
    [
        ([1900], "year", "for each of 2"),
        ([1900, "May 5"], "year", "ISO"),
        ([1900, 1901], "month", "ISO"),
        ([1900, 1901], "week", "among month"),
    ],
)
def test_times_that_say_nothing_are_refused_without_a_word_of_them(times, period, message) -> None:  # type: ignore[no-untyped-def]
    two = Corpus(np.zeros(2, np.int32), np.arange(3), WORDS)
    with pytest.raises(InputError, match=message) as caught:
        over_time(MODEL, two, times, period=period)
    assert "May" not in str(caught.value)


def test_a_sheet_is_graded_by_the_model_alone() -> None:
    asked = questions(MODEL, seed=4)
    assert len(asked) == 3
    rows = sheet(asked).splitlines()
    filled = [rows[0], *(row + question.intruder for row, question in zip(rows[1:], asked, strict=True))]
    assert graded(asked, "\n".join(filled)) == dict.fromkeys((question.topic for question in asked), True)
    filled[1] = rows[1] + "nonsense"
    assert graded(asked, "\n".join(filled))[asked[0].topic] is False
    assert len(graded(asked, "\n".join([*filled[:2], *rows[2:]]))) == 1
    for wrong in ("", "\n".join(rows), "\n".join(filled).replace("w1", "w2"), "\n".join(filled[:-1])):
        with pytest.raises(InputError):
            graded(asked, wrong)


def test_a_sheet_comes_back_as_spreadsheets_write_it() -> None:
    asked = questions(MODEL, seed=4)
    head, *rows = (line.split(",") for line in sheet(asked).splitlines())
    filled = [[*row[:-1], question.intruder] for row, question in zip(rows, asked, strict=True)]
    wanted = dict.fromkeys((question.topic for question in asked), True)
    for mark in ",;\t":
        lines = [mark.join(row) for row in (head, *filled)]
        assert graded(asked, "\r\n".join(lines)) == wanted
        assert graded(asked, "\n".join([f"sep={mark}", *lines])) == wanted
        empty = mark * (len(head) - 1)
        assert graded(asked, "\n".join([*(line + mark for line in lines), empty, ""])) == wanted
        assert graded(asked, "\n".join([lines[0], *reversed(lines[1:])])) == wanted  # sorted by a word
    assert (
        graded(
            asked,
            sheet(asked).splitlines()[0].replace(",", '","').join('""')
            + "\n"
            + "\n".join(",".join(row) for row in filled),
        )
        == wanted
    )
    twice = [head, *filled[:-1], filled[0]]
    with pytest.raises(InputError, match="expected the sheet of 3 questions"):
        graded(asked, "\n".join(";".join(row) for row in twice))


def test_an_intruder_belongs_to_another_topic() -> None:
    for seed in range(5):
        asked = questions(MODEL, seed=seed)
        assert all(int(q.intruder[1:]) // 12 != q.topic for q in asked)
    assert questions(MODEL, known=np.zeros(36, np.bool_)) == []
