"""A run has one plan and one end, and leaves nothing on a party's disk that was not paid for."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attacks.asked_party import AskedParty
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.network import wire
from fedtopics.network.messages import PROTOCOL, Reply, Request

CORPUS = drawn_corpus(planted_topics(3, 8), 8, 10, 1)
METHOD = methods.make("calm", epsilon=1.0, n_topics=3, n_rounds=4)
RESULT = {"run.json": np.zeros(3, np.uint8), "model.json": np.zeros(3, np.uint8)}


@pytest.fixture
def asked(tmp_path: Path) -> AskedParty:
    return AskedParty(tmp_path / "store", METHOD, CORPUS, CORPUS.vocabulary)


def files_of(asked: AskedParty) -> set[str]:
    return {str(path) for path in asked.folder.rglob("*") if path.is_file()}


def under_another_plan(asked: AskedParty) -> None:
    """The party has accepted another plan since: all it knows of the first is on its disk."""
    asked.start()
    asked.side = replace(asked.side, terms=replace(asked.side.terms, plan="other"), sign=lambda _: "00")


def ask_other(asked: AskedParty, operation: str, number: int, told: Any, run: str = "first") -> str:
    request = Request(operation, run, number, "other", word_digest(asked.words), body=wire.pack(told))
    return Reply.from_bytes(asked.side.answer(request)).error


@pytest.mark.parametrize("operation", ["hello", "vocabulary", "contribute", "evaluate", "attest", "deliver"])
def test_the_name_of_a_run_is_refused_under_another_plan(asked: AskedParty, operation: str) -> None:
    """Else what one plan released is handed out, and signed for, under another."""
    asked.contribute(0, {})
    under_another_plan(asked)
    assert ask_other(asked, operation, 0, {}) == "OtherPlanError"
    assert ask_other(asked, "contribute", 0, {}, run="second") == ""


def test_a_release_that_failed_binds_its_run_to_its_plan_too(asked: AskedParty) -> None:
    asked.side.terms = replace(asked.side.terms, method=_Failing())  # type: ignore[arg-type]
    assert asked.contribute(0, {})[0] == "PartyFailedError"
    under_another_plan(asked)
    assert ask_other(asked, "attest", 0, {}) == "OtherPlanError"


class _Failing:
    def __getattr__(self, name: str) -> Any:
        return getattr(METHOD, name)

    def contribute(self, *_: Any) -> Any:
        raise MemoryError


def test_questions_without_a_price_leave_no_file(asked: AskedParty) -> None:
    before = files_of(asked)
    asked.side.sign = lambda _: "00"
    words = {"words": word_array(asked.words)}
    for number in range(5):
        run = f"run{number}"
        assert asked.ask("hello", 0, {"protocol": np.array(PROTOCOL)}, run)[0] == ""
        assert asked.ask("vocabulary", 0, words, run)[0] == ""
        assert asked.ask("attest", 0, {}, run)[0] == ""
        assert asked.ask("contribute", 9, {}, run)[0] == "RoundPassedError"
    assert files_of(asked) == before


def test_no_result_of_a_run_is_kept_that_this_party_has_no_part_in(asked: AskedParty) -> None:
    asked.side.keep = lambda *_: pytest.fail("a result was kept")
    asked.ask("vocabulary", 0, {"words": word_array(asked.words)})
    assert asked.ask("deliver", 4, RESULT)[0] == "InputError"


def test_a_result_is_no_larger_than_its_model_can_be(
    asked: AskedParty, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.contribute(0, {})
    monkeypatch.setattr(wire, "decoded", lambda *_: pytest.fail("a file was unpacked"))
    header = json.dumps([["model.json", "uint8", [2**27], "zstd", 1]]).encode()
    bomb = wire.MAGIC + struct.pack("<I", len(header)) + header + b"x"
    request = Request("deliver", "first", 4, "plan", word_digest(asked.words), body=bomb)
    assert Reply.from_bytes(asked.side.answer(request)).error == "WireError"


def test_files_that_belong_to_no_result_are_not_even_unpacked(
    asked: AskedParty, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.contribute(0, {})
    asked.side.files = ("run.json",)
    monkeypatch.setattr(wire, "decoded", lambda *_: pytest.fail("a file was unpacked"))
    body = wire.pack(RESULT)
    request = Request("deliver", "first", 4, "plan", word_digest(asked.words), body=body)
    assert Reply.from_bytes(asked.side.answer(request)).error == "WireError"


def test_nothing_with_a_price_is_answered_once_the_result_is_kept(tmp_path: Path) -> None:
    method = methods.make("pctd", n_topics=3, n_rounds=3, variant="paper")
    asked, kept = AskedParty(tmp_path / "store", method, CORPUS, CORPUS.vocabulary), list[str]()
    asked.side = replace(asked.side, is_kept=kept.__contains__, keep=lambda run, _: kept.append(run))
    told = {"phi": np.full((24, 3), 1 / 24, np.float32), "sizes": np.full(3, 1.0, np.float32)}
    assert asked.contribute(0, told)[0] == ""
    assert [asked.ask("deliver", 3, RESULT)[0] for _ in range(2)] == ["", ""]
    assert kept == ["first"]
    assert asked.contribute(1, told)[0] == "RoundPassedError"
    assert asked.contribute(0, told)[0] == ""  # the stored answer
    assert len(asked.charges()) == 1
