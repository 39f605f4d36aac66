"""A party trains on words of the plan's public list, or on words that it has voted on in this very run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from network.rehearsal import Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import files, methods
from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.files import StoreError
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.agreeing import CONFIRMATION

TOPICS = planted_topics(3, 8)
CORPORA = {name: drawn_corpus(TOPICS, 60, 10, seed) for seed, name in enumerate(("north", "south"))}
WORDS = CORPORA["north"].vocabulary
AGREEMENT = Agreement(40.0, 1e-6, min_parties=2, max_size=10)
METHOD = methods.make("calm", n_topics=3, n_rounds=1, epsilon=20.0)


def stage(folder: Path, **given: object) -> Rehearsal:
    known = {"words": None, "agreement": AGREEMENT} | given
    return Rehearsal(folder, simulated(METHOD, CORPORA, **known), CORPORA)


def ask(place: Rehearsal, operation: str, words: object, number: int = 0, run: str = "first") -> str:
    """The error with which north answers, empty where it does not."""
    listed = tuple(words)  # type: ignore[arg-type]
    body = wire.pack({"words": word_array(listed)})
    asked = Request(operation, run, number, place.terms.plan, word_digest(listed), body=body)
    return Reply.from_bytes(place.sides["north"].answer(asked)).error


def test_words_that_were_never_voted_on_are_refused(tmp_path: Path) -> None:
    place = stage(tmp_path)
    assert ask(place, "vocabulary", WORDS[:5]) == "OtherVocabularyError"
    assert ask(place, "contribute", WORDS[:12], CONFIRMATION) == ""
    assert ask(place, "vocabulary", WORDS[8:14]) == "OtherVocabularyError"
    assert ask(place, "vocabulary", WORDS[8:12], run="second") == "OtherVocabularyError"
    assert ask(place, "vocabulary", WORDS[:11]) == "OtherVocabularyError"  # more than max_size
    assert ask(place, "vocabulary", WORDS[2:12]) == ""


def test_a_second_list_of_the_same_candidates_is_refused(tmp_path: Path) -> None:
    place = stage(tmp_path)
    ask(place, "contribute", WORDS[:8], CONFIRMATION)
    assert ask(place, "vocabulary", WORDS[:8]) == ""
    assert ask(place, "vocabulary", WORDS[:7]) == "OtherVocabularyError"


def test_a_restart_and_other_candidates_change_nothing(tmp_path: Path) -> None:
    place = stage(tmp_path)
    ask(place, "contribute", WORDS[:8], CONFIRMATION)
    place.start("north")
    assert ask(place, "contribute", WORDS[8:16], CONFIRMATION) == ""  # the stored answer to the first
    assert ask(place, "vocabulary", WORDS[8:16]) == "OtherVocabularyError"
    assert ask(place, "vocabulary", WORDS[:8]) == ""


def test_candidates_that_were_not_paid_for_are_not_confirmed(tmp_path: Path) -> None:
    poor = (Budget("document add/remove", 0.1, 1e-6),)
    place = Rehearsal(tmp_path, stage(tmp_path / "terms").terms, CORPORA, poor)
    assert ask(place, "contribute", WORDS[:8], CONFIRMATION) == "BudgetError"
    assert ask(place, "vocabulary", WORDS[:8]) == "OtherVocabularyError"


def test_candidates_whose_votes_could_not_be_charged_are_not_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, line: bytes) -> None:
        raise StoreError("cannot write: the disk is full")

    place = stage(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(files, "append", full)
        assert ask(place, "contribute", WORDS[:8], CONFIRMATION) == "PartyFailedError"
    assert ask(place, "vocabulary", WORDS[:8]) == "OtherVocabularyError"


def test_a_run_without_any_agreed_source_of_words_takes_none(tmp_path: Path) -> None:
    assert ask(stage(tmp_path / "a", agreement=None), "vocabulary", WORDS) == "OtherVocabularyError"
    public = stage(tmp_path / "b", agreement=None, words=WORDS)
    assert ask(public, "vocabulary", WORDS[::-1]) == "OtherVocabularyError"
    assert ask(public, "vocabulary", WORDS) == ""


@pytest.mark.parametrize(
    "content", [b'["\\u001b[2J","law"]', b'["law","law"]', b'["' + b"x" * 101 + b'"]', b"[1]"]
)
def test_candidates_that_are_no_words_are_refused_before_documents_are_read(
    tmp_path: Path, content: bytes
) -> None:
    place = stage(tmp_path)
    place.sides["north"].read = lambda: pytest.fail("documents were read")
    body = wire.pack({"words": np.frombuffer(content, np.uint8)})
    asked = Request("contribute", "first", CONFIRMATION, place.terms.plan, body=body)
    assert Reply.from_bytes(place.sides["north"].answer(asked)).error == "ToldError"
    assert not Ledger(entries=place.sides["north"].store.entries).statements()


def test_a_rehearsal_with_an_agreement_ends_with_words_of_the_candidates(tmp_path: Path) -> None:
    place = stage(tmp_path)
    end = place.trained()
    assert end.words is not None
    assert 2 <= len(end.words) <= 10
    place.start("north")
    place.terms = replace(place.terms, method=METHOD)
    assert ask(place, "vocabulary", end.words) == ""
