"""Secure sums on both sides of the wire: exact totals, whoever falls silent when, and nothing paid twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from network.rehearsal import Direct, Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.rounds import TooFewPartiesError
from fedtopics.network.messages import Request
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.method import About, Method
from fedtopics.protocol.summing import Summing, Total
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party, Turn

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 30, 20, seed=seed) for seed, name in enumerate("abc")}
N_ROUNDS = 3
Bend = Callable[[str, bytes, bytes], "bytes | Silence"]


@dataclass(frozen=True)
class Adding(Method):
    """A method whose state is every total that its server got, and who was in it."""

    n_topics: int = 2
    n_rounds: int = N_ROUNDS
    about: ClassVar[About] = About("adds up", "none", "")
    sums: ClassVar[dict[str, int] | None] = {"n": 0}

    def prices(self, n_words: int) -> list[Cost]:
        return [Cost((Loss("word replace", Pure(1.0)),), noise="simulated")] * self.n_rounds

    def start(self, n_words: int, turn: Turn) -> Arrays:
        return {}

    def broadcast(self, state: Arrays) -> Arrays:
        return {"played": np.array(sum(name.startswith("total") for name in state))}

    def may_be_told(self, n_words: int, party: str) -> list[Form]:
        return [{"played": Numbers("int64")}]

    def contribute(self, party: Party, told: Arrays, turn: Turn) -> tuple[Release[Arrays], Arrays]:
        return Release({"n": numbers(party.name, int(told["played"]))}, self.prices(0)[0]), {}

    def combine_total(self, state: Arrays, total: Total, turn: Turn) -> Arrays:
        place, names = sum(name.startswith("total") for name in state), ",".join(total.parties)
        present = np.frombuffer(names.encode(), np.uint8)
        return state | {f"total{place}": total.arrays["n"], f"names{place}": present}

    def model(self, state: Arrays, vocabulary: tuple[str, ...]) -> TopicModel | None:
        return None


def numbers(party: str, played: int) -> np.ndarray:
    """What a party sends when so many rounds have been played."""
    return np.random.default_rng([played, *party.encode()]).integers(0, 2**48, (4, 3))


def tiny(names: list[str]) -> dict[str, Corpus]:
    corpus = Corpus.from_texts(["tax war", "war law"], min_df=1, max_df=1.0)
    return dict.fromkeys(names, corpus)


def staged(folder: Path, names: list[str], summing: Summing, **given: int) -> Rehearsal:
    corpora = tiny(names)
    known = {"min_parties": summing.least(len(names))} | given
    return Rehearsal(folder, simulated(Adding(), corpora, summing=summing, **known), corpora)


def totals(state: Arrays) -> list[tuple[str, bool]]:
    """Who was in each total, and whether it is the plain sum of what they sent."""
    found = []
    for place in range(sum(name.startswith("total") for name in state)):
        names = state[f"names{place}"].tobytes().decode()
        plain = sum(numbers(name, place) for name in names.split(","))
        found.append((names, np.array_equal(state[f"total{place}"], plain)))
    return found


def silent(names: str, operation: str, number: int, times: int = 10**6) -> Bend:
    """A channel in which these parties do not answer a question of one round, so many times each."""
    left = Counter(dict.fromkeys(names, times))

    def bend(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        question = Request.from_bytes(asked)
        if (question.operation, question.round) == (operation, number) and left[name] > 0:
            left[name] -= 1
            return Silence("gone")
        return answer

    return bend


def charges(stage: Rehearsal) -> dict[str, int]:
    """How often each party has paid."""
    return {name: len(side.store.of_run("first")) for name, side in stage.sides.items()}


@pytest.mark.parametrize(
    ("name", "noise", "settings"),
    [
        ("shared", "each", {}),
        ("calm", "each", {}),
        ("calm", "each", {"one_topic": True}),
        ("pctd", "each", {}),
        ("hush", "each", {}),
        ("hush", "together", {}),
    ],
)
def test_a_model_by_masked_sums_is_that_of_the_reference_engine(
    tmp_path: Path, name: str, noise: str, settings: dict[str, bool]
) -> None:
    method, summing = methods.make(name, n_topics=3, n_rounds=12, **settings), Summing(1, noise)
    terms = simulated(method, CORPORA, summing=summing, min_parties=3)
    stage = Rehearsal(tmp_path, terms, CORPORA)
    end = stage.trained()
    model = method.model(end.state, end.words or ())
    wanted = in_process.run(method, CORPORA, seed=terms.seed, summing=summing)
    assert model is not None
    assert wanted.model is not None
    assert model.topic_word.tobytes() == wanted.model.topic_word.tobytes()
    entries = [entry for side in stage.sides.values() for entry in side.store.of_run("first")]
    found = sorted((entry.party, entry.round, str(entry.cost)) for entry in entries)
    assert found == sorted((entry.party, entry.round, str(entry.cost)) for entry in wanted.ledger.entries)


@pytest.mark.parametrize(("n_parties", "n_rounds"), [(2, 3), (3, 3), (6, 3), (50, 1)])
def test_totals_of_many_parties_are_exact(tmp_path: Path, n_parties: int, n_rounds: int) -> None:
    names = [f"p{number:02}" for number in range(n_parties)]
    corpora = tiny(names)
    terms = simulated(Adding(n_rounds=n_rounds), corpora, summing=Summing(0), min_parties=n_parties)
    stage = Rehearsal(tmp_path, terms, corpora)
    assert totals(stage.trained().state) == [(",".join(names), True)] * n_rounds
    assert set(charges(stage).values()) == {n_rounds}


@pytest.mark.parametrize("number", range(N_ROUNDS))
@pytest.mark.parametrize("gone", ["d", "bd"])
def test_who_falls_silent_before_it_is_ready_is_not_in_the_sum(
    tmp_path: Path, gone: str, number: int
) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(0))
    end = stage.trained(channel=Direct(stage.sides, silent(gone, "contribute", number)))
    whole, rest = "a,b,c,d", ",".join(name for name in "abcd" if name not in gone)
    assert totals(end.state) == [(rest if place == number else whole, True) for place in range(N_ROUNDS)]
    assert set(charges(stage).values()) == {N_ROUNDS}  # those that were silent had made a release, too


@pytest.mark.parametrize("number", range(N_ROUNDS))
@pytest.mark.parametrize("gone", ["d", "bd"])
def test_who_falls_silent_afterwards_and_comes_back_is_in_the_sum(
    tmp_path: Path, gone: str, number: int
) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(0))
    end = stage.trained(channel=Direct(stage.sides, silent(gone, "sum", number, times=2)))
    assert totals(end.state) == [("a,b,c,d", True)] * N_ROUNDS
    assert set(charges(stage).values()) == {N_ROUNDS}


@pytest.mark.parametrize("gone", ["d", "bd"])
def test_who_does_not_come_back_is_waited_for_and_no_other_sum_is_made(tmp_path: Path, gone: str) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(0))
    with pytest.raises(TooFewPartiesError, match="fell silent after it was ready"):
        stage.trained(channel=Direct(stage.sides, silent(gone, "sum", 1)))
    for name in stage.sides:
        stage.start(name)  # machines go down and come back
    assert totals(stage.trained().state) == [("a,b,c,d", True)] * N_ROUNDS
    assert set(charges(stage).values()) == {N_ROUNDS}


def test_the_parties_of_a_sum_stay_when_the_coordinator_is_started_again(tmp_path: Path) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(0))
    with pytest.raises(TooFewPartiesError):
        stage.trained(channel=Direct(stage.sides, silent("d", "sum", 1)))

    def gone_before(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        return Silence("gone") if name == "d" and Request.from_bytes(asked).round == 1 else answer

    with pytest.raises(TooFewPartiesError, match="round 1: d fell silent"):
        stage.trained(channel=Direct(stage.sides, gone_before))
    assert totals(stage.trained().state) == [("a,b,c,d", True)] * N_ROUNDS


@pytest.mark.parametrize("number", range(N_ROUNDS))
@pytest.mark.parametrize("gone", ["d", "bd"])
def test_a_plan_may_lose_rounds_and_plays_them_again_without_the_silent(
    tmp_path: Path, gone: str, number: int
) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(0, repeats=1))

    def bend(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        question = Request.from_bytes(asked)
        later = (question.round == number and question.operation == "sum") or question.round > number
        return Silence("gone") if name in gone and later else answer

    end = stage.trained(channel=Direct(stage.sides, bend))
    rest = ",".join(name for name in "abcd" if name not in gone)
    assert totals(end.state) == [("a,b,c,d" if place < number else rest, True) for place in range(N_ROUNDS)]
    assert end.lost == 1
    assert any(f"round {number} is lost, and played again" in line for line in stage.lines)
    assert {charges(stage)[name] for name in rest.split(",")} == {N_ROUNDS + 1}  # one more, which it has paid


def test_too_few_for_the_threshold_are_no_sum(tmp_path: Path) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(1))
    with pytest.raises(TooFewPartiesError, match="the plan needs 3 parties, got 2 that were ready"):
        stage.trained(channel=Direct(stage.sides, silent("bd", "contribute", 1)))


def test_who_comes_late_is_in_the_next_sum(tmp_path: Path) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(1))
    late = stage.sides.pop("d")

    def come(line: object) -> None:
        stage.sides["d"] = late

    end = stage.trained(on_round=come)
    assert totals(end.state) == [("a,b,c", True), ("a,b,c,d", True), ("a,b,c,d", True)]


def test_the_coordinator_hears_no_party_alone(tmp_path: Path) -> None:
    stage = staged(tmp_path, list("abc"), Summing(1))
    channel = Direct(stage.sides)
    stage.trained(channel=channel)
    heard = b"".join(channel.heard)
    for name in "abc":
        for number in numbers(name, 0).ravel():
            assert int(number).to_bytes(8, "little") not in heard


def test_a_party_that_sends_nonsense_spoils_the_round_and_nobody_is_accused(tmp_path: Path) -> None:
    from fedtopics.errors import InputError
    from fedtopics.network import wire
    from fedtopics.network.messages import Reply

    stage = staged(tmp_path, list("abc"), Summing(1))

    def bend(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        reply = Reply.from_bytes(answer)
        if name != "b" or reply.operation != "sum":
            return answer
        noise = np.random.default_rng(0).integers(0, 2**64, (4, 3), np.uint64)
        return Reply(**vars(reply) | {"body": wire.pack({"n": noise})}).to_bytes()

    with pytest.raises(InputError, match="a secure sum does not show which"):
        stage.trained(channel=Direct(stage.sides, bend))
