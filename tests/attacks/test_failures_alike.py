"""A failure tells nothing of the documents: one name for all of them, a price, and no second try for free."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attacks.asked_party import AskedParty
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.words import word_array
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network import private_scores
from fedtopics.network.private_scores import Score
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.words import Agreement
from fedtopics.protocol.turn import Arrays

TOPICS = planted_topics(3, 8)
CORPUS = drawn_corpus(TOPICS, 8, 10, 1)
METHOD = methods.make("calm", epsilon=1.0, n_topics=3, n_rounds=4)
PROBLEMS = [MemoryError(), KeyError("w3"), InputError("w3"), StoreError("w3"), ZeroDivisionError(), OSError()]


class Failing:
    """A method that fails at the party while `problem` is set."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.problem = problem

    def __getattr__(self, name: str) -> Any:
        return getattr(METHOD, name)

    def contribute(self, *given: Any) -> Any:
        result = METHOD.contribute(*given)
        if self.problem is not None:
            raise self.problem
        return result


def party(folder: Path, method: Any = METHOD, **given: Any) -> AskedParty:
    return AskedParty(folder, method, CORPUS, CORPUS.vocabulary, **given)


def raiser(problem: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise problem

    return fail


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize("place", ["reading", "contributing", "committing", "scoring", "keeping", "wording"])
def test_whatever_fails_leaves_under_one_name(tmp_path: Path, place: str, problem: Exception) -> None:
    fail = raiser(problem)
    asked = party(tmp_path, score=Score(FREE, fail))
    question: tuple[str, int, Arrays] = ("contribute", 0, {})
    asked.ask("vocabulary", 0, {"words": word_array(CORPUS.vocabulary)})
    if place == "reading":
        asked.side.read = fail
    elif place == "contributing":
        asked.side.terms = replace(asked.side.terms, method=Failing(problem))
    elif place == "committing":
        asked.side.store.commit = fail  # type: ignore[method-assign]
    elif place == "scoring":
        question = ("evaluate", 4, {"topics": np.full((3, 24), 1 / 24)})
    elif place == "keeping":
        asked.contribute(0, {})
        asked.side.keep, question = fail, ("deliver", 4, {})
    else:
        asked.side.terms = replace(asked.side.terms, words=None, agreement=Agreement(1.0, 1e-6))
        asked.side.read, question = fail, ("contribute", -2, {"words": word_array(())})
    assert asked.ask(*question) == ("PartyFailedError", {})
    problem.__traceback__ = problem.__context__ = None  # or it would keep all that was in reach


def test_a_release_that_failed_is_charged_and_the_run_is_left(tmp_path: Path) -> None:
    failing = Failing(MemoryError())
    asked = party(tmp_path, failing)
    (price,) = METHOD.prices(24)
    assert asked.contribute(0, {})[0] == "PartyFailedError"
    failing.problem = None
    for number in (0, 1):
        assert asked.contribute(number, {})[0] == "RoundPassedError"
    asked.start()
    assert asked.contribute(0, {})[0] == "RoundPassedError"
    assert asked.charges() == [("failed", 0, price)]
    assert asked.contribute(0, {}, run="second")[0] == ""


def test_failing_in_one_run_after_another_uses_up_the_budget(tmp_path: Path) -> None:
    asked = party(tmp_path, Failing(MemoryError()), budgets=(Budget("word add/remove", 2.5, 1e-6),))
    errors = [asked.contribute(0, {}, run=f"run{number}")[0] for number in range(4)]
    assert errors == ["PartyFailedError", "PartyFailedError", "BudgetError", "BudgetError"]


def test_what_fails_after_all_was_paid_is_tried_again_for_nothing(tmp_path: Path) -> None:
    failing = Failing()
    asked = party(tmp_path, failing)
    assert asked.contribute(0, {})[0] == ""
    failing.problem = MemoryError()
    assert asked.contribute(1, {})[0] == "PartyFailedError"
    failing.problem = None
    assert asked.contribute(1, {})[0] == ""
    assert [cost == FREE for _, _, cost in asked.charges()] == [False, True]


def test_documents_that_cannot_be_read_cost_nothing(tmp_path: Path) -> None:
    asked = party(tmp_path)
    asked.side.read = raiser(OSError("gone"))
    assert asked.contribute(0, {})[0] == "PartyFailedError"
    asked.side.read = lambda: CORPUS
    assert asked.contribute(0, {})[0] == ""


def test_a_budget_is_looked_at_before_documents_are(tmp_path: Path) -> None:
    asked = party(tmp_path, budgets=(Budget("word add/remove", 0.5, 1e-6),))
    asked.side.read = lambda: pytest.fail("documents were opened")
    assert asked.contribute(0, {})[0] == "BudgetError"


def test_documents_are_opened_by_the_one_door_alone(tmp_path: Path) -> None:
    asked = party(tmp_path)
    asked.side.read = lambda: pytest.fail("documents were opened")
    with pytest.raises(InputError, match="expected every check before documents are opened"):
        asked.side._corpus()


@pytest.mark.parametrize("settings", [{}, {"variant": "paper"}, {"release": "unit", "sigma": 0.5}])
def test_the_longest_document_is_not_told_by_an_error(tmp_path: Path, settings: dict[str, Any]) -> None:
    """A vocabulary of one word that is asked for and one that is not made PC-TD count it, for free."""
    method = methods.make("pctd", n_topics=4, n_rounds=3, **settings)
    base, words = ["war peace treaty nation law", "nation people freedom war"], ("pregnant", "zzz")
    told: Arrays = {}
    if settings.get("variant") == "paper":
        told = {"phi": np.full((2, 4), 0.5, np.float32), "sizes": np.full(4, 1.0, np.float32)}
    seen = []
    for number, text in enumerate(["pregnant pregnant clinic", "pregnant pregnant clinic pregnant"]):
        corpus = Corpus.from_texts([*base, text], min_df=1, max_df=1.0)
        asked = AskedParty(tmp_path / str(number), method, corpus, words)
        seen.append((asked.contribute(0, told)[0], asked.charges()))
        asked.side.store.close()
    assert seen[0] == seen[1]
    error, charges = seen[0]
    assert error == ""
    assert len(charges) == 1


def test_the_memory_of_a_score_does_not_grow_with_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a few numbers for each token: topics by tokens were the oracle."""
    monkeypatch.setattr(sys.modules["fedtopics.evaluation.perplexity"], "TOKENS_AT_ONCE", 1000)
    topics = np.full((100, 24), 1 / 24)
    peaks = []
    for length in (100, 40_000):
        corpus = drawn_corpus(TOPICS, 1, length, 1)
        tracemalloc.start()
        private_scores.vectors(topics, corpus)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 40_000 * 200  # all at once takes 1600 bytes for each hidden token
