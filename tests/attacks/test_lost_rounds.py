"""Secure sums of a run whose parties lie, fall silent or come late."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network.identities import identity
from network.rehearsal import PLAN, Direct, Ear, Rehearsal, simulated
from network.test_sums import Adding, silent, staged, tiny, totals
from planted import drawn_corpus, planted_topics

from fedtopics.errors import InputError
from fedtopics.methods.calm import Calm
from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.rounds import TooFewPartiesError
from fedtopics.network.messages import Reply, Request
from fedtopics.network.secure_sum import Introduction, _signed, introduced, new_key
from fedtopics.protocol.summing import Summing


def test_parties_that_were_told_other_things_open_to_noise(tmp_path: Path) -> None:
    corpora = {name: drawn_corpus(planted_topics(3, 8), 30, 20, seed=seed) for seed, name in enumerate("abc")}
    terms = simulated(Calm(n_topics=3, n_rounds=4), corpora, summing=Summing(1), min_parties=3)
    stage = Rehearsal(tmp_path, terms, corpora)

    class Lying(Direct):
        """Tells c that everything is in the last topic, and the others that it is in the first."""

        def ask(self, requests: Any, timeout: float) -> Any:
            lies = dict(requests)
            for name, content in requests.items():
                asked = Request.from_bytes(content)
                if asked.operation != "contribute":
                    continue
                told = ears[name].hear(asked.body)
                if asked.round == 2:
                    told["roots"] = np.roll(told["roots"], 1 if name == "c" else 0, axis=1)
                    lies[name] = replace(asked, body=wire.pack(told)).to_bytes()
            return super().ask(lies, timeout)

    ears = {name: Ear() for name in corpora}

    with pytest.raises(InputError, match="the total of counts makes no sense"):
        stage.trained(channel=Lying(stage.sides))


def test_a_run_goes_on_without_one_that_was_introduced_before(tmp_path: Path) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(0))
    with pytest.raises(TooFewPartiesError):
        stage.trained(channel=Direct(stage.sides, silent("abc", "contribute", 1)))
    stage.sides.pop("d").store.close()
    assert totals(stage.trained().state) == [("a,b,c,d", True), ("a,b,c", True), ("a,b,c", True)]


def test_who_shows_no_key_or_another_one_is_left_out_alone(tmp_path: Path) -> None:
    for place, key in (("zero", bytes(32)), ("other", None)):
        stage = staged(tmp_path / place, list("abcd"), Summing(0))
        if key is None:  # it showed another key before
            with pytest.raises(TooFewPartiesError):
                stage.trained(channel=Direct(stage.sides, silent("abcd", "contribute", 0)))
        own = identity("d")
        forged = "00" * 32 if key is not None else ""
        made = introduced("d", "first", PLAN, new_key(), own.certificate, own.sign)
        if forged:
            signature = own.sign(_signed("d", "first", PLAN, forged))
            made = replace(made, key=forged, signature=signature)

        def bend(name: str, asked: bytes, answer: bytes, made: Introduction = made) -> bytes | Silence:
            reply = Reply.from_bytes(answer)
            if name != "d" or reply.operation != "key":
                return answer
            body = wire.pack({"introduction": np.frombuffer(made.to_bytes(), np.uint8)})
            return replace(reply, body=body).to_bytes()

        end = stage.trained(channel=Direct(stage.sides, bend))
        assert totals(end.state) == [("a,b,c", True)] * 3, place
        assert any("what party d sent in round 0 was refused" in line for line in stage.lines)


def test_who_lets_rounds_be_lost_is_not_named_again(tmp_path: Path) -> None:
    stage = staged(tmp_path, list("abcd"), Summing(0, repeats=1))

    def never(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        return Silence("gone") if name == "d" and Request.from_bytes(asked).operation == "sum" else answer

    end = stage.trained(channel=Direct(stage.sides, never))
    assert totals(end.state) == [("a,b,c", True)] * 3
    assert end.silent == ("d",)


def test_who_is_always_late_is_not_named_for_ever(tmp_path: Path) -> None:
    stage = Rehearsal(
        tmp_path,
        simulated(Adding(n_rounds=8), tiny(list("abcd")), summing=Summing(0), min_parties=2),
        tiny(list("abcd")),
    )
    asked_before: set[int] = set()

    def late(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        question = Request.from_bytes(asked)
        first = question.round not in asked_before
        if name == "d" and question.operation == "sum" and first:
            asked_before.add(question.round)
            return Silence("slow")
        return answer

    end = stage.trained(channel=Direct(stage.sides, late))
    assert {names for names, _ in totals(end.state)[-2:]} == {"a,b,c"}
    assert totals(end.state)[0] == ("a,b,c,d", True)
