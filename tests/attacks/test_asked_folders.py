"""A party's folder while a coordinator asks: what it allows now, what its source holds, what it keeps."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from network.approved import approved

from fedtopics import files
from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network import wire
from fedtopics.network.local import write_texts
from fedtopics.network.messages import PROTOCOL, Reply, Request
from fedtopics.network.party.answers import PartyAnswers
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.offer import Offer

WORDS = tuple(f"word{letter}" for letter in "abcdefgh")
TEXTS = ["worda wordb. wordc wordd.", "worde wordf", "wordg wordh worda"]


@pytest.fixture(scope="module")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A party that has accepted a plan, beside its coordinator."""
    folder = tmp_path_factory.mktemp("federation")
    approved(folder, WORDS, budget=60.0)
    Offer.read(folder / "north", folder / "hub" / "approved" / "north").accept()
    write_texts(folder / "north" / "texts.jsonl", TEXTS)
    return folder


@dataclass
class Asked:
    """The party of a folder, as its coordinator asks it."""

    path: Path
    answers: PartyAnswers
    plan: str

    def ask(self, operation: str, number: int, told: Any, run: str = "run-1") -> str:
        body, words = wire.pack(told), word_digest(WORDS)
        asked = Request(operation, run, number, self.plan, words, body=body)
        return Reply.from_bytes(self.answers.answer(asked.to_bytes())).error

    def contribute(self, number: int, run: str = "run-1") -> str:
        """The error of a round's answer; the words of the run are sent before."""
        words = {"words": word_array(WORDS)}
        return self.ask("vocabulary", 0, words, run) or self.ask("contribute", number, {}, run)

    @property
    def charges(self) -> int:
        return len((self.path / "store" / "ledger.jsonl").read_bytes().splitlines()) - 1


@pytest.fixture
def asked(founded: Path, tmp_path: Path) -> Iterator[Asked]:
    shutil.copytree(founded, tmp_path / "copy")
    place = PartyFolder(tmp_path / "copy" / "north")
    place.note_source(str(place.path / "texts.jsonl"), {})
    made = Asked(place.path, PartyAnswers(place, "north"), place.plan.digest)
    yield made
    made.answers.close()


def lower_budget(path: Path) -> None:
    policy = (path / "policy.toml").read_text()
    (path / "policy.toml").write_text(re.sub("epsilon = .*", "epsilon = 0.1", policy))


def take_back_acceptance(path: Path) -> None:
    (path / "acceptance.json").unlink()


def change_plan(path: Path) -> None:
    (path / "plan.toml").write_text((path / "plan.toml").read_text().replace("n_rounds = 2", "n_rounds = 3"))


@pytest.mark.parametrize("change", [lower_budget, take_back_acceptance, change_plan])
def test_what_a_party_does_not_allow_any_more_holds_in_the_middle_of_a_run(
    asked: Asked, change: Callable[[Path], None]
) -> None:
    assert asked.ask("hello", 0, {"protocol": np.array(PROTOCOL)}) == ""
    assert asked.ask("vocabulary", 0, {"words": word_array(WORDS)}) == ""
    change(asked.path)
    assert asked.ask("contribute", 0, {}) in ("PolicyError", "BudgetError", "AcceptanceError")
    assert asked.charges == 0


def test_a_price_that_could_not_be_written_is_not_forgotten_with_the_run(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = files.write

    def write(path: Path, content: bytes, **options: Any) -> None:
        if path.suffix == ".release":
            raise StoreError("cannot write: the disk is full")
        real(path, content, **options)

    with monkeypatch.context() as patch:
        patch.setattr(files, "write", write)
        assert asked.contribute(0) == "PartyFailedError"
    assert [asked.contribute(0, f"run-{number}") for number in range(4)] == ["StoreError"] * 4
    (asked.path / "acceptance.json").rename(asked.path / "away")
    assert asked.contribute(0, "run-5") == "AcceptanceError"
    (asked.path / "away").rename(asked.path / "acceptance.json")
    assert asked.contribute(0, "run-5") == "StoreError"
    assert asked.charges == 0


EMPTY = {"stop words": ["the and of", "the"], "no text": ["", ""], "numbers": ["12 13", "!!"], "nothing": []}


@pytest.mark.parametrize("kind", EMPTY)
def test_a_source_without_a_word_answers_like_any_other(asked: Asked, kind: str) -> None:
    write_texts(asked.path / "texts.jsonl", EMPTY[kind])
    assert [asked.contribute(number) for number in (0, 1)] == ["", ""]
    assert asked.charges == 2


def test_a_folder_without_a_document_answers_like_any_other(asked: Asked) -> None:
    (asked.path / "empty").mkdir()
    PartyFolder(asked.path).note_source(str(asked.path / "empty"), {})
    assert asked.contribute(0) == ""


def test_counted_words_of_which_there_are_none_have_no_sentences(asked: Asked) -> None:
    (asked.path / "docword.x.txt").write_text("2\n1\n0\n")
    (asked.path / "vocab.x.txt").write_text("worda\n")
    place = PartyFolder(asked.path)
    place.note_source(str(asked.path / "docword.x.txt"), {})
    assert place.documents().sentence_offsets is None
    assert asked.contribute(0) == ""


def test_a_source_that_cannot_be_read_fails_before_anything_is_made(asked: Asked) -> None:
    (asked.path / "texts.jsonl").unlink()
    assert asked.contribute(0) == "PartyFailedError"
    assert asked.charges == 0
    with pytest.raises(InputError, match="no file or folder"):
        PartyFolder(asked.path).check_source()


def test_a_party_does_not_start_with_a_source_without_documents(asked: Asked) -> None:
    write_texts(asked.path / "texts.jsonl", [])
    with pytest.raises(InputError, match="expected at least one document"):
        PartyFolder(asked.path).check_source()


@pytest.mark.parametrize("kind", EMPTY)
def test_persons_without_a_word_answer_like_any_other(asked: Asked, kind: str) -> None:
    write_texts(asked.path / "texts.jsonl", EMPTY[kind], ["ada"] * len(EMPTY[kind]))
    PartyFolder(asked.path).note_source(str(asked.path / "texts.jsonl"), {"person_column": "person"})
    assert PartyFolder(asked.path).documents().persons == ()
    assert asked.contribute(0) == ""
