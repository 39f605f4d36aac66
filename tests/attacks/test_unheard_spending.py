"""What a party was charged is in the record, also where the coordinator has heard nothing of it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from attacks.signed_runs import (
    PARTIES,
    PLAN,
    RUN,
    SILENT,
    SIX,
    conducted,
    cost_of,
    entry,
    verify,
)
from network.rehearsal import Rehearsal, simulated
from planted import drawn_corpus, planted_topics

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.network import attestation
from fedtopics.network.attestation import AttestationError
from fedtopics.network.coordinator import coordinating
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.result import planned_ledger
from fedtopics.network.party.side import PartySide
from fedtopics.network.plan import certificates
from fedtopics.privacy.price.cost import Cost, Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs.run import Run


@pytest.fixture
def one_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run goes on with one party."""
    real = coordinating.terms_of
    monkeypatch.setattr(coordinating, "terms_of", lambda *given: replace(real(*given), min_parties=1))


def spent(record: dict[str, Any], party: str) -> list[tuple[str, Any, str]]:
    return [
        (row["relation"], row["epsilon"], row["stated"]) for row in record["privacy"] if row["party"] == party
    ]


@pytest.mark.usefixtures("one_is_enough")
@pytest.mark.parametrize(("epsilon", "stated"), [(6.0, "attested"), (6.1, SILENT)])
def test_a_failure_that_was_charged_is_attested_within_the_plan(
    here: Path, epsilon: float, stated: str
) -> None:
    def fail(sides: dict[str, PartySide]) -> None:
        sides["north"].store.commit(RUN, 0, "failed", cost_of(epsilon), b"")

    record = Run.load(conducted(here, before=fail).result).record
    assert spent(record, "north")[0] == ("word add/remove", 6.0, stated)
    assert record["parties"][0] == {"name": "north", "n_answers": 0, "attested": stated == "attested"}
    assert verify(here)[0] == (0 if stated == "attested" else 1)
    assert (here / "north" / "models" / RUN).exists() == (stated == "attested")


@pytest.mark.usefixtures("one_is_enough")
def test_of_whom_nothing_was_heard_stands_at_the_price_of_the_whole_plan(here: Path) -> None:
    """It may have been charged all the same: its answers were lost, or its statement."""

    def lost(name: str, asked: bytes, answer: bytes) -> bytes | Silence:
        return Silence("lost") if name == "north" else answer

    record = Run.load(conducted(here, lost).result).record
    heard = spent(record, "south")
    assert heard[0] == ("word add/remove", 6.0, "attested")
    assert spent(record, "north") == [(relation, epsilon, SILENT) for relation, epsilon, _ in heard]
    code, told = verify(here, "--plan", here / "hub" / "plan.toml")
    assert (code, "NOT OK: some parties have not attested" in told) == (1, True)


@pytest.mark.usefixtures("one_is_enough")
def test_a_party_that_has_released_nothing_attests_that(here: Path) -> None:
    def unreadable() -> Corpus:
        raise OSError("gone")

    def close_documents(sides: dict[str, PartySide]) -> None:
        sides["north"].read = unreadable

    record = Run.load(conducted(here, before=close_documents).result).record
    assert record["parties"][0] == {"name": "north", "n_answers": 0, "attested": True}
    assert (spent(record, "north"), record["noise"]) == ([], "secure")
    assert verify(here, "--plan", here / "hub" / "plan.toml")[0] == 0


PRICE = {"party": "north", "relation": "word add/remove", "epsilon": 6.0, "delta": 1e-6, "basis": "proved"}


@pytest.mark.parametrize(
    "rows",
    [
        [PRICE | {"epsilon": 0.01, "delta": 0.0}, PRICE],
        [PRICE, PRICE | {"epsilon": 0.01}],
        [PRICE | {"delta": 0.0}],
        [PRICE | {"delta": 1e-3}],
        [PRICE | {"basis": "none"}],
        [PRICE | {"basis": "claimed"}],
        [PRICE | {"epsilon": "inf"}],
        [PRICE, PRICE | {"relation": "document replace", "epsilon": 0.0}],
    ],
    ids=["two, small first", "two", "less delta", "more delta", "no basis", "claimed", "infinite", "of more"],
)
def test_a_price_is_one_of_its_relation_with_its_delta_and_basis(rows: list[dict[str, Any]]) -> None:
    told = attestation.stated("north", RUN, PLAN, [])
    attestation.check_prices(replace(told, privacy=[PRICE]), [PRICE], [PRICE])
    with pytest.raises(AttestationError):
        attestation.check_prices(replace(told, privacy=rows), [PRICE], [PRICE])


@pytest.mark.parametrize(
    ("cost", "why"),
    [
        (cost_of(5.9), "less than what it has sent costs"),
        (cost_of(6.1), "more than what the plan allows"),
        (Cost((Loss("word replace", Pure(6.0)),), noise="secure"), "more than"),
    ],
    ids=["less", "more", "of something else"],
)
def test_a_price_is_neither_more_nor_less(cost: Cost, why: str) -> None:
    planned = Ledger(entries=[entry("contribute", 0, SIX)]).statements()
    told = json.loads(attestation.made("north", RUN, PLAN, [entry("contribute", 0, cost)], str).statement)
    with pytest.raises(AttestationError, match=why):
        attestation.check_prices(attestation.Statement(**told), planned, planned)


@pytest.mark.parametrize("name", [name for name in methods.names() if name not in ("alone", "pooled")])
def test_what_an_honest_party_states_fits(name: str, tmp_path: Path, founded: Path) -> None:
    """For every method: what its releases cost is what the plan says of the answers."""
    corpora = {party: drawn_corpus(planted_topics(3, 8), 10, 12, seed) for seed, party in enumerate(PARTIES)}
    stage = Rehearsal(tmp_path, simulated(methods.make(name, n_topics=3, n_rounds=2), corpora), corpora)
    planned = planned_ledger(stage.terms, stage.trained()).statements()
    for party in PARTIES:
        sign = partial(certificates.sign, founded / party / "party.key")
        side = stage.sides[party]
        made = attestation.made(party, "first", PLAN, side.store.of_run("first"), sign)
        own = certificates.read_certificate(founded / party / "party.crt")
        heard = [row for row in planned if row["party"] == party]
        attestation.check_prices(made.checked(own, party, "first", PLAN), heard, heard)
