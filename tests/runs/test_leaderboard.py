"""All methods at one epsilon: settings that spend the budget exactly, ranks, and who has none."""

from dataclasses import replace

import pytest
from planted import drawn_corpus, planted_topics
from typer.testing import CliRunner

from fedtopics import methods
from fedtopics.commands import leaderboard as command
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import FREE, Relation
from fedtopics.runs.leaderboard import COLUMNS, PARAMETERS, candidates, leaderboard
from fedtopics.runs.preparing import Data, prepare

N_WORDS = 24


@pytest.fixture(scope="module")
def data() -> Data:
    return prepare(drawn_corpus(planted_topics(3, 8), 90, 20, seed=0), n_parties=2)


@pytest.mark.nightly
@pytest.mark.parametrize("relation", ["word add/remove", "word replace", "document add/remove"])
def test_a_setting_spends_the_budget_and_no_more(relation: Relation) -> None:
    budget = Budget(relation, 7.0, 1e-6)
    ranked = [c for c in candidates(budget, N_WORDS, n_topics=3, max_length=20) if not c.why]
    assert "calm" in {candidate.method for candidate in ranked}
    for candidate in ranked:
        plan = methods.make(candidate.method, **candidate.settings).prices(N_WORDS)
        spent = accounting.epsilon(sum(plan, start=FREE).losses_of(relation), budget.delta)
        assert spent <= 7.0, candidate
        assert spent > 6.9 or candidate.settings["epsilon"] == PARAMETERS["epsilon"][1], candidate


@pytest.mark.nightly
def test_without_a_proof_there_is_no_setting() -> None:
    found = {c.label: c for c in candidates(Budget("document add/remove", 8.0, 1e-6), N_WORDS, n_topics=3)}
    lacking = {label for label, candidate in found.items() if candidate.why.startswith("needs --max-length")}
    assert lacking == {"calm", "ftm (sound)", "lplda (sound)", "lplda (paper)", "pctd (sound)"}
    assert found["fedlda (paper)"].why == "proves nothing for document add/remove"
    assert found["pooled"].why == found["shared"].why == "no privacy"
    assert found["alone"].why == "nothing leaves a party"
    assert {"ftm (sound)", "ftm (paper)"} <= set(found)


@pytest.mark.nightly
def test_persons_are_protected_where_they_are_known_and_a_method_can() -> None:
    budget = Budget("person add/remove", 8.0, 1e-6)
    unknown = {c.label: c.why for c in candidates(budget, N_WORDS, n_topics=3)}
    assert unknown["hush"] == "needs persons (--person-column)"
    assert unknown["calm"] == "proves nothing for person add/remove"
    (known,) = candidates(budget, N_WORDS, ["hush"], persons=True, n_topics=3)
    assert (known.why, known.settings["unit"]) == ("", "person")
    assert known.settings["epsilon"] == pytest.approx(8.0, abs=0.01)


def test_the_board_of_persons_ranks_what_protects_them() -> None:
    corpus = drawn_corpus(planted_topics(3, 8), 90, 20, seed=0)
    named = replace(corpus, persons=tuple(str(number // 3) for number in range(90)))
    budget = Budget("person add/remove", 8.0, 1e-6)
    (hush,) = leaderboard(prepare(named, n_parties=2), budget, names=["hush"], n_topics=3)
    assert (hush.ranks["perplexity"], hush.epsilon) == (1, pytest.approx(8.0, abs=0.01))


def test_a_method_with_a_delta_of_its_own_gets_that_of_the_budget() -> None:
    (sound,) = candidates(Budget("word add/remove", 6.0, 1e-6), N_WORDS, ["pctd (sound)"], n_topics=3)
    assert sound.settings["delta"] == 1e-6
    assert sound.settings["epsilon"] == pytest.approx(6.0, abs=0.01)


@pytest.mark.nightly
def test_a_variant_that_takes_no_epsilon_is_calibrated_by_its_deviation() -> None:
    (paper,) = candidates(Budget("word replace", 800.0, 1e-5), N_WORDS, ["pctd (paper)"], n_topics=3)
    assert (paper.why, "sigma" in paper.settings) == ("", True)
    plan = methods.make("pctd", **paper.settings).prices(N_WORDS)
    assert 790 < accounting.epsilon(sum(plan, start=FREE).losses_of("word replace"), 1e-5) <= 800


def test_a_length_that_bounds_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="document length must be a whole number above 0, got 0"):
        list(candidates(Budget("document add/remove", 8.0), N_WORDS, max_length=0))


def test_the_board_ranks_what_keeps_the_budget(data: Data) -> None:
    board = leaderboard(
        data, Budget("word add/remove", 8.0), names=["alone", "pooled", "shared", "calm", "ftm"], n_topics=3
    )
    labels = [place.candidate.label for place in board]
    ranked = [place for place in board if place.ranks]
    assert {place.candidate.label for place in ranked} == {"calm", "ftm (sound)"} == set(labels[:2])
    assert labels[-2:] == ["ftm (paper)", "pooled"]
    for column, sign in COLUMNS.items():
        first = min(ranked, key=lambda place: place.ranks[column])
        assert first.ranks[column] == 1
        assert sign * first.scores[column] == min(sign * place.scores[column] for place in ranked)
    assert [place.epsilon for place in ranked] == pytest.approx([8.0, 8.0])
    perplexities = [place.scores["perplexity"] for place in ranked]
    assert perplexities == sorted(perplexities)


def test_the_board_says_which_topics_are_of_no_use(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all the noise there is: words that belong together by chance; no better than a party alone."""
    monkeypatch.setattr(command, "prepare", lambda *_, **__: data)
    asked = ["leaderboard", "it", "--methods", "alone,calm", "--topics", "3", "--epsilon"]
    drowned, fine = (CliRunner().invoke(app, [*asked, price]).output for price in ("0.01", "12"))
    calm, alone = (
        next(line for line in drowned.splitlines() if line.startswith(f"{name} "))
        for name in ("calm", "alone")
    )
    assert calm.endswith("; words as by chance; alone does better")
    assert "; " not in alone
    assert "better" not in fine
