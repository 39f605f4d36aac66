"""Messages that are coded by those before: small, the same numbers, and sent in full to who lacks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from network.rehearsal import Direct, Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.rounds import TooFewPartiesError
from fedtopics.network.messages import Reply, Request
from fedtopics.network.wire import ForgottenError, WireError
from fedtopics.protocol import in_process
from fedtopics.protocol.coding import Known

TOPICS = planted_topics(3, 40)
CORPORA = {name: drawn_corpus(TOPICS, 60, 30, seed) for seed, name in enumerate(("north", "south", "west"))}
METHOD = methods.make("calm", n_topics=3, n_rounds=8)


@cache
def reference() -> in_process.Outcome:
    return in_process.run(METHOD, CORPORA, seed=3)


def stage(folder: Path, **terms: object) -> Rehearsal:
    return Rehearsal(folder, simulated(METHOD, CORPORA, min_parties=3, **terms), CORPORA)


def heard(channel: Direct) -> list[bytes]:
    """What parties contributed, in order."""
    replies = map(Reply.from_bytes, channel.heard)
    return [reply.body for reply in replies if reply.operation == "contribute" and not reply.error]


def assert_same_topics(made: Rehearsal, state: dict[str, np.ndarray]) -> None:
    model, wanted = METHOD.model(state, CORPORA["north"].vocabulary), reference().model
    assert model is not None
    assert wanted is not None
    np.testing.assert_array_equal(model.topic_word, wanted.topic_word)


def test_after_their_first_messages_all_are_coded_by_those_before(tmp_path: Path) -> None:
    made = stage(tmp_path)
    channel = Direct(made.sides)
    end = made.trained(channel=channel)
    assert_same_topics(made, end.state)
    assert [wire.is_relative(body) for body in heard(channel)] == [False] * 3 + [True] * 21
    counted = reference().rounds
    for line, own in zip(end.rounds, counted, strict=True):  # headers beside the blocks
        assert own.bytes_up < line.bytes_up < own.bytes_up + 3 * 600
        assert own.bytes_down < line.bytes_down < own.bytes_down + 3 * 900


@pytest.mark.parametrize("name", ["north", "west"])
def test_a_party_that_was_started_again_is_told_all_and_sends_all(tmp_path: Path, name: str) -> None:
    made = stage(tmp_path)

    def restart(party: str, asked: bytes, answer: bytes) -> bytes:
        question = Request.from_bytes(asked)
        if (party, question.operation, question.round) == (name, "contribute", 4):
            made.start(name)
        return answer

    channel = Direct(made.sides, restart)
    end = made.trained(channel=channel)
    assert_same_topics(made, end.state)
    assert end.answered == {party: list(range(8)) for party in CORPORA}
    assert sum(not wire.is_relative(body) for body in heard(channel)) == 3 + 1
    assert not any("no contribute" in line for line in made.lines)


def test_a_coordinator_that_was_started_again_asks_for_all(tmp_path: Path) -> None:
    made = stage(tmp_path)

    def silent(party: str, asked: bytes, answer: bytes) -> bytes | Silence:
        return Silence("gone") if Request.from_bytes(asked).round == 5 else answer

    with pytest.raises(TooFewPartiesError):
        made.trained(channel=Direct(made.sides, silent))
    channel = Direct(made.sides)
    end = made.trained(channel=channel)
    assert_same_topics(made, end.state)
    assert [wire.is_relative(body) for body in heard(channel)] == [False] * 3 + [True] * 6


def test_an_answer_that_was_lost_is_no_reference(tmp_path: Path) -> None:
    made = stage(tmp_path)
    made.terms = replace(made.terms, min_parties=2)

    def lossy(party: str, asked: bytes, answer: bytes) -> bytes | Silence:
        question = Request.from_bytes(asked)
        lost = (party, question.operation, question.round) == ("south", "contribute", 3)
        return Silence("lost on the way") if lost else answer

    channel = Direct(made.sides, lossy)
    end = made.trained(channel=channel)
    assert end.answered["south"] == [0, 1, 2, 4, 5, 6, 7]
    assert [wire.is_relative(body) for body in heard(channel)].count(False) == 3 + 1


@dataclass
class Losing(Direct):
    """Loses the question of one round to one party; notes the questions that arrive."""

    lost: tuple[str, int] = ("south", 3)
    asked: list[bytes] = field(default_factory=list)

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        questions = {name: Request.from_bytes(content) for name, content in requests.items()}
        gone = {name for name, asked in questions.items() if (name, asked.round) == self.lost}
        told = [asked for name, asked in questions.items() if name not in gone]
        self.asked += [asked.body for asked in told if asked.operation == "contribute"]
        silent: dict[str, bytes | Silence] = dict.fromkeys(gone, Silence("lost on the way"))
        return silent | super().ask({name: requests[name] for name in requests if name not in gone}, timeout)


def test_a_question_that_was_lost_is_no_reference(tmp_path: Path) -> None:
    made = stage(tmp_path)
    made.terms = replace(made.terms, min_parties=2)
    channel = Losing(made.sides)
    end = made.trained(channel=channel)
    assert end.answered["south"] == [0, 1, 2, 4, 5, 6, 7]
    assert [wire.is_relative(body) for body in channel.asked] == [False] * 6 + [True] * 17


@pytest.mark.parametrize("bits", [None, 8])
def test_rounded_numbers_are_known_as_they_were_sent(tmp_path: Path, bits: int | None) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=4, tells="topics", sends="counts")
    terms = simulated(method, CORPORA, min_parties=3, significant_bits=bits)
    made = Rehearsal(tmp_path, terms, CORPORA)
    assert made.trained().answered == {party: list(range(4)) for party in CORPORA}
    assert not any("no contribute" in line for line in made.lines)


def test_a_message_is_read_by_what_it_was_coded_by_alone() -> None:
    first = {"n": np.arange(400, dtype=np.int32)}
    known, other = Known(first), Known({"n": np.arange(1, 401, dtype=np.int32)})
    message = wire.pack({"n": first["n"] + 1}, known=known)
    assert len(message) < 100
    np.testing.assert_array_equal(wire.unpack(message, limit=1600, known=known)["n"], first["n"] + 1)
    for wrong in (Known(), other, known.after(first)):
        with pytest.raises(ForgottenError, match="coded by what is known here"):
            wire.unpack(message, limit=1600, known=wrong)
    with pytest.raises(WireError, match="announces"):
        wire.unpack(message, limit=1599, known=known)
    with pytest.raises(WireError):
        wire.unpack(message[:9], limit=1600, known=known)
