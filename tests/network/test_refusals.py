"""Parties that lie, repeat themselves or send nonsense: refused in plain words, and the run goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from network.rehearsal import Direct, Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.rounds import TooFewPartiesError
from fedtopics.network.messages import Reply, Request
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.turn import Arrays

TOPICS = planted_topics(3, 8)
CORPORA = {n: drawn_corpus(TOPICS, 15, 10, seed) for seed, n in enumerate(["north", "south", "west"])}


def rehearsal(folder: Path, method: str = "calm", **terms: Any) -> Rehearsal:
    small: dict[str, Any] = {"n_local": 2} if method == "ftm" else {}
    made = methods.make(method, n_topics=3, n_rounds=3, **small)
    return Rehearsal(folder, simulated(made, CORPORA, **terms), CORPORA)


def trained(stage: Rehearsal, bend: Callable[[str, bytes, bytes], bytes | Silence]) -> np.ndarray:
    """The topics at the end, which are probabilities whatever was sent."""
    end = stage.trained(channel=Direct(stage.sides, bend))
    assert end.next_round == 3
    model = stage.terms.method.model(end.state, end.words or ())
    assert model is not None
    assert np.isfinite(model.topic_word).all()
    return model.topic_word


def of_north(change: Callable[[Request, Reply], Reply | Silence]) -> Callable[[str, bytes, bytes], Any]:
    """A bent channel: what north answers is changed."""

    def bend(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        if name != "north":
            return answer
        bent = change(Request.from_bytes(asked), Reply.from_bytes(answer))
        return bent if isinstance(bent, Silence) else bent.to_bytes()

    return bend


def without_north(tmp_path: Path, **terms: Any) -> np.ndarray:
    """What the others learn where north takes part but never contributes."""
    stage = rehearsal(tmp_path / "without", **terms)
    return trained(stage, of_north(lambda a, r: Silence("gone") if r.operation == "contribute" else r))


def told(stage: Rehearsal, text: str) -> bool:
    return any(text in line for line in stage.lines)


def test_an_answer_of_an_earlier_round_is_refused(tmp_path: Path) -> None:
    first: list[Reply] = []

    def replay(asked: Request, reply: Reply) -> Reply:
        if asked.operation == "contribute":
            first.append(reply)
        return first[0] if first else reply

    stage = rehearsal(tmp_path)
    trained(stage, of_north(replay))
    assert told(
        stage, "party north: no contribute of round 1: refused, it belongs to 'contribute' of round 0"
    )
    assert told(stage, "an old message sent again?")


def test_an_answer_to_the_same_question_of_another_time_is_refused(tmp_path: Path) -> None:
    stage = rehearsal(tmp_path)
    topics = trained(
        stage,
        of_north(lambda a, r: replace(r, nonce="0" * 32) if r.operation == "contribute" else r),
    )
    assert told(stage, "refused, it answers another question (an old message sent again?)")
    assert np.array_equal(topics, without_north(tmp_path))


def test_nobody_speaks_for_another(tmp_path: Path) -> None:
    stage = rehearsal(tmp_path)
    topics = trained(
        stage, of_north(lambda a, r: replace(r, party="south") if r.operation == "contribute" else r)
    )
    assert told(stage, "refused, it speaks for party 'south'")
    assert np.array_equal(topics, without_north(tmp_path))


def test_a_plan_that_was_not_accepted_is_not_run(tmp_path: Path) -> None:
    stage = rehearsal(tmp_path)
    stage.sides["north"].terms = replace(stage.terms, plan="1" * 64)
    trained(stage, lambda name, asked, answer: answer)
    assert told(stage, "party north: no hello of round 0: it has not accepted this plan; let it review")
    assert not Ledger(entries=stage.sides["north"].store.entries).statements()


def test_the_words_of_another_run_are_refused(tmp_path: Path) -> None:
    words = ("apple", "pear", "plum")
    stage = rehearsal(tmp_path, agreement=None)
    stage.sides["north"] = replace(stage.sides["north"], terms=replace(stage.terms, words=words))
    trained(stage, lambda name, asked, answer: answer)
    assert told(stage, "party north: no vocabulary of round 0: it knows this run with other words")


def test_clocks_that_differ_are_named(tmp_path: Path) -> None:
    def late(asked: Request, reply: Reply) -> Reply:
        hour = {"time": wire.unpack(reply.body, limit=100).get("time", np.array(0.0)) - 3600}
        return replace(reply, body=wire.pack(hour)) if reply.operation == "hello" else reply

    stage = rehearsal(tmp_path)
    trained(stage, of_north(late))
    assert told(stage, "party north is left out: expected clocks within 60 s, got that of party north 3600 s")


def spoiled(change: Callable[[Arrays], Arrays]) -> Callable[[Request, Reply], Reply]:
    """The contribution with its arrays changed."""

    def bend(asked: Request, reply: Reply) -> Reply:
        if asked.operation != "contribute":
            return reply
        return replace(reply, body=wire.pack(change(wire.unpack(reply.body, limit=10**8))))

    return bend


def every(change: Callable[[np.ndarray], Any]) -> Callable[[Arrays], Arrays]:
    return lambda arrays: {name: np.asarray(change(array)) for name, array in arrays.items()}


BAD: dict[str, Callable[[Arrays], Arrays]] = {
    "NaN": every(lambda array: array * array.dtype.type("nan") if array.dtype.kind == "f" else array),
    "infinite": every(lambda array: np.full(array.shape, np.inf)),
    "huge": every(lambda array: np.full_like(array, 2**60 if array.dtype != np.int32 else 2**31 - 1)),
    "negative": every(lambda array: -array - 1),
    "longer": every(lambda array: np.concatenate([array.ravel(), array.ravel()])),
    "other type": every(lambda array: array.astype(np.int16)),
    "scalar": every(lambda array: np.array(1.0)),
    "empty": every(lambda array: array.ravel()[:0]),
    "nothing": lambda arrays: {},
    "other names": lambda arrays: {f"x{name}": array for name, array in arrays.items()},
    "more": lambda arrays: arrays | {"more": np.zeros(3)},
}


@pytest.mark.parametrize(("what", "method"), [*((what, "calm") for what in BAD), ("negative", "ftm")])
def test_arrays_that_are_nonsense_are_refused(tmp_path: Path, what: str, method: str) -> None:
    stage = rehearsal(tmp_path, method)
    topics = trained(stage, of_north(spoiled(BAD[what])))
    assert sum("what party north sent in round" in line for line in stage.lines) == 3
    assert np.array_equal(topics, without_north(tmp_path, method=method))


@pytest.mark.parametrize("method", ["calm", "ftm"])
def test_zeros_that_mean_nothing_do_not_end_a_run(tmp_path: Path, method: str) -> None:
    stage = rehearsal(tmp_path, method)
    trained(stage, of_north(spoiled(every(np.zeros_like))))


def test_a_bomb_does_not_end_a_run(tmp_path: Path) -> None:
    bomb = wire.pack({"counts": np.zeros(10**8, np.uint8)})
    stage = rehearsal(tmp_path)
    trained(stage, of_north(lambda a, r: replace(r, body=bomb) if r.operation == "contribute" else r))
    assert told(stage, "party north sent in round 2 was refused: expected arrays of at most ")


@given(st.binary(max_size=60), st.integers(0, 200), st.booleans())
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_bytes_are_survived(tmp_path_factory: Any, content: bytes, place: int, within: bool) -> None:
    def bend(name: str, asked: bytes, answer: bytes) -> bytes:
        if name != "north" or not within:
            return answer if name != "north" else content
        cut = min(place, len(answer))
        return answer[:cut] + content + answer[cut + len(content) :]

    stage = rehearsal(tmp_path_factory.mktemp("bytes"))
    trained(stage, bend)


def test_with_too_few_parties_the_run_waits(tmp_path: Path) -> None:
    stage = rehearsal(tmp_path, min_parties=3)
    with pytest.raises(TooFewPartiesError, match="needs 3 parties, got 2 that answered in round 0"):
        trained(stage, of_north(spoiled(BAD["NaN"])))
    trained(stage, lambda name, asked, answer: answer)
