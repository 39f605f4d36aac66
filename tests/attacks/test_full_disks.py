"""A disk without room gives no noise away: none is drawn there, or what was drawn is paid for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from attacks.asked_party import AskedParty
from planted import drawn_corpus, planted_topics

from fedtopics import files, methods
from fedtopics.files import StoreError
from fedtopics.network.party.runs import ROOM
from fedtopics.privacy.price.cost import FREE

CORPUS = drawn_corpus(planted_topics(3, 8), 8, 10, 1)
METHOD = methods.make("calm", epsilon=1.0, n_topics=3, n_rounds=4)


class Counted:
    """A method that counts how often a party has drawn noise."""

    def __init__(self) -> None:
        self.n_drawn = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(METHOD, name)

    def contribute(self, *given: Any) -> Any:
        self.n_drawn += 1
        return METHOD.contribute(*given)


@pytest.fixture
def counted() -> Counted:
    return Counted()


@pytest.fixture
def asked(tmp_path: Path, counted: Any) -> AskedParty:
    return AskedParty(tmp_path / "store", counted, CORPUS, CORPUS.vocabulary)


def full(*suffixes: str) -> Callable[..., None]:
    """A writer that has no room for files of these kinds."""
    real = files.write

    def write(path: Path, content: bytes, **options: Any) -> None:
        if path.suffix in suffixes:
            raise StoreError("cannot write: the disk is full")
        real(path, content, **options)

    return write


def test_no_noise_is_drawn_where_the_disk_has_little_room(
    asked: AskedParty, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = SimpleNamespace(f_bavail=ROOM // 4096 - 1, f_frsize=4096)
    read = asked.side.read
    with monkeypatch.context() as patch:
        patch.setattr(os, "statvfs", lambda _: free)
        asked.side.read = lambda: pytest.fail("documents were opened")
        assert [asked.contribute(0, {})[0] for _ in range(5)] == ["StoreError"] * 5
    assert (counted.n_drawn, asked.side.store.entries) == (0, [])
    asked.side.read = read
    assert asked.contribute(0, {})[0] == ""


@pytest.mark.parametrize("kind", [".memory", ".release"])
def test_noise_that_does_not_fit_on_the_disk_is_paid_and_not_drawn_again(
    asked: AskedParty, counted: Counted, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    calls: list[Path] = []
    real = files.write

    def write(path: Path, content: bytes, **options: Any) -> None:
        calls.extend([path] if path.suffix == kind else [])
        if calls == [path]:
            raise StoreError("cannot write: the disk is full")
        real(path, content, **options)

    monkeypatch.setattr(files, "write", write)
    assert asked.contribute(0, {})[0] == "PartyFailedError"
    assert [asked.contribute(0, {})[0] for _ in range(5)] == ["RoundPassedError"] * 5
    assert counted.n_drawn == 1
    assert asked.charges() == [("failed", 0, METHOD.prices(24)[0])]
    assert not list((asked.folder / "memory").iterdir())
    assert len(list((asked.folder / "releases").iterdir())) == 1


def test_where_no_price_can_be_written_no_other_is_agreed_to_in_any_run(
    asked: AskedParty, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.contribute(0, {}, run="paid")
    with monkeypatch.context() as patch:
        patch.setattr(files, "write", full(".release"))
        assert asked.contribute(0, {})[0] == "PartyFailedError"
    errors = [asked.contribute(0, {}, run=f"run{number}")[0] for number in range(5)]
    assert errors == ["StoreError"] * 5
    assert counted.n_drawn == 2
    assert len(asked.side.store.entries) == 1
    assert asked.contribute(0, {}, run="paid")[0] == ""
    asked.start()
    assert asked.contribute(0, {}, run="run0")[0] == ""


def test_what_fails_on_a_full_disk_after_all_was_paid_is_tried_again_for_nothing(
    asked: AskedParty, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked.contribute(0, {})
    with monkeypatch.context() as patch:
        patch.setattr(files, "write", full(".memory", ".release"))
        assert [asked.contribute(1, {})[0] for _ in range(3)] == ["PartyFailedError"] * 3
    assert asked.contribute(1, {})[0] == ""
    assert [cost == FREE for _, _, cost in asked.charges()] == [False, True]
