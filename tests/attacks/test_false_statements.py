"""Who has spent what: each party says it under its own signature, and nobody else can say it for it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from attacks.signed_runs import (
    BOTH,
    PARTIES,
    PLAN,
    RUN,
    SIX,
    answered,
    conducted,
    delivered,
    resigned,
    result_of,
    signed_by,
    verify,
)
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from fedtopics.network import attestation, verification
from fedtopics.network.attestation import Attestation, AttestationError
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.folder import RunFolder
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.side import PartySide
from fedtopics.network.plan import certificates
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.cost import FREE
from fedtopics.runs.run import Run


def test_the_record_says_what_the_parties_have_signed(done: Path) -> None:
    record = Run.load(done / "hub" / "runs" / RUN / "result").record
    jsonschema.validate(record, json.loads((files("fedtopics.runs") / "run.schema.json").read_text()))
    assert [row["attested"] for row in record["parties"]] == [True, True]
    assert {row["stated"] for row in record["privacy"]} == {"attested"}
    assert [{**row, "stated": "attested"} for row in record["planned"]] == record["privacy"]
    for name in PARTIES:
        kept, sent = (folder / attestation.FILE for folder in (done / name / "models" / RUN, result_of(done)))
        assert kept.read_bytes() == sent.read_bytes()
    code, told = verify(done, "--signing", done / "north" / "signing.pub", "--party", done / "north")
    assert code == 0, told
    assert "north: proved: epsilon 6 (word add/remove), " in told
    assert "OK: 2 parties have signed what the record says" in told


def not_attested(folder: Path, run: RunFolder, why: str, keep: tuple[str, ...] = PARTIES) -> None:
    assert any(why in line for line in run.lines()), run.lines()
    assert any("party north has not attested" in line for line in run.lines())
    record = Run.load(run.result).record
    assert [row["attested"] for row in record["parties"]] == [False, True]
    stated = {(row["party"], row["stated"]) for row in record["privacy"]}
    assert stated == {("north", "planned, not attested"), ("south", "attested")}
    code, told = verify(folder)
    assert code == 1
    assert "north: planned, not attested" in told
    assert "NOT OK" in told
    for name in PARTIES:
        assert (folder / name / "models" / RUN / attestation.FILE).is_file() == (name in keep)


def test_a_party_that_does_not_attest_is_named(here: Path) -> None:
    not_attested(here, conducted(here, answered(lambda _: Silence("gone"))), "no attest of round 2: gone")


def test_a_party_that_has_spent_more_than_the_plan_is_named(here: Path) -> None:
    """As after a fault that draws noise twice: the plan's price is not what was spent, and it keeps no record
    that says so."""

    def spend(sides: dict[str, PartySide]) -> None:
        sides["north"].store.commit(RUN, 0, "evaluate", SIX, b"payload")

    run = conducted(here, before=spend)
    not_attested(here, run, "it states more than what the plan allows (word add/remove)", keep=("south",))


@pytest.mark.parametrize(
    ("false", "why"),
    [
        (lambda here: signed_by(here, "north", BOTH[1:]), "fewer releases than it has sent"),
        (lambda here: signed_by(here, "south", BOTH, party="north"), "got another signature"),
    ],
    ids=["fewer", "another key"],
)
def test_a_statement_that_does_not_fit_is_refused(
    here: Path, false: Callable[[Path], Attestation], why: str
) -> None:
    run = conducted(here, answered(lambda _: false(here).to_bytes()))
    not_attested(here, run, why)


@pytest.mark.parametrize("other", [{"run": "run-2"}, {"plan": PLAN}, {"party": "south"}], ids=str)
def test_a_statement_belongs_to_one_run_of_one_plan(founded: Path, other: dict[str, str]) -> None:
    own = certificates.read_certificate(founded / "hub" / "approved" / "north" / "party.crt")
    plan = Plan.read(founded / "hub" / "plan.toml").digest
    signed_by(founded, "north", []).checked(own, "north", RUN, plan)
    with pytest.raises(AttestationError, match="got one on something else"):
        signed_by(founded, "north", [], **other).checked(own, "north", RUN, plan)
    with pytest.raises(AttestationError, match="got that of another party"):
        signed_by(founded, "north", []).checked(own, "south", RUN, plan)


def test_a_statement_is_one_text_and_nothing_else(founded: Path) -> None:
    """What is signed stands in records and on pages: no other keys, names or numbers come in."""
    own = certificates.read_certificate(founded / "hub" / "approved" / "north" / "party.crt")
    honest = json.loads(signed_by(founded, "north", BOTH).statement)
    plan = honest["plan"]
    price = honest["privacy"][0]
    false: list[Any] = [
        honest | {"more": 1},
        {key: value for key, value in honest.items() if key != "noise"},
        honest | {"noise": "<script>"},
        honest | {"time": "<b>now</b>"},
        honest | {"format": "fedtopics/attestation/2"},
        honest | {"privacy": [price | {"relation": "<script>"}]},
        honest | {"privacy": [price | {"basis": "sworn"}]},
        honest | {"privacy": [price | {"epsilon": -1.0}]},
        honest | {"privacy": [price | {"epsilon": True}]},
        honest | {"privacy": [price | {"delta": 2}]},
        honest | {"privacy": [price | {"party": "south"}]},
        honest | {"privacy": [price | {"epsilon": 10**400}]},
        honest | {"privacy": [price | {"epsilon": 0.01}, *honest["privacy"]]},
        honest | {"privacy": [price | {"basis": "none"}]},
        honest | {"privacy": [price | {"epsilon": "inf"}]},
        honest | {"privacy": {"epsilon": 1}},
        honest | {"entries": [["contribute", 0, "00"]]},
        honest | {"entries": [["contribute", True, "00" * 32]]},
        honest | {"entries": [honest["entries"][0]] * 2},
        honest | {"entries": 7},
        [honest],
        "text",
    ]
    texts = [attestation._canonical(told) for told in false]
    texts += [json.dumps(honest), " " + attestation._canonical(honest), "[" * 10**5, ""]
    texts += [attestation._canonical(honest).replace("6.0", "NaN")]
    for text in texts:
        signature = certificates.sign(founded / "north" / "party.key", attestation.PREFIX + text.encode())
        with pytest.raises(AttestationError, match="expected a statement of format"):
            Attestation(text, signature).checked(own, "north", RUN, plan)


def test_a_signature_of_another_kind_of_text_is_none(founded: Path) -> None:
    """An accepted plan is signed with the same key, for another purpose."""
    own = certificates.read_certificate(founded / "north" / "party.crt")
    text = signed_by(founded, "north", BOTH).statement
    for prefix in (b"", b"fedtopics acceptance\n"):
        signature = certificates.sign(founded / "north" / "party.key", prefix + text.encode())
        with pytest.raises(AttestationError, match="another signature"):
            Attestation(text, signature).checked(own, "north", RUN, json.loads(text)["plan"])


def test_attesting_reads_no_documents_and_tells_of_no_other_run(here: Path) -> None:
    side = PartyFolder(here / "north").side(RUN)
    side.read = lambda: pytest.fail("documents were read")  # type: ignore[assignment]
    side.store.commit("other", 0, "contribute", SIX, b"payload")
    side.store.commit(RUN, 0, "contribute", SIX, b"payload")
    before = side.store.entries
    asked = Request("attest", RUN, 2, side.terms.plan)
    told = Attestation.from_bytes(Reply.from_bytes(side.answer(asked)).body)
    side.store.close()
    assert side.store.entries == before
    said = json.loads(told.statement)
    assert [row[:2] for row in said["entries"]] == [["contribute", 0]]
    assert max(row["epsilon"] for row in said["privacy"] if row["relation"] == "word add/remove") == 6.0
    assert set(said) == {"format", "party", "run", "plan", "privacy", "noise", "entries", "time"}
    assert "other" not in told.statement


def lower_price(record: dict[str, Any], held: dict[str, Any]) -> None:
    for row in record["privacy"]:
        row["epsilon"] = 1.0


def swap_statements(record: dict[str, Any], held: dict[str, Any]) -> None:
    parties = held["parties"]
    parties["north"], parties["south"] = parties["south"], parties["north"]


def leave_one_out(record: dict[str, Any], held: dict[str, Any]) -> None:
    del held["parties"]["south"]


def alter_statement(record: dict[str, Any], held: dict[str, Any]) -> None:
    held["parties"]["south"]["statement"] = held["parties"]["south"]["statement"].replace("6.0", "5.0")


def claim_more_answers(record: dict[str, Any], held: dict[str, Any]) -> None:
    for row in record["parties"]:
        row["n_answers"] += 1


def forget_format(record: dict[str, Any], held: dict[str, Any]) -> None:
    held["format"] = "other"


def own_authority(record: dict[str, Any], held: dict[str, Any]) -> None:
    held["parties"]["south"]["certificate"] = "none"


LIES = [
    lower_price,
    swap_statements,
    leave_one_out,
    alter_statement,
    claim_more_answers,
    forget_format,
    own_authority,
]


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_coordinator_that_changes_what_was_signed_is_found_out(
    done: Path, lie: Callable[..., None]
) -> None:
    delivered(done, resigned(done, lie), "expected")
    code, told = verify(done)
    assert code == 1
    assert told.startswith("NOT OK: expected")


def test_a_party_knows_its_own_statement_by_its_own_key(done: Path) -> None:
    """The coordinator has the authority's key, and can make a certificate in the party's name."""
    forged = done / "forged"
    forged.mkdir()
    shutil.copy(done / "south" / "party.key", forged / "party.key")
    asked = certificates.read_request(certificates.make_request(forged, "north"))[1]
    certificate = certificates.sign_request(done / "hub", asked)

    def forge(record: dict[str, Any], held: dict[str, Any]) -> None:
        statement = held["parties"]["north"]["statement"]
        signature = certificates.sign(forged / "party.key", attestation.PREFIX + statement.encode())
        shown = certificate.public_bytes(Encoding.PEM).decode()
        held["parties"]["north"] = {"statement": statement, "signature": signature, "certificate": shown}

    delivered(done, resigned(done, forge), "this party's own newest statement")


def test_an_old_statement_of_its_own_is_not_enough(done: Path) -> None:
    place = PartyFolder(done / "north")
    with place.store() as store:
        store.commit(RUN, 2, "evaluate", FREE, b"payload")
    delivered(done, verification.delivered(result_of(done)), "this party's own newest statement")


def test_certificates_of_another_authority_show_nothing(done: Path) -> None:
    from cryptography.hazmat.primitives import hashes

    key = certificates.read_key(done / "north" / "party.key")
    built = certificates._builder(
        certificates._name("demo authority", "demo"), certificates._name("x", "x"), key.public_key(), 9
    )
    other: x509.Certificate = built.sign(key, hashes.SHA256())
    (done / "hub" / "ca.crt").write_bytes(other.public_bytes(Encoding.PEM))
    code, told = verify(done)
    assert (code, "signed by the coordinator's authority" in told) == (1, True)


def test_an_altered_file_and_a_missing_one_are_found(done: Path) -> None:
    path = result_of(done) / attestation.FILE
    path.write_bytes(path.read_bytes() + b" ")
    assert verify(done)[0] == 1
    path.unlink()
    assert verify(done)[0] == 1


def test_an_old_copy_of_the_whole_folder_is_found_out_by_what_was_signed(founded: Path, done: Path) -> None:
    """From inside the folder nothing can be noticed; the record that others hold shows it."""
    for name in ("store", "ledger.anchor", "acceptance.json", "models"):
        path = done / "north" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copytree(founded / "north", done / "north", dirs_exist_ok=True)
    PartyFolder(done / "north").store().close()
    code, told = verify(done, "--party", done / "north")
    assert code == 1
    assert "it was put back from a copy" in told
