"""A record that lies is found out, by who verifies it and by the party that it lies about."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from attacks.signed_runs import (
    PARTIES,
    RUN,
    SIX,
    WORDS,
    copied,
    delivered,
    forget,
    resigned,
    result_of,
    signed_by,
    verify,
)

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.network import attestation, verification
from fedtopics.network.party.delivery import Delivery
from fedtopics.network.party.folder import PartyFolder
from fedtopics.privacy.price.ledger import Entry, Ledger

Lie: TypeAlias = Callable[[dict[str, Any], dict[str, Any]], None]


def drop_a_party(record: dict[str, Any], held: dict[str, Any]) -> None:
    del held["parties"]["north"], record["parties"][0]
    record["privacy"][0]["epsilon"] = 0.001


def drop_all_parties(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["parties"], held["parties"] = [], {}


def drop_everything(record: dict[str, Any], held: dict[str, Any]) -> None:
    drop_all_parties(record, held)
    record["privacy"], record["planned"] = [], []


def name_twice(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["parties"].append(record["parties"][0] | {"n_answers": 0})


def better_noise(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["noise"] = "none"


def other_noise(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["noise"] = "simulated"


def cheap_plan(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["planned"][0]["epsilon"] = 0.001


def dear_plan(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["planned"][0]["epsilon"] = 100.0


def two_plans(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["planned"].insert(0, record["planned"][0] | {"epsilon": 0.001})


def no_price(record: dict[str, Any], held: dict[str, Any]) -> None:
    forget(record, held, None)


def false_word(record: dict[str, Any], held: dict[str, Any]) -> None:
    forget(record, held)
    record["privacy"][0]["stated"] = "attested"


def two_prices(record: dict[str, Any], held: dict[str, Any]) -> None:
    forget(record, held)
    record["privacy"].insert(0, record["privacy"][0] | {"epsilon": 0.001})


def more_words(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["n_words"] = 10**6


LIES: list[Lie] = [
    drop_a_party,
    drop_all_parties,
    drop_everything,
    name_twice,
    better_noise,
    other_noise,
    cheap_plan,
    dear_plan,
    two_plans,
    no_price,
    false_word,
    two_prices,
    more_words,
]


def not_ok(folder: Path, *more: object) -> str:
    """What verifying says of a lie, before it says anything of a party."""
    code, told = verify(folder, *more)
    assert code == 1
    assert re.fullmatch(r"NOT OK: [^\n]+\n", told), told
    return told


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_record_that_lies_is_not_ok(done: Path, lie: Lie) -> None:
    delivered(done, resigned(done, lie), "expected|belongs to another")
    not_ok(done)


def other_method(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["method"] = "lplda"


def other_settings(record: dict[str, Any], held: dict[str, Any]) -> None:
    record["settings"]["epsilon"] = 0.1


def fewer_settings(record: dict[str, Any], held: dict[str, Any]) -> None:
    del record["settings"]["epsilon"]


def less_than_planned(record: dict[str, Any], held: dict[str, Any]) -> None:
    forget(record, held, 5.9)


OF_THE_PLAN: list[Lie] = [other_method, other_settings, fewer_settings, less_than_planned]


@pytest.mark.parametrize("lie", OF_THE_PLAN, ids=lambda lie: lie.__name__)
def test_a_record_of_another_plan_is_not_ok(done: Path, lie: Lie) -> None:
    plan = done / "north" / "plan.toml"
    assert verify(done, "--plan", plan)[0] == 0
    delivered(done, resigned(done, lie), "of the plan|whole plan")
    not_ok(done, "--plan", plan)
    plan.write_text(plan.read_text().replace("n_rounds = 2", "n_rounds = 3"))
    assert "expected a run of plan" in not_ok(done, "--plan", plan)


def test_a_record_is_ok_only_under_the_key_of_the_coordinator(done: Path) -> None:
    key, content = done / "hub" / "signing.pub", (done / "hub" / "signing.pub").read_bytes()
    assert verify(done)[0] == 0
    key.write_bytes(b"no key")
    assert "expected the coordinator's key" in not_ok(done)
    key.unlink()
    assert "expected the coordinator's key" in not_ok(done)
    key.write_bytes(content)
    (result_of(done) / verification.SIGNATURE).write_bytes(b"no signature")
    assert "signed by the coordinator" in not_ok(done)


def test_the_card_of_a_model_says_what_its_record_says(done: Path) -> None:
    """It goes with the model where the record does not, and no signature covers it."""
    model = TopicModel.load(result_of(done))
    rows = [row | {"epsilon": 0.001} for row in model.card["privacy"]]
    replace(model, card={**model.card, "privacy": rows}).save(result_of(done), overwrite=True)
    assert "belongs to another model" in not_ok(done)


def test_whatever_stands_in_a_result_it_is_ok_or_not_in_one_line(done: Path) -> None:
    place = result_of(done)
    kept = {path: path.read_bytes() for path in place.iterdir() if path.is_file()}
    record = json.loads(kept[place / "run.json"])
    held = json.loads(kept[place / attestation.FILE])["parties"]["north"]
    strange: list[Lie] = []
    for name in ("run", "plan", "noise", "planned", "parties", "privacy", "settings", "model_sha256"):
        assert name in record
        strange.append(lambda told, _, name=name: told.pop(name))  # type: ignore[misc]
        strange.append(lambda told, _, name=name: told.update({name: [{"x": "\n"}]}))  # type: ignore[misc]
    for name in held:
        for value in (5, None, "\ud800", "\n"):
            strange.append(
                lambda _, told, name=name, value=value: told["parties"]["north"].update({name: value})  # type: ignore[misc]
            )
    strange += [lambda _, told: told.pop("parties"), lambda _, told: told.update(parties=[])]
    strange += [
        lambda _, told: told["parties"].update(north=[]),
        lambda told, _: told["parties"][0].pop("attested"),
    ]
    for change in strange:
        resigned(done, change)
        not_ok(done)
        for path, content in kept.items():
            path.write_bytes(content)
    for content in (b"", b"[]", b"[" * 10**5, b"\xff", b"{}", b'{"schema": 5}'):
        for name in ("run.json", attestation.FILE, "model.json"):
            (place / name).write_bytes(content)
            not_ok(done)
            (place / name).write_bytes(kept[place / name])
    assert verify(done)[0] == 0


def restated(folder: Path, run: str, entries: Callable[[str], list[Entry]]) -> Lie:
    """What each party has signed with its own key, on these entries."""

    def lie(record: dict[str, Any], held: dict[str, Any]) -> None:
        record["run"] = run
        for name in PARTIES:
            told = signed_by(folder, name, entries(name), run=run)
            held["parties"][name] |= {"statement": told.statement, "signature": told.signature}

    return lie


def test_a_statement_on_another_run_is_not_on_this_one(done: Path) -> None:
    """The same price, as many releases and the same key, but what was signed was signed of something else."""

    def of_another(name: str) -> list[Entry]:
        with PartyFolder(done / name).store() as store:
            for line in store.of_run(RUN):
                store.commit("run-0", line.round, "contribute", line.cost, b"payload")
            return store.of_run("run-0")

    lie = restated(done, "run-0", of_another)
    delivered(done, resigned(done, lie), "expected the record of run-1 under this plan")


def test_a_statement_on_other_lines_of_the_ledger_is_not_its_own(done: Path) -> None:
    def others(name: str) -> list[Entry]:
        with PartyFolder(done / name).store() as store:
            return [replace(line, previous="of another ledger") for line in store.of_run(RUN)]

    delivered(done, resigned(done, restated(done, RUN, others)), "own newest statement")


def test_a_party_keeps_no_record_that_says_less_than_its_ledger(done: Path) -> None:
    """Its statement was left out: then the record says at least what it has spent."""
    with PartyFolder(done / "north").store() as store:
        store.commit(RUN, 2, "evaluate", SIX, b"payload")
    delivered(done, resigned(done, forget), "no less than what this party's ledger says")


@pytest.mark.parametrize("lie", [drop_everything, less_than_planned, no_price], ids=lambda lie: lie.__name__)
def test_a_record_that_comes_before_anything_was_released_does_not_lie_later(
    done: Path, founded: Path, tmp_path: Path, lie: Lie
) -> None:
    """Delivered first it would stand there for good, whatever is released afterwards."""
    place = PartyFolder(copied(founded, tmp_path / "fresh") / "north")
    with pytest.raises(InputError):
        place.keep(RUN, Delivery(resigned(done, lie), WORDS, None, Ledger(run=RUN)))
    assert not (place.path / "models" / RUN).exists()


def test_the_record_of_another_run_or_plan_is_not_kept(done: Path) -> None:
    """What was signed of one run is delivered as that of another, or under a plan that nobody accepted."""
    delivery = Delivery(verification.delivered(result_of(done)), WORDS, None, Ledger())
    with pytest.raises(InputError, match="expected the record of run-2 under this plan, got another"):
        PartyFolder(done / "north").keep("run-2", delivery)
    assert [path.name for path in (done / "north" / "models").iterdir()] == [RUN]
    other = resigned(done, lambda record, held: record.update(plan="00" * 32))
    delivered(done, other, "expected the record of run-1 under this plan, got another")


def test_a_ledger_beside_a_record_is_the_one_that_the_record_names(done: Path) -> None:
    beside = result_of(done) / "ledger.json"
    assert verify(done)[0] == 0
    other = Ledger(run=RUN)
    other.charge("north", 0, SIX, content="x")
    other.charge("south", 0, SIX, content="x")
    beside.write_text(other.to_json())
    status, told = verify(done)
    assert status == 1
    assert "ledger.json that run.json names" in told
    beside.unlink()
    assert verify(done)[0] == 1
