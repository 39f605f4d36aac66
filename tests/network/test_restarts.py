"""A party or the coordinator that dies at any point: the same model in the end, and nothing paid twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from network.rehearsal import Direct, Rehearsal, simulated

from fedtopics import files, methods
from fedtopics.documents.corpus import Corpus
from fedtopics.files import StoreError
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.checkpoint import Checkpoint
from fedtopics.network.coordinator.rounds import TooFewPartiesError
from fedtopics.network.messages import Request
from fedtopics.network.party import ledger_file
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.words import Agreement

TEXTS = ["apple pear plum cherry grape", "hammer nail saw drill screw"] * 40
CORPORA = {
    name: Corpus.from_texts(TEXTS[: 60 + 2 * number], min_df=1, max_df=1.0)
    for number, name in enumerate(["north", "south", "west"])
}
N_QUESTIONS = 7  # to each party: hello, two for words, the words, three rounds


class Killed(BaseException):
    """The process is no more."""


@dataclass
class Mortal(Direct):
    """A channel to parties of which one dies: `before` or `after` it has dealt with a question."""

    stage: Rehearsal | None = None
    victim: str = "north"
    question: int = -1
    when: str = "before"
    n_asked: int = field(default=0, init=False)

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        answers: dict[str, bytes | Silence] = {}
        for name in requests:
            dies = name == self.victim and self.n_asked == self.question
            self.n_asked += name == self.victim
            try:
                if dies and self.when == "before":
                    raise Killed
                answers[name] = self.sides[name].answer(Request.from_bytes(requests[name]))
                if dies:
                    raise Killed
            except Killed:
                assert self.stage is not None
                self.stage.start(name)
                answers[name] = Silence("its process ended")
        return answers


def rehearsal(folder: Path, method: str = "calm") -> Rehearsal:
    terms = simulated(methods.make(method, n_topics=2, n_rounds=3, epsilon=8.0), CORPORA, min_parties=3)
    return Rehearsal(folder, replace(terms, words=None, agreement=Agreement(8.0, 1e-3)), CORPORA)


def finished(stage: Rehearsal, channel: Mortal) -> np.ndarray:
    """The topics, from a coordinator that is started again whenever it has to wait."""
    channel.stage = stage
    for _ in range(10):
        try:
            end = stage.trained(channel=channel)
            break
        except TooFewPartiesError:
            continue
    model = stage.terms.method.model(end.state, end.words or ())
    assert model is not None
    return model.topic_word


def paid(stage: Rehearsal) -> list[tuple[str, str, int]]:
    """Every release that was charged, and the epsilon of each party."""
    entries = [entry for name in sorted(CORPORA) for entry in ledger_file.read(stage.folder / name).entries]
    assert len(Ledger(entries=entries).statements()) > 0
    return sorted((entry.party, entry.run, entry.round) for entry in entries)


@cache
def undisturbed(folder: Path) -> tuple[np.ndarray, list[tuple[str, str, int]]]:
    stage = rehearsal(folder)
    return finished(stage, Mortal(stage.sides)), paid(stage)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[np.ndarray, list[tuple[str, str, int]]]:
    return undisturbed(tmp_path_factory.mktemp("reference"))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("question", range(N_QUESTIONS))
def test_a_party_dies_at_any_question(
    tmp_path: Path, reference: tuple[np.ndarray, list[tuple[str, str, int]]], question: int, when: str
) -> None:
    stage = rehearsal(tmp_path)
    channel = Mortal(stage.sides, question=question, when=when)
    topics = finished(stage, channel)
    assert any("its process ended" in line for line in stage.lines)
    assert np.array_equal(topics, reference[0])
    assert paid(stage) == reference[1]


@pytest.mark.parametrize("place", ["before the line", "within the line", "after the line"])
@pytest.mark.parametrize("number", [0, 2, 4])
def test_a_party_dies_while_it_charges(
    tmp_path: Path,
    reference: tuple[np.ndarray, list[tuple[str, str, int]]],
    monkeypatch: pytest.MonkeyPatch,
    place: str,
    number: int,
) -> None:
    stage, real, calls = rehearsal(tmp_path), files.append, iter(range(1000))

    def append(path: Path, line: bytes) -> None:
        dies = path.parent.name == "north" and next(calls) == number
        if not dies or place == "after the line":
            real(path, line)
        elif place == "within the line":
            real(path, line[: len(line) // 2])
        if dies:
            raise Killed

    monkeypatch.setattr(files, "append", append)
    topics = finished(stage, Mortal(stage.sides))
    assert np.array_equal(topics, reference[0])
    assert paid(stage) == reference[1]


def dies_at_the_second(patch: pytest.MonkeyPatch) -> None:
    """Kills the coordinator once two rounds were combined, and only one of them is in its checkpoint."""
    calls, real = count(1), Checkpoint.save

    def save(now: Checkpoint, folder: Path) -> None:
        if next(calls) == 2:
            raise Killed
        real(now, folder)

    patch.setattr(Checkpoint, "save", save)


def test_the_coordinator_dies_after_every_round(
    tmp_path: Path, reference: tuple[np.ndarray, list[tuple[str, str, int]]]
) -> None:
    stage = rehearsal(tmp_path)
    for _ in range(4):
        with pytest.MonkeyPatch.context() as patch:
            dies_at_the_second(patch)
            with pytest.raises(Killed):
                stage.trained(channel=Mortal(stage.sides))
    topics = finished(stage, Mortal(stage.sides))
    assert np.array_equal(topics, reference[0])
    assert paid(stage) == reference[1]


def full_disk(patch: pytest.MonkeyPatch, first: int) -> list[bool]:
    """North's disk takes no memory any more from this one on, for as long as the list says so."""
    real, full, calls = files.write, [True], iter(range(1000))

    def write(path: Path, content: bytes, **options: int) -> None:
        if path.suffix == ".memory" and "north" in str(path) and next(calls) >= first and full[0]:
            raise StoreError("cannot write: the disk is full")
        real(path, content, **options)

    patch.setattr(files, "write", write)
    return full


def test_a_full_disk_after_all_was_paid_spends_nothing(
    tmp_path: Path,
    reference: tuple[np.ndarray, list[tuple[str, str, int]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage, full = rehearsal(tmp_path), full_disk(monkeypatch, 1)
    with pytest.raises(TooFewPartiesError):
        stage.trained(channel=Mortal(stage.sides))
    assert any("it failed while it worked on its documents" in line for line in stage.lines)
    full[0] = False
    assert np.array_equal(finished(stage, Mortal(stage.sides)), reference[0])
    assert paid(stage) == reference[1]


def test_a_full_disk_where_a_price_is_due_is_charged_once_and_ends_the_run(
    tmp_path: Path,
    reference: tuple[np.ndarray, list[tuple[str, str, int]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether noise fits may depend on the documents: it is drawn once, and not again when there is room."""
    stage, full = rehearsal(tmp_path), full_disk(monkeypatch, 0)
    for _ in range(3):
        with pytest.raises(TooFewPartiesError):
            stage.trained(channel=Mortal(stage.sides))
        full[0] = False
    assert any("it has left this round behind" in line for line in stage.lines)
    made = [row for row in reference[1] if row[0] == "north" and row[2] < 0]
    failed = ("north", "first/failed", 0)
    assert [row for row in paid(stage) if row[0] == "north"] == sorted([*made, failed])
