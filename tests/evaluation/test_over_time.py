"""Topics by period, and questions to people about words that do not belong."""

from __future__ import annotations

import numpy as np
import pytest

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
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


def test_an_intruder_belongs_to_another_topic() -> None:
    for seed in range(5):
        asked = questions(MODEL, seed=seed)
        assert all(int(q.intruder[1:]) // 12 != q.topic for q in asked)
    assert questions(MODEL, known=np.zeros(36, np.bool_)) == []
