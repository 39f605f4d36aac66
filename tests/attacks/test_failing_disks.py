"""A disk that fails, anywhere: a release is drawn once and charged once, and the disk says so."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network.rehearsal import PLAN

from fedtopics import files, methods
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.files import StoreError
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party import ledger_file
from fedtopics.network.party.side import PartySide
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.terms import Terms
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.turn import Arrays

TEXTS = ["tax war peace law court judge tax", "war peace treaty nation", "law court judge jury tax"]
CORPUS = Corpus.from_texts(TEXTS, min_df=1, max_df=1.0)
SIZE = CORPUS.n_words
LATER = {
    "roots": np.ones((SIZE, 3), np.int32),
    "before": np.ones((SIZE, 3), np.int32),
    "pace": np.array(0.5),
    "length": np.array(5.0),
}


@dataclass
class Asked:
    """A party that a coordinator asks, with its anchor beside its store."""

    folder: Path

    def __post_init__(self) -> None:
        first = not self.folder.exists()
        anchor = self.folder / ledger_file.ANCHOR
        self.store = PartyStore(self.folder / "store", "north", (), anchor=anchor, first=first)
        method = methods.make("calm", n_topics=3, epsilon=6.0, n_rounds=5)
        terms = Terms(PLAN, ("north", "south"), method, 1, words=CORPUS.vocabulary)
        self.side = PartySide("north", terms, self.store, lambda: CORPUS, lambda *_: None)
        self.ask("vocabulary", 0, {"words": word_array(CORPUS.vocabulary)})

    def ask(self, operation: str, number: int, told: Arrays) -> tuple[str, bytes]:
        words = word_digest(CORPUS.vocabulary)
        asked = Request(operation, "run", number, PLAN, words, body=wire.pack(told))
        reply = Reply.from_bytes(self.side.answer(asked))
        return reply.error, reply.body


def failing(real: Callable[..., Any], calls: list[str], number: int, when: str) -> Callable[..., Any]:
    """The call, but for one time: then the disk fails before it, or after all was done."""

    def call(path: Path, *given: Any, **options: Any) -> Any:
        calls.append(path.name)
        fails = len(calls) - 1 == number
        if not fails or when == "after":
            real(path, *given, **options)
        if fails:
            raise StoreError(f"cannot write {path}: Input/output error")

    return call


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("number", range(7))
def test_one_failing_write_draws_and_charges_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, when: str
) -> None:
    """Documents, plan, memory, payload, line, head, anchor: each fails once in a round that is asked again.

    Before noise is drawn nothing is charged. Once the line is there what was drawn is sent. In between the
    release has failed, and the run is left.
    """
    party, calls = Asked(tmp_path / "north"), list[str]()
    with monkeypatch.context() as patch:
        for name in ("write", "append"):
            patch.setattr(files, name, failing(getattr(files, name), calls, number, when))
        error, _ = party.ask("contribute", 0, {})
    assert error == "PartyFailedError"
    charged = [entry.run for entry in party.store.entries]
    line = 4 if when == "after" else 5
    assert charged == ([] if number < 2 else ["run/failed"] if number < line else ["run/contribute"])
    error, first = party.ask("contribute", 0, {})
    assert error == ("RoundPassedError" if charged == ["run/failed"] else "")
    assert len(party.store.entries) == 1
    if not error:
        assert first == party.store.stored("run", 0, "contribute")
    assert party.ask("contribute", 1, LATER)[0] == error
    assert sum(float(row["epsilon"]) for row in Ledger(entries=party.store.entries).statements()[:1]) == 6.0
    agrees(party)


def agrees(party: Asked) -> None:
    """What the party believes is what its disk says, and a restart finds nothing to mend."""
    held = [entry.digest for entry in party.store.entries]
    anchor = party.folder / ledger_file.ANCHOR
    found = ledger_file.read(party.folder / "store", anchor)
    assert found.settled
    assert [entry.digest for entry in found.entries] == held
    party.store.close()
    again = Asked(party.folder)
    assert again.ask("contribute", 0, {})[1] == (party.store.stored("run", 0, "contribute") or b"")
    again.store.close()


def test_a_charged_release_is_sent_as_it_was_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head cannot be written, over and over: nothing is sent until it is, and then what was charged."""
    party, real = Asked(tmp_path / "north"), files.write
    drawn: list[bytes] = []

    def write(path: Path, content: bytes, **options: int) -> None:
        if path.name == ledger_file.HEAD:
            raise StoreError("cannot write: the disk is full")
        if path.suffix == ".release":
            drawn.append(content)
        real(path, content, **options)

    with monkeypatch.context() as patch:
        patch.setattr(files, "write", write)
        for name in ("PartyFailedError", "StoreError", "StoreError"):
            assert party.ask("contribute", 0, {}) == (name, b"")
    error, sent = party.ask("contribute", 0, {})
    assert not error
    assert len(drawn) == 1
    assert drawn[0].endswith(sent)
    agrees(party)


def test_a_line_that_cannot_be_undone_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk fails after the line, and again while it is taken back: what stands there is charged."""
    party, real = Asked(tmp_path / "north"), files.append

    def append(path: Path, line: bytes) -> None:
        real(path, line)
        raise StoreError("cannot write: Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(files, "append", append)
        assert party.ask("contribute", 0, {}) == ("PartyFailedError", b"")
    assert len(party.store.entries) == 1
    kept = party.store.stored("run", 0, "contribute")
    assert party.ask("contribute", 0, {}) == ("", kept)
    agrees(party)


def test_the_error_says_whether_a_release_was_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fedtopics.privacy.price.cost import FREE

    with PartyStore(tmp_path, "north", ()) as store:
        real, full = os.open, [ledger_file.HEAD]

        def failing_open(path: Any, *given: Any, **options: Any) -> int:
            if any(name in str(path) for name in full):
                raise OSError(28, "No space left on device")
            return real(path, *given, **options)

        with monkeypatch.context() as patch:
            patch.setattr(os, "open", failing_open)
            with pytest.raises(StoreError, match="the disk is full; what was charged stays charged"):
                store.commit("run", 0, "contribute", FREE, b"x")
            full[:] = [".release"]
            with pytest.raises(StoreError, match="nothing was charged or sent"):
                store.commit("run", 1, "contribute", FREE, b"x")


def test_nothing_is_drawn_for_a_charged_release_that_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = Asked(tmp_path / "north")
    party.ask("contribute", 0, {})
    party.store.forget("run")
    drawn: list[Mapping[str, Any]] = []
    monkeypatch.setattr(type(party.side.terms.method), "contribute", lambda *given: drawn.append({}))
    assert party.ask("contribute", 0, {}) == ("StoreError", b"")
    assert not drawn
    party.store.close()
