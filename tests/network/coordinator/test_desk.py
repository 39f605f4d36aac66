"""Questions and answers meet at the desk, whoever comes, goes, repeats itself or keeps silent."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from time import monotonic

import pytest

from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.desk import Desk, HungUpError

POOL = ThreadPoolExecutor(4)


def asking(desk: Desk, timeout: float = 10.0, **questions: bytes) -> Future[dict[str, bytes | Silence]]:
    return POOL.submit(desk.ask, questions, timeout)


def test_each_party_gets_its_own_question_and_answers_it() -> None:
    desk = Desk()
    visits = {name: desk.arrive(name) for name in ("north", "south")}
    answers = asking(desk, north=b"who", south=b"where")
    for name, visit in visits.items():
        found = desk.fetch(name, visit, 5)
        assert found is not None
        desk.bring(name, found[0], b"I " + b"".join(found[1]))
    assert answers.result(5) == {"north": b"I who", "south": b"I where"}
    assert desk.fetch("north", visits["north"], 0) is None


def test_a_question_is_handed_out_once_in_a_visit_and_again_in_the_next() -> None:
    desk = Desk()
    first = desk.arrive("north")
    answers = asking(desk, north=b"who")
    assert desk.fetch("north", first, 5) is not None
    assert desk.fetch("north", first, 0) is None
    second = desk.arrive("north")
    desk.leave("north", first)  # the old connection ends late
    found = desk.fetch("north", second, 5)
    assert found is not None
    assert desk.fetch("north", first, 0) is None
    desk.bring("north", found[0], b"me")
    assert answers.result(5) == {"north": b"me"}


def test_only_the_asked_party_can_answer_and_only_while_it_is_asked() -> None:
    desk = Desk()
    north, _ = desk.arrive("north"), desk.arrive("south")
    answers = asking(desk, timeout=0.3, north=b"who")
    found = desk.fetch("north", north, 5)
    assert found is not None
    assert not desk.awaits("south", found[0])
    desk.bring("south", found[0], b"north says so")
    desk.bring("north", "0" * 32, b"to another question")
    assert isinstance(answers.result(5)["north"], Silence)
    assert not desk.awaits("north", found[0])
    desk.bring("north", found[0], b"late")
    assert desk.fetch("north", desk.arrive("north"), 0) is None


def test_a_party_that_never_came_is_not_waited_for() -> None:
    began = monotonic()
    assert "lost" in str(Desk().ask({"north": b"who"}, 60)["north"])
    assert monotonic() - began < 1


def test_a_party_that_is_gone_may_come_back_to_its_question_for_a_while() -> None:
    desk = Desk(silence=0.6)
    visit = desk.arrive("north")
    answers = asking(desk, timeout=60, north=b"who")
    assert desk.fetch("north", visit, 5) is not None
    desk.leave("north", visit)
    again = desk.arrive("north")
    assert desk.fetch("north", again, 5) is not None
    desk.leave("north", again)
    assert "lost" in str(answers.result(5)["north"])


def test_who_has_left_for_good_is_not_waited_for() -> None:
    desk = Desk()
    visit = desk.arrive("north")
    answers = asking(desk, timeout=60, north=b"who")
    assert desk.fetch("north", visit, 5) is not None
    desk.leave("north", visit, for_good=True)
    assert "lost" in str(answers.result(3)["north"])


def test_waiting_ends_when_someone_ends_the_run() -> None:
    told = Event()
    desk = Desk(hang_up=told.is_set)
    desk.arrive("north")
    answers = asking(desk, timeout=60, north=b"who")
    told.set()
    with pytest.raises(HungUpError):
        answers.result(5)


def test_the_operator_reads_who_comes_and_goes() -> None:
    lines: list[str] = []
    desk = Desk(lines.append)
    desk.leave("north", desk.arrive("north"))
    assert lines == ["party north is connected", "party north is no longer connected"]
    assert desk.parties == ()
