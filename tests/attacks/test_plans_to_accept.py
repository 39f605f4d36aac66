"""Whatever a plan says, a party is shown what it would accept, or one line that says what is wrong."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from fedtopics import methods
from fedtopics.commands.plan_shown import summary
from fedtopics.documents.text.words import MOST
from fedtopics.errors import InputError
from fedtopics.network.plan.parts import MOST_DELTA, Evaluation, PlannedWords, Texts
from fedtopics.network.plan.plan import NUMBER, PUBLIC, Plan
from fedtopics.privacy.price.budget import Budget

LISTED = PlannedWords("public", "words.txt", "ab" * 32, 100)
ABSURD: list[Any] = [
    *(float("nan"), float("inf"), float("-inf"), 1e308, 1e-308, -1, 0, 10**9, 2**63 - 1),
    *(True, "x", "\x1b[2J", [], [float("nan")], {"a": 1}),
]


def plan(method: str = "calm", relation: str = "word add/remove", **given: Any) -> Plan:
    known: dict[str, Any] = {"vocabulary": LISTED, "settings": {"n_topics": 3}, "delta": 1e-6} | given
    promise = Budget(relation, 1e9, known.pop("delta"))
    return Plan("x", "localhost:9", ("north", "south"), method, promise, **known)


@pytest.mark.parametrize("name", methods.names())
def test_an_absurd_setting_is_one_line_or_a_plan_with_a_digest(name: str) -> None:
    variants: list[dict[str, Any]] = [{"variant": v} for v in methods.variants(name)] or [{}]
    forms = [(v, setting) for v in variants for setting in methods.settings(name, **v)]
    n_plans, lines = 0, []
    for (variant, setting), value in product(forms, ABSURD):
        try:
            found = plan(name, "word replace", settings={"n_topics": 3, **variant, setting: value})
            n_plans += len(found.digest) == 64
        except InputError as error:
            lines.append(str(error))
    assert all(len(line.splitlines()) == 1 for line in lines)
    assert n_plans or name in ("alone", "pooled", "shared")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"settings": {"n_rounds": 10**6}}, "n_rounds must be at most 100,000"),
        ({"settings": {"n_topics": 0}, "method": "pctd"}, "at least 2 topics"),
        ({"settings": {"beta": "x"}, "method": "pctd"}, "beta of method pctd must be a number, got 'x'"),
        ({"settings": {"topics_per_party": {"north": 10**9}}, "method": "ftm"}, "topics of north"),
        ({"timeout_seconds": 1e300}, "timeout_seconds"),
        ({"public": ("x" * 201,)}, "at most 200 characters"),
    ],
)
def test_settings_that_no_run_has_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        plan(**given)


@pytest.mark.parametrize("language", ["../../etc/passwd", "en\x1b[2J", "zz", "x" * 1000, ""])
def test_a_language_that_nobody_knows_is_refused(language: str) -> None:
    with pytest.raises(InputError, match="no stop words for language"):
        Texts(language)
    assert Texts("de").language == "de"


def test_a_vocabulary_has_no_more_words_than_parties_take() -> None:
    with pytest.raises(InputError, match="at most"):
        PlannedWords("private", epsilon=1.0, delta=1e-6, max_size=MOST + 1)


@pytest.mark.parametrize("delta", [0.9, 0.0011])
def test_no_part_of_a_plan_has_a_delta_that_empties_its_epsilon(delta: float) -> None:
    with pytest.raises(InputError, match=r"privacy.delta must be at most 0.001, got .* the promise fails"):
        plan(delta=delta)
    with pytest.raises(InputError, match=r"vocabulary.delta must be at most"):
        PlannedWords("private", epsilon=1.0, delta=delta, max_size=9)
    with pytest.raises(InputError, match=r"evaluation.delta must be at most"):
        Evaluation("private", 0.1, 1.0, delta)
    assert plan(delta=MOST_DELTA).privacy.delta == MOST_DELTA


SHOWN: list[tuple[str, dict[str, Any], list[str]]] = [
    ("calm", {}, []),
    ("calm", {"unit": "sentence"}, ["the number of sentences of each document"]),
    ("ftm", {}, []),
    ("ftm", {"release": "tokens"}, ["the number of words of each document"]),
    ("ftm", {"variant": "paper"}, ["the number of words of each document"]),
    ("ftm", {"unit": "sentence"}, ["the number of sentences of each document"]),
    ("pctd", {}, []),
    ("pctd", {"release": "unit", "sigma": 0.5}, ["the number of ngrams and so of words of each document"]),
    ("pctd", {"release": "unit", "unit": "sentence"}, ["the number of sentences of each document"]),
    ("lplda", {}, []),
    ("fedlda", {}, []),
]


@pytest.mark.parametrize(("name", "settings", "more"), SHOWN)
def test_a_party_is_shown_all_that_becomes_public_whatever_the_plan_says(
    name: str, settings: dict[str, Any], more: list[str]
) -> None:
    found = plan(name, "word replace", settings={"n_topics": 3} | settings, public=("nothing much",))
    assert found.public == (*PUBLIC, NUMBER, *more, "nothing much")
    assert summary(found)["public"] == "; ".join(found.public)
    assert Plan.from_dict(found.to_dict()) == found


def test_the_number_of_documents_is_not_public_where_they_are_hidden() -> None:
    for unit in ("document", "person"):
        found = plan("hush", f"{unit} add/remove", settings={"n_topics": 3, "unit": unit})
        assert found.public == PUBLIC


def test_a_party_is_shown_epsilon_and_delta_of_words_and_scores() -> None:
    words = PlannedWords("private", epsilon=4.0, delta=1e-5, max_size=50)
    shown = summary(plan(vocabulary=words, evaluation=Evaluation("private", 0.1, 2.0, 1e-4), delta=1e-3))
    assert "epsilon 4.0 (document add/remove, delta 1e-05)" in shown["words"]
    assert "epsilon 2.0 (document add/remove, delta 0.0001)" in shown["scores"]
    assert summary(plan())["scores"] == "none"
