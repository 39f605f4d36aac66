"""Hush over the wire: the model of the reference engine, bit for bit, and nonsense is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from attacks.asked_party import AskedParty
from methods.hush.cases import corpus
from network.rehearsal import Direct, Ear, Rehearsal, simulated, wired
from network.test_refusals import of_north, told

from fedtopics.methods.hush.method import Hush
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.privacy.price.budget import Budget, BudgetError
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol import in_process
from fedtopics.protocol.turn import Turn

RNG = np.random.default_rng(1)
CORPORA = {
    name: corpus([[list(RNG.integers(0, 24, 15)) for _ in range(1 + i % 3)] for i in range(9)], n_words=24)
    for name in ("north", "south", "west")
}
SMALL = {"n_topics": 3, "n_rounds": 7, "n_frequent": 12, "rank": 4}


@pytest.mark.parametrize("unit", ["document", "person"])
def test_the_model_and_the_price_are_those_of_the_reference_engine(unit: str, tmp_path: Path) -> None:
    method = Hush(unit=unit, **SMALL)
    found, wanted = (
        engine(method, CORPORA, seed=3, ledger=Ledger()) for engine in (wired(tmp_path), in_process.run)
    )
    assert found.model is not None
    assert wanted.model is not None
    np.testing.assert_array_equal(found.model.topic_word, wanted.model.topic_word)
    np.testing.assert_array_equal(found.model.topic_shares, wanted.model.topic_shares)
    assert found.ledger.statements() == wanted.ledger.statements()


def test_a_budget_of_persons_below_epsilon_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    ledger = Ledger(budgets=(Budget("person add/remove", 7.9, 1e-6),))
    for engine in (wired(tmp_path), in_process.run):
        with pytest.raises(BudgetError, match=r"allows person add/remove epsilon 7\.9"):
            engine(Hush(unit="person", **SMALL), CORPORA, seed=3, ledger=ledger)
    assert not ledger.entries


@pytest.mark.parametrize(
    ("number", "what", "bend", "reason"),
    [
        (0, "totals", lambda sent: sent[:-1], "expected shape (24,) of totals, got (23,)"),
        (0, "totals", lambda sent: sent.astype(np.float64), "expected int64 in totals, got float64"),
        (1, "moments", lambda sent: sent[:-1], "expected shape (66,) of moments, got (65,)"),
        (2, "groups", lambda sent: sent[:, :-1], "expected shape (3, 5) of groups, got (3, 4)"),
        (3, "groups", lambda sent: sent.astype(np.int32), "expected int64 in groups, got int32"),
        (4, "counts", lambda sent: sent.T.copy(), "expected shape (24, 3) of counts, got (3, 24)"),
        (4, "counts", lambda sent: sent.astype(np.float32), "expected int64 in counts, got float32"),
        (5, "counts", lambda sent: sent + 2**60, "expected numbers from -1e+15 to 1e+15 in counts"),
        (6, "gain", lambda sent: np.array([np.nan]), "expected int64 in gain, got float64"),
    ],
)
def test_what_cannot_be_is_refused_and_the_run_goes_on(
    number: int,
    what: str,
    bend: Callable[[np.ndarray], np.ndarray],
    reason: str,
    tmp_path: Path,
) -> None:
    def lying(asked: Request, reply: Reply) -> Reply:
        if asked.operation != "contribute" or asked.round > number:
            return reply
        sent = ear.hear(reply.body)
        return reply if asked.round < number else replace(reply, body=wire.pack({what: bend(sent[what])}))

    ear = Ear()
    stage = Rehearsal(tmp_path, simulated(Hush(**SMALL), CORPORA), CORPORA)
    end = stage.trained(channel=Direct(stage.sides, of_north(lying)))
    assert end.next_round == 7
    assert told(stage, f"what party north sent in round {number} was refused: {reason}")
    model = stage.terms.method.model(end.state, end.words or ())
    assert model is not None
    assert np.isfinite(model.topic_word).all()


def test_a_party_sends_no_more_of_a_kind_than_the_plan_has_whoever_asks_and_when(tmp_path: Path) -> None:
    method = Hush(**SMALL)
    north = AskedParty(tmp_path, method, CORPORA["north"], CORPORA["north"].vocabulary)
    error, sent = north.contribute(0, {})
    assert not error
    assert "totals" in sent
    assert north.contribute(1, {}) == ("InputError", {})
    north.start()  # what it knows then is on its disk
    assert north.contribute(2, {}) == ("InputError", {})
    state = method.combine(
        method.known_words(CORPORA["north"].vocabulary), {"north": sent}, Turn(1, "server")
    )
    error, sent = north.contribute(3, method.broadcast(state))
    assert not error
    assert "moments" in sent
    assert [cost for _, _, cost in north.charges()] == [
        replace(price, noise="simulated") for price in method.prices(24)[:2]
    ]


def test_a_party_of_few_rounds_sends_nothing_that_their_plan_does_not_have(tmp_path: Path) -> None:
    corpus = CORPORA["north"]
    north = AskedParty(tmp_path, Hush(**SMALL | {"n_rounds": 2}), corpus, corpus.vocabulary)
    grouping = {"projection": np.zeros((24, 4), np.float32), "centers": np.zeros((3, 4), np.float32)}
    assert north.contribute(1, grouping) == ("InputError", {})
    assert north.charges() == []
