"""Work is done once: a method made, documents prepared, tokens checked, a question parsed, a plan read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from attacks.asked_party import AskedParty
from planted import drawn_corpus, planted_topics
from typer.testing import CliRunner

from fedtopics import methods
from fedtopics.commands import train as command
from fedtopics.commands.application import app
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.network.messages import Request
from fedtopics.network.party.answers import PartyAnswers
from fedtopics.network.party.doing import Doing
from fedtopics.network.plan.parts import PlannedWords
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.budget import Budget
from fedtopics.runs import experiment
from fedtopics.sampling.arguments import check_corpus

CORPUS = drawn_corpus(planted_topics(3, 8), 20, 10, 1)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], Counter[str]]:
    """Counts the calls of a function from now on."""

    def count(place: Any, name: str) -> Counter[str]:
        calls: Counter[str] = Counter()
        real = getattr(place, name)

        def noted(*given: Any, **options: Any) -> Any:
            calls[name] += 1
            return real(*given, **options)

        monkeypatch.setattr(place, name, noted)
        return calls

    return count


def test_a_method_is_made_and_documents_are_prepared_once(
    tmp_path: Path, counted: Callable[[Any, str], Counter[str]]
) -> None:
    source = tmp_path / "texts.jsonl"
    source.write_text('{"text": "tax law war tax peace law", "owner": "a"}\n' * 20)
    calls = [counted(place, name) for place in (command, experiment) for name in ("prepare",)]
    made = [counted(methods, "make"), counted(experiment, "make")]
    options = ["--text-column", "text", "--party-column", "owner", "--method", "shared"]
    told = CliRunner().invoke(app, ["train", str(source), *options, "--topics", "2", "--rounds", "1"])
    assert told.exit_code == 0, told.output
    assert sum(call["prepare"] for call in calls) == 1
    assert sum(call["make"] for call in made) == 1


def test_samplers_rely_on_the_check_that_a_corpus_makes() -> None:
    counted_only: Any = SimpleNamespace(n_tokens=5, sound=True)  # nothing else is looked at
    check_corpus(counted_only)
    counted_only.n_tokens = 2**31
    with pytest.raises(InputError, match="fewer than 2"):
        check_corpus(counted_only)
    with pytest.raises(InputError, match="words below 2"):
        Corpus(np.array([0, 2]), np.array([0, 2]), ("tax", "war"))


def test_a_question_is_parsed_once(tmp_path: Path, counted: Callable[[Any, str], Counter[str]]) -> None:
    asked = AskedParty(tmp_path, methods.make("calm", n_topics=3, n_rounds=1), CORPUS, CORPUS.vocabulary)

    class Folder:
        def allowed(self) -> tuple[bytes, ...]:
            return ()

        def side(self, run: str) -> Any:
            return asked.side

    folder: Any = Folder()
    question = Request("hello", "first", 0, asked.side.terms.plan).to_bytes()
    parsed = counted(Request, "from_bytes")
    assert Doing(PartyAnswers(folder, "north").answer).answer(question)
    assert parsed["from_bytes"] == 1


def test_a_plan_is_read_and_its_method_made_once_for_as_long_as_its_file_stays(
    tmp_path: Path, counted: Callable[[Any, str], Counter[str]]
) -> None:
    settings = {"n_topics": 3, "n_rounds": 2, "epsilon": 4.0}
    promised = Budget("word add/remove", 4.0)
    words = PlannedWords("public", "words.txt", "0" * 64, 30)
    plan = Plan("first", "localhost:8002", ("a", "b"), "calm", promised, words, settings)
    plan.write(tmp_path / "plan.toml")
    made, read = counted(methods, "make"), counted(Plan, "from_dict")
    again = [Plan.read(tmp_path / "plan.toml") for _ in range(3)]
    assert {known.method().n_rounds for known in again} == {2}
    assert (made["make"], read["from_dict"]) == (1, 1)
    replace(plan, settings=settings | {"n_rounds": 5}).write(tmp_path / "plan.toml")
    assert Plan.read(tmp_path / "plan.toml").method().n_rounds == 5
