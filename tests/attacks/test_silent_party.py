"""A party that says nothing keeps the others waiting for some seconds in all, not in every round."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest
from network.rehearsal import Direct, Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.errors import InputError
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.rounds import Coordinator
from fedtopics.network.coordinator.waiting import Patience, Waiting
from fedtopics.network.messages import Request

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 20, 10, seed) for seed, name in enumerate(("evil", "north", "south"))}
SECONDS = 1.0  # of a round


@dataclass
class Counting(Direct):
    """Rounds of one second by a clock of its own; `evil` is silent for ten more where `answers` says so."""

    answers: str = "never"
    now: float = 0.0
    n_asked: int = 0
    timeouts: list[float] = field(default_factory=list)

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        heard = super().ask(requests, timeout)
        operation = Request.from_bytes(next(iter(requests.values()))).operation
        self.n_asked += 1
        self.now += SECONDS
        silent = operation not in ("hello", "vocabulary") and (self.answers == "never" or self.n_asked % 2)
        if "evil" in requests and silent:
            heard["evil"] = Silence("no answer", 10.0)
            self.now += 10.0
        return heard


def lost(folder: Path, answers: str, min_parties: int = 2, n_rounds: int = 60) -> float:
    """Seconds that a run took beyond those of its rounds."""
    method = methods.make("calm", n_topics=3, n_rounds=n_rounds, epsilon=20.0)
    rehearsal = Rehearsal(folder, simulated(method, CORPORA, min_parties=min_parties), CORPORA)
    channel = Counting(rehearsal.sides, answers=answers)
    coordinator = rehearsal.coordinator(channel=channel)
    coordinator._asking.patience = Patience(60.0, clock=lambda: channel.now)
    end = coordinator.train()
    assert end.answered["north"] == list(range(n_rounds))
    coordinator.deliver(end.words or (), {"model": b"bytes"})
    coordinator.attest(lambda name, body: body)
    return channel.now - channel.n_asked * SECONDS


def test_a_party_that_greets_and_says_nothing_else_costs_some_seconds_and_a_tenth_of_the_run(
    tmp_path: Path,
) -> None:
    assert lost(tmp_path, "never") <= 10 + 15 + 0.1 * 100


def test_so_does_one_that_answers_every_second_question(tmp_path: Path) -> None:
    assert lost(tmp_path, "every second") <= 10 + 15 + 0.1 * 100


def test_where_a_run_needs_the_party_it_is_let_in_all_the_same(tmp_path: Path) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=2, epsilon=20.0)
    for needed, there in ((2, False), (3, True)):
        stage = Rehearsal(tmp_path / str(needed), simulated(method, CORPORA, min_parties=needed), CORPORA)
        coordinator: Coordinator = stage.coordinator()
        coordinator._asking.patience.note_vain("evil", 1e6)
        assert ("evil" in coordinator.train().answered) == there


def test_a_party_may_keep_others_waiting_again_when_the_run_has_gone_on_for_long() -> None:
    now = [0.0]
    patience = Patience(600.0, clock=lambda: now[0])
    patience.note_vain("evil", 10.0)
    assert not patience.is_over("evil")
    patience.note_vain("evil", 10.0)
    assert patience.is_over("evil")
    now[0] = 51.0
    assert not patience.is_over("evil")
    assert not patience.is_over("north")


def test_questions_are_waited_for_by_how_long_those_before_took() -> None:
    patience = Patience(600.0)
    assert patience.seconds("contribute") == 600.0
    patience.note("contribute", 0.5)
    assert patience.seconds("contribute") == 30.0
    patience.note("contribute", 20.0)
    assert patience.seconds("contribute") == 200.0
    assert patience.seconds("evaluate") == 600.0
    for _ in range(10):
        patience.note("contribute", 100.0)
    assert patience.seconds("contribute") == 600.0
    for _ in range(10):
        patience.note("contribute", 4.0)
    assert patience.seconds("contribute") == 40.0


def test_an_operator_may_wait_otherwise(tmp_path: Path) -> None:
    assert Waiting.read(tmp_path) == Waiting()
    (tmp_path / "waiting.toml").write_text("silence = 20\nleast = 5.0\n")
    assert Waiting.read(tmp_path) == Waiting(silence=20.0, least=5.0)
    for wrong in ("silence = 1", "patience = 3", 'factor = "much"', "share = nan"):
        (tmp_path / "waiting.toml").write_text(wrong)
        with pytest.raises(InputError, match=r"waiting.toml: "):
            Waiting.read(tmp_path)


def test_a_desk_waits_for_one_that_works_and_not_for_one_that_is_still() -> None:
    desk = Desk(silence=0.5)
    visits = {name: desk.arrive(name) for name in ("evil", "slow", "north")}
    over, began = Event(), monotonic()
    with ThreadPoolExecutor(2) as pool:
        asking = pool.submit(desk.ask, dict.fromkeys(visits, b"question"), 60.0)
        numbers = {}
        for name in visits:
            desk.sign(name, beats=True)
            fetched = desk.fetch(name, visits[name], 5.0)
            assert fetched is not None
            numbers[name] = fetched[0]
        desk.bring("north", numbers["north"], b"answer")

        def work() -> None:
            while not over.wait(0.1):
                desk.sign("slow", works=True)

        working = pool.submit(work)
        try:
            sleep(1.5)
            assert not asking.done()
            desk.bring("slow", numbers["slow"], b"late answer")
            heard = asking.result(5)
        finally:
            over.set()
        working.result(5)
    assert (heard["north"], heard["slow"]) == (b"answer", b"late answer")
    assert isinstance(heard["evil"], Silence)
    assert "no sign of life" in heard["evil"].reason
    assert monotonic() - began < 10


def test_who_stands_still_is_asked_again_when_it_comes_for_a_question() -> None:
    desk = Desk(silence=0.3)
    visit = desk.arrive("evil")
    desk.sign("evil", beats=True)
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(desk.ask, {"evil": b"question"}, 60.0)
        assert desk.fetch("evil", visit, 5.0) is not None
        assert isinstance(asking.result(5)["evil"], Silence)
    assert desk.parties == ()
    desk.sign("evil", works=True)  # it lives, and works on a question that nobody waits for
    assert desk.parties == ()
    assert desk.fetch("evil", visit, 0.0) is None
    assert desk.parties == ("evil",)


def test_one_that_never_gives_signs_while_it_works_has_the_whole_time() -> None:
    desk = Desk(silence=0.2)
    visit, began = desk.arrive("old"), monotonic()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(desk.ask, {"old": b"question"}, 1.0)
        assert desk.fetch("old", visit, 5.0) is not None
        assert "no answer within 1 s" in str(asking.result(5)["old"])
    assert monotonic() - began >= 1.0
