"""A party that says nothing keeps the others waiting a few times, not in every round."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from network.rehearsal import Direct, Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.network.coordinator.answers import Patience, Silence
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.messages import Request

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 20, 10, seed) for seed, name in enumerate(("evil", "north", "south"))}
NOBODY: frozenset[str] = frozenset()


@dataclass
class Waiting(Direct):
    """Counts the questions whose whole time passes, in which `evil` answers where `answers` says so."""

    answers: str = "never"
    n_asked: int = 0
    waits: list[str] = field(default_factory=list)

    def ask(
        self, requests: Mapping[str, bytes], timeout: float, unwaited: frozenset[str] = NOBODY
    ) -> dict[str, bytes | Silence]:
        heard = super().ask(requests, timeout, unwaited)
        operation = Request.from_bytes(next(iter(requests.values()))).operation
        self.n_asked += 1
        silent = operation not in ("hello", "vocabulary") and (self.answers == "never" or self.n_asked % 2)
        if "evil" in requests and silent:
            heard["evil"] = Silence("no answer")
            self.waits += [operation] if "evil" not in unwaited else []
        return heard


def waited(folder: Path, answers: str, min_parties: int = 2, n_rounds: int = 30) -> list[str]:
    method = methods.make("calm", n_topics=3, n_rounds=n_rounds, epsilon=20.0)
    rehearsal = Rehearsal(folder, simulated(method, CORPORA, min_parties=min_parties), CORPORA)
    channel = Waiting(rehearsal.sides, answers=answers)
    coordinator = rehearsal.coordinator(channel=channel)
    end = coordinator.train()
    assert end.answered["north"] == list(range(n_rounds))
    coordinator.deliver(end.words or (), {"model": b"bytes"})
    coordinator.attest(lambda name, body: body)
    return channel.waits


def test_a_silent_party_costs_a_run_a_few_waits(tmp_path: Path) -> None:
    assert waited(tmp_path, "never") == ["contribute"] * 4


def test_so_does_one_that_answers_every_second_question(tmp_path: Path) -> None:
    assert len(waited(tmp_path, "every second")) <= 4


def test_where_a_round_needs_the_party_it_is_waited_for() -> None:
    patience = Patience()
    for _ in range(3):
        patience.note({"evil": Silence("none"), "north": b""}, NOBODY)
    assert patience.unwaited(("evil", "north"), 1) == {"evil"}
    assert patience.unwaited(("evil", "north"), 2) == NOBODY


def test_a_party_that_was_silent_is_waited_for_again_after_some_questions() -> None:
    patience, asked = Patience(), []
    for number in range(1, 40):
        unwaited = patience.unwaited(("evil", "north"), 1)
        asked += [] if unwaited else [number]
        patience.note({"evil": Silence("none"), "north": b""}, unwaited)
    assert asked == [1, 2, 8, 32]


def test_a_desk_gives_those_it_does_not_wait_for_as_long_again_as_the_others_took() -> None:
    desk = Desk()
    visits = {name: desk.arrive(name) for name in ("evil", "late", "north")}
    requests = dict.fromkeys(visits, b"question")
    began = monotonic()
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(desk.ask, requests, 60.0, frozenset({"evil", "late"}))
        for name, seconds in (("north", 0.6), ("late", 0.2)):
            fetched = desk.fetch(name, visits[name], 5.0)
            assert fetched is not None
            sleep(seconds)
            desk.bring(name, fetched[0], b"answer")
        heard = asking.result()
    assert heard["north"] == heard["late"] == b"answer"
    assert isinstance(heard["evil"], Silence)
    assert desk.ask({"evil": b"question"}, 60.0, frozenset({"evil"}))["evil"] != b""
    assert monotonic() - began < 10
