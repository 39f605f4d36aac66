"""CALM: what it sends, what it costs, and what it survives."""

from __future__ import annotations

import logging
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from methods.calm_cases import N_WORDS, TOPICS, corpus, sent
from methods.played_rounds import played
from planted import corpus_of, corpus_of_sentences, drawn_corpus, with_sentences

from fedtopics.errors import InputError
from fedtopics.methods.calm import Calm, roots
from fedtopics.methods.calm.looking_ahead import LONG_STEP
from fedtopics.methods.calm.stopping import SCORED, STILL
from fedtopics.network.expected import check, expected
from fedtopics.network.wire import WireError
from fedtopics.privacy.forecast import predicted_ratio
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.cost import FREE
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import in_process
from fedtopics.protocol.engine import same
from fedtopics.protocol.turn import Arrays, Turn


def assert_same_bytes(one: Arrays, other: Arrays) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize(("unit", "n_rounds"), [("document", 12), ("sentence", 4)])
def test_at_epsilon_zero_what_is_sent_does_not_depend_on_the_documents(unit: str, n_rounds: int) -> None:
    method = Calm(epsilon=0.0, n_topics=3, n_rounds=n_rounds, unit=unit, held_out=0.2)
    sent = []
    for seed in (1, 2):
        documents = corpus(seed)
        sent.append(played(method, [{"north": with_sentences(documents, 10)}] * n_rounds)[1])
    for one, other in zip(*sent, strict=True):
        assert_same_bytes(one["north"].value, other["north"].value)


def test_after_the_first_round_the_documents_are_never_read_again() -> None:
    method = Calm(epsilon=2.0, n_topics=3, n_rounds=3)
    first, other = {"north": corpus(1)}, {"north": corpus(2)}
    (_, honest, _), (_, swapped, _) = (played(method, [first, *[each] * 2]) for each in (first, other))
    for one, two in zip(honest, swapped, strict=True):
        assert_same_bytes(one["north"].value, two["north"].value)


def test_only_the_first_round_costs() -> None:
    _, rounds, _ = played(Calm(epsilon=2.0, n_topics=3), [{"north": corpus(1)}] * 3)
    assert [sent["north"].cost == FREE for sent in rounds] == [False, True, True]


def test_the_ledger_prices_words_and_documents() -> None:
    method = Calm(epsilon=1.5, n_topics=3, n_rounds=3, max_length=30)
    ledger = in_process.run(method, {"north": corpus(1)}, seed=0).ledger
    prices = {row["relation"]: row["epsilon"] for row in ledger.statements()}
    assert prices["word add/remove"] == prices["word replace"] == pytest.approx(3.0)
    assert prices["document add/remove"] == pytest.approx(45.0)
    (unbounded,) = Calm(epsilon=1.5, n_topics=3).prices(10)
    assert accounting.epsilon(unbounded.losses_of("word add/remove"), 0.0) == pytest.approx(1.5)


def test_a_budget_below_epsilon_is_refused_before_anything_is_drawn() -> None:
    ledger = Ledger(budgets=(Budget("word add/remove", 1.0),))
    with pytest.raises(BudgetError, match=r"allows word add/remove epsilon 1"):
        in_process.run(Calm(epsilon=1.5, n_topics=3), {"north": corpus(1)}, seed=0, ledger=ledger)
    assert not ledger.entries


def test_a_party_that_joins_late_pays_then_and_counts() -> None:
    method = Calm(epsilon=4.0, n_topics=3)
    north, south = {"north": corpus(1)}, {"south": corpus(2)}
    _, rounds, _ = played(method, [north, north, north | south, north | south])
    assert rounds[2]["south"].cost != FREE
    assert rounds[3]["south"].cost == FREE
    assert counted(rounds[2]["south"]) == pytest.approx(40 * 30, rel=0.1)


def counted(release: Release[Arrays]) -> float:
    """How many tokens a party has sent the counts of."""
    return float(roots.with_counts(release.value)["counts"].sum())


def test_what_a_party_had_that_is_away_follows_from_totals() -> None:
    method = Calm(epsilon=8.0, n_topics=3, sends="counts", tells="topics")
    flat = np.ones((N_WORDS, 3))
    state: Arrays = {"counts": flat, "previous": flat, "length": np.array(30.0)}
    state = method.combine(state, {"a": sent(2), "b": sent(5)}, Turn(0, "server", 1))
    for number, value in ((2, 2.0), (3, 3.0)):  # what b had stays, whatever a sends
        state = method.combine(state, {"a": sent(value)}, Turn(0, "server", number))
        np.testing.assert_allclose(state["counts"], 5 + value)
    state = method.combine(state, {"a": sent(3), "b": sent(6)}, Turn(0, "server", 4))
    np.testing.assert_allclose(state["counts"], 9)
    state = method.combine(state, {"b": sent(7)}, Turn(0, "server", 5))
    np.testing.assert_allclose(state["counts"], 9)
    amounts = {name: amount.tolist() for name, amount in method.party_topics(state).items()}
    assert amounts == {"a": [3 * N_WORDS] * 3, "b": [7 * N_WORDS] * 3}
    assert same(method.combine(state, {}, Turn(0, "server", 6)), state)


def told_after(before: float, after: float) -> Arrays:
    method = Calm(n_topics=3, momentum=0.5, tells="topics")
    counts = np.full((N_WORDS, 3), before)
    state: Arrays = {"counts": counts, "previous": counts, "length": np.array(30.0)}
    return method.broadcast(method.combine(state, {"a": sent(after)}, Turn(0, "server", 2)))


def test_momentum_looks_ahead_in_the_direction_of_the_last_step() -> None:
    beta, faded = Calm().beta, 1 - (1.0 / 10.0) / LONG_STEP
    np.testing.assert_allclose(told_after(9.0, 10.0)["sizes"], N_WORDS * (10 + 0.5 * faded + beta), rtol=1e-6)


def test_a_long_step_has_no_momentum() -> None:
    np.testing.assert_allclose(told_after(4.0, 10.0)["sizes"], N_WORDS * (10 + Calm().beta), rtol=1e-6)


def test_histograms_held_out_are_scored_and_not_trained_on() -> None:
    method = Calm(epsilon=8.0, n_topics=3, held_out=0.25)
    _, rounds, _ = played(method, [{"north": corpus(1)}] * (SCORED + 2))
    assert counted(rounds[2]["north"]) == pytest.approx(30 * 30, rel=0.02)
    scored = [number for number, sent in enumerate(rounds) if "score" in sent["north"].value]
    assert scored == [SCORED]
    assert rounds[SCORED]["north"].value["score"][1] == 10


def scored(method: Calm, state: Arrays, number: int, **scores: float) -> Arrays:
    """The state after round `number`, in which parties of 10 histograms held out sent these scores."""
    heard = {name: sent(1) | {"score": np.array([10 * score, 10])} for name, score in scores.items()}
    return method.combine(state, heard, Turn(0, "server", number))


def test_training_stops_where_the_score_of_all_parties_rises_no_more() -> None:
    method, flat = Calm(n_topics=3, held_out=0.1, tells="topics"), np.ones((N_WORDS, 3))
    state: Arrays = {"counts": flat, "previous": flat, "length": np.array(30.0)}
    state = scored(method, state, SCORED, north=5.0, south=1.0)
    state = scored(method, state, 2 * SCORED, north=4.9, south=1.2)  # the mean rises by 0.05
    assert "phi" in method.tell(state, "north")
    state = scored(method, state, 3 * SCORED, north=3.05 + STILL / 2)
    assert method.tell(state, "north").keys() == {"stopped"}
    assert int(state["stopped"]) == 3 * SCORED
    assert same(scored(method, state, 4 * SCORED, north=9.0), state)


def test_after_a_stop_nothing_is_sent_and_the_model_stays() -> None:
    parties = {name: corpus(seed, 200) for seed, name in enumerate(("north", "south"))}
    outcome = in_process.run(Calm(epsilon=6.0, n_topics=3, n_rounds=150, held_out=0.1), parties, seed=0)
    idle = [entry.round for entry in outcome.rounds if not entry.bytes_up]
    assert idle, "it must have stopped"
    assert (idle[0] - 1) % SCORED == 0
    assert idle == list(range(idle[0], 150))
    whole = in_process.run(Calm(epsilon=6.0, n_topics=3, n_rounds=idle[0], held_out=0.1), parties, seed=0)
    assert outcome.model is not None
    assert whole.model is not None
    np.testing.assert_array_equal(outcome.model.topic_word, whole.model.topic_word)


@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_planted_topics_are_found_through_real_noise(unit: str) -> None:
    parties = {}
    for seed, name in enumerate(("north", "south")):
        documents = drawn_corpus(TOPICS, n_docs=300, length=40, seed=seed)
        parties[name] = with_sentences(documents, 20)
    method = Calm(epsilon=2.5, n_topics=3, n_rounds=60, unit=unit)
    model = in_process.run(method, parties, seed=1).model
    assert model is not None
    overlap = np.minimum(TOPICS[:, None], model.topic_word[None]).sum(-1)
    assert overlap.max(axis=1).min() > 0.85
    assert len(set(overlap.argmax(axis=1))) == 3


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"epsilon": -1.0}, "epsilon"),
        ({"epsilon": nan}, "epsilon"),
        ({"epsilon": inf}, "epsilon"),
        ({"unit": "page"}, "document or sentence, got 'page'"),
        ({"sends": "bytes"}, "sends must be roots or counts, got 'bytes'"),
        ({"tells": "counts"}, "tells must be roots or topics, got 'counts'"),
        ({"momentum": 1.0}, "below 1, got 1.0"),
        ({"burstiness": 1.0}, "below 1, got 1.0"),
        ({"held_out": 0.6}, "from 0 to 0.5, got 0.6"),
        ({"held_out": nan}, "from 0 to 0.5, got nan"),
        ({"held_out": 0.1, "one_topic": True}, "before documents choose"),
        ({"alpha": 0.0}, "above 0, got 0.0"),
        ({"max_length": 0}, "above 0, got 0"),
        ({"distinct_words": 0.0}, "distinct_words must be above 0, got 0.0"),
    ],
)
def test_bad_settings_are_refused(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Calm(**bad)


def test_a_party_without_documents_or_sentences_is_refused() -> None:
    with pytest.raises(InputError, match="must have documents, got none"):
        in_process.run(Calm(n_topics=3), {"north": corpus_of([], N_WORDS)}, seed=0)
    for documents in (corpus(1), corpus_of_sentences([], [[], []], N_WORDS)):
        with pytest.raises(InputError, match="needs sentences"):
            in_process.run(Calm(n_topics=3, unit="sentence"), {"north": documents}, seed=0)


def test_the_forecast_grows_with_the_noise() -> None:
    ratios = [predicted_ratio(epsilon, 8000, 60) for epsilon in (8, 6, 5, 4, 3, 2, 1)]
    assert len(set(ratios)) == len(ratios)
    assert ratios == sorted(ratios)
    assert ratios[0] == 1.0
    assert ratios[4] > 1.2
    with pytest.raises(InputError, match="distinct words"):
        predicted_ratio(6, 100, 101)


def test_the_forecast_is_logged_before_the_run_or_noted_where_it_is_bad(
    caplog: pytest.LogCaptureFixture,
) -> None:
    good, bad = (Calm(epsilon=epsilon, distinct_words=2.0) for epsilon in (6.0, 1.0))
    with caplog.at_level(logging.INFO):
        for method in (good, bad, Calm()):
            method.start(N_WORDS, Turn(0, "server"))
    assert [record.levelname for record in caplog.records] == ["INFO"]
    assert good.notes(N_WORDS) == Calm().notes(N_WORDS) == []
    assert "larger epsilon" in bad.notes(N_WORDS)[0]
    assert "times that of training without noise" in caplog.text


def test_a_likelihood_below_zero_may_cross_the_wire() -> None:
    told = {"phi": np.full((N_WORDS, 3), 1 / N_WORDS, np.float32), "sizes": np.ones(3, np.float32)}
    wanted = expected(
        Calm(n_topics=3, tells="topics"),
        "a",
        told | {"length": np.array(30.0)},
        [f"w{w}" for w in range(N_WORDS)],
        1,
    )
    sent = np.ones((N_WORDS, 3), np.int32)
    check({"roots": sent, "likelihood": np.array(-7.0)}, wanted)
    with pytest.raises(WireError, match="negative number in roots"):
        check({"roots": -sent, "likelihood": np.array(-7.0)}, wanted)


@pytest.mark.parametrize("epsilon", [120.0, 380.0, 740.0, 4000.0])
def test_noise_of_nearly_zero_is_as_none(epsilon: float) -> None:
    """e^-epsilon leaves single precision at 104 and double precision at 746."""
    parties = {"north": corpus(1), "south": corpus(2)}
    found, little = (
        in_process.run(Calm(epsilon=chosen, n_topics=3, n_rounds=10), parties, seed=0).model
        for chosen in (epsilon, 60.0)
    )
    assert found is not None
    assert little is not None
    np.testing.assert_allclose(found.topic_word, little.topic_word, rtol=1e-4)
