"""Joining a federation, step by step and by the command line; whatever does not fit is refused."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import NameOID
from network.approved import offer
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.documents.text import word_lists
from fedtopics.errors import InputError
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan import acceptance, certificates, onboarding, readiness
from fedtopics.network.plan.acceptance import AcceptanceError
from fedtopics.network.plan.plan import Plan
from fedtopics.privacy.price.cost import FREE


def test_an_accepted_plan_is_signed_by_the_party(here: Path) -> None:
    given = offer(here)
    assert (given.party, given.plan.name) == ("north", "demo")
    accepted = given.accept()
    plan = Plan.read(here / "north" / "plan.toml")
    assert acceptance.check(here / "north", plan) == accepted
    assert accepted.digest == plan.digest
    assert readiness.check_identity(here / "north") == "north"
    assert plan.words(here / "north") == ("apple", "pear", "plum")


def test_a_changed_plan_needs_a_new_acceptance(here: Path) -> None:
    offer(here).accept()
    path = here / "hub" / "plan.toml"
    path.write_text(path.read_text().replace("n_rounds = 4", "n_rounds = 3"))
    changed = Plan.read(path)
    with pytest.raises(AcceptanceError, match="it was changed"):
        acceptance.check(here / "north", changed)
    onboarding.share_plan(here / "hub", "north")
    assert offer(here).accept().digest == changed.digest
    acceptance.check(here / "north", changed)


def test_no_acceptance_and_a_forged_one_are_refused(here: Path) -> None:
    plan = Plan.read(here / "hub" / "plan.toml")
    with pytest.raises(AcceptanceError, match="review the plan"):
        acceptance.check(here / "north", plan)
    offer(here).accept()
    path = here / "north" / "acceptance.json"
    kept = json.loads(path.read_text())
    for key, value in {"party": "south", "time": "2001-01-01", "signature": "00"}.items():
        path.write_text(json.dumps(kept | {key: value}))
        with pytest.raises(AcceptanceError, match="another signature"):
            acceptance.check(here / "north", plan)
    path.write_text("{}")
    with pytest.raises(AcceptanceError, match="another file"):
        acceptance.check(here / "north", plan)


def test_private_keys_stay_where_they_were_made(here: Path) -> None:
    offer(here).accept()
    for path in here.rglob("*"):
        if path.is_file() and b"PRIVATE KEY" in path.read_bytes():
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert "approved" not in path.parts
    assert b"PRIVATE" not in (here / "north" / "north.csr").read_bytes()


def test_keys_are_never_overwritten(here: Path) -> None:
    before = (here / "north" / "party.key").read_bytes()
    onboarding.request(here / "north", "north")
    assert (here / "north" / "party.key").read_bytes() == before
    with pytest.raises(InputError, match="keys are never overwritten"):
        certificates.make_key(here / "north" / "party.key")
    with pytest.raises(InputError, match="without a federation"):
        onboarding.establish(here / "hub", Plan.read(here / "hub" / "plan.toml"))


def test_only_parties_of_the_plan_are_approved(here: Path) -> None:
    request = certificates.make_request(here / "north", "east")
    with pytest.raises(InputError, match="got one of 'east'"):
        onboarding.approve(here / "hub", request)


def test_a_name_is_given_to_one_key(here: Path) -> None:
    onboarding.approve(here / "hub", here / "north" / "north.csr")
    with pytest.raises(InputError, match="approved with another key"):
        onboarding.approve(here / "hub", here / "other" / "north.csr")


def test_a_request_gets_its_name_and_nothing_else(here: Path) -> None:
    key = certificates.read_key(here / "north" / "party.key")
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, "south"),
            x509.NameAttribute(NameOID.UNSTRUCTURED_NAME, "project_admin"),
        ]
    )
    greedy = x509.CertificateSigningRequestBuilder().subject_name(name)
    greedy = greedy.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    signed = certificates.sign_request(here / "hub", greedy.sign(key, certificates.hashes.SHA256()))
    assert not signed.subject.get_attributes_for_oid(NameOID.UNSTRUCTURED_NAME)
    assert not signed.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_damaged_requests_are_refused(here: Path) -> None:
    path = here / "north" / "north.csr"
    lines = path.read_text().splitlines()
    lines[5] = lines[5][::-1]
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match="expected a"):
        onboarding.approve(here / "hub", path)
    with pytest.raises(InputError, match="expected a certificate request"):
        onboarding.approve(here / "hub", here / "hub" / "plan.toml")


def replaced(here: Path, name: str, source: Path) -> None:
    shutil.copy(source, here / "hub" / "approved" / "north" / name)


def test_what_does_not_belong_together_is_not_accepted(here: Path) -> None:
    replaced(here, "ca.crt", here / "stranger" / "ca.crt")
    with pytest.raises(InputError, match="signed by the coordinator's authority"):
        offer(here)
    replaced(here, "ca.crt", here / "hub" / "ca.crt")
    replaced(here, "party.crt", here / "hub" / "server.crt")
    with pytest.raises(InputError, match="another key"):
        offer(here)


def test_another_authority_is_noticed(here: Path) -> None:
    offer(here).accept()
    shutil.copy(here / "stranger" / "ca.crt", here / "north" / "ca.crt")
    with pytest.raises(InputError, match="got another one; is it another federation"):
        offer(here)


def test_the_word_list_travels_with_the_plan(here: Path) -> None:
    (here / "hub" / "approved" / "north" / "words.txt").write_text("other\nwords\n")
    with pytest.raises(InputError, match="not the word list of this plan"):
        offer(here)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("max_rounds = 4", "max_rounds = 3", "allows 3 rounds"),
        ("epsilon = 6.0", "epsilon = 5.9", "got a total of 6"),
        ('methods = ["calm"]', "methods = []", "allows the methods none"),
    ],
)
def test_a_plan_against_the_policy_is_not_accepted(here: Path, old: str, new: str, told: str) -> None:
    path = here / "north" / "policy.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=told):
        offer(here)
    assert not (here / "north" / "acceptance.json").exists()


def test_a_plan_that_past_runs_leave_no_budget_for_is_not_accepted(here: Path) -> None:
    given = offer(here)
    with PartyStore(here / "north" / "store", "north", ()) as store:
        store.commit("run", 0, "contribute", given.plan.costs(3)[0], b"x")
    with pytest.raises(InputError, match="got a total of 12"):
        offer(here)


def test_a_party_writes_its_own_policy(here: Path) -> None:
    (here / "north" / "policy.toml").unlink()
    with pytest.raises(InputError, match=r"start from .*policy-template.toml"):
        offer(here)


def command(*arguments: object, **options: Any) -> str:
    result = CliRunner().invoke(app, ["federation", *map(str, arguments)], catch_exceptions=False, **options)
    assert result.exit_code == 0, result.output
    return result.output


def test_by_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "KEY_BITS", 2048)
    hub, north = tmp_path / "hub", tmp_path / "north"
    written = command(
        *("init", hub, "--coordinator", "localhost:8002", "--party", "north", "--party", "south"),
        *("--epsilon", 6, "--topics", 4, "--rounds", 5, "--vocabulary-epsilon", 4, "--max-words", 100),
    )
    assert "costs      epsilon 14.9 (word add/remove, delta 1e-06) in all" in written
    asked = command("request", "north", "--folder", north)
    fingerprint = asked.split("telephone: ")[1].strip()
    with pytest.raises(InputError, match="do not approve north"):
        command("approve", north / "north.csr", "--folder", hub, "--fingerprint", "0000")
    command("approve", north / "north.csr", "--folder", hub, input=fingerprint + "\n")
    shutil.copy(hub / "policy-template.toml", north / "policy.toml")
    digest = Plan.read(hub / "plan.toml").digest
    assert digest in written
    received = hub / "approved" / "north"
    with pytest.raises(InputError, match="nothing was accepted"):
        command("accept", received, "--folder", north, "--digest", "0" * 64)
    refused = CliRunner().invoke(
        app, ["federation", "accept", str(received), "--folder", str(north)], input="n\n"
    )
    assert refused.exit_code == 1
    assert not (north / "acceptance.json").exists()
    assert "accepted by north" in command("accept", received, "--folder", north, "--digest", digest)
    assert "accepted by north" in command("show", north)
    assert "approved/north/party.crt: north" in command("show", hub)
    before = (hub / "server.crt").read_bytes()
    command("renew", hub)
    assert (hub / "server.crt").read_bytes() != before
    assert "accepts it anew" in command("share", hub)


def test_methods_without_a_price_cannot_be_planned(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no finite price"):
        command(
            *("init", tmp_path / "hub", "--coordinator", "a:1", "--party", "a", "--party", "b"),
            *("--method", "shared", "--vocabulary-epsilon", 4),
        )
    plain = ("init", tmp_path / "hub", "--coordinator", "a:1", "--party", "a", "--party", "b")
    with pytest.raises(InputError, match="got both; leave one out"):
        command(*plain, "--vocabulary", "english-5000", "--vocabulary-epsilon", 4)
    with pytest.raises(InputError, match=r"no public word list for 'ja'"):
        command(*plain, "--language", "ja")
    assert not (tmp_path / "hub").exists()


def test_a_plan_takes_the_public_list_of_its_language_if_nothing_is_said(tmp_path: Path) -> None:
    plain = ("--coordinator", "a:1", "--party", "a", "--party", "b", "--epsilon", 6)
    command("init", tmp_path / "hub", *plain)
    plan = Plan.read(tmp_path / "hub" / "plan.toml")
    assert (plan.vocabulary.mode, plan.vocabulary.n_words, plan.privacy.epsilon) == ("public", 20_000, 6.0)
    assert plan.words(tmp_path / "hub") == word_lists.words("english-20000")
    command("init", tmp_path / "both", *plain, "--language", "de+en")
    words = Plan.read(tmp_path / "both" / "plan.toml").words(tmp_path / "both")
    assert {word[:3] for word in words or ()} == {"de:", "en:"}


def test_a_partys_ledger_in_plain_words(here: Path) -> None:
    plan = offer(here).plan
    with PartyStore(here / "north" / "store", "north", ()) as store:
        store.commit("run-1", 0, "contribute", plan.costs(3)[0], b"x")
        store.commit("run-1", 1, "contribute", FREE, b"y")
    told = CliRunner().invoke(app, ["ledger", str(here / "north")], catch_exceptions=False).output
    assert "party north: 2 releases in 1 runs" in told
    assert "run-1: 2 releases, of which 1 cost budget: contribute of round 0" in told
    assert "word add/remove: epsilon 6.0 of 6 spent" in told
    assert "hash chain of 2 releases holds" in told
    path = here / "north" / "store"
    found = CliRunner().invoke(app, ["ledger", str(path), "--json"], catch_exceptions=False).output
    assert json.loads(found)["cut_short"] is False
    lines = path / "ledger.jsonl"
    lines.write_bytes(lines.read_bytes().replace(b"6.0", b"0.6"))
    with pytest.raises(InputError, match="ledger was altered"):
        CliRunner().invoke(app, ["ledger", str(path)], catch_exceptions=False)


def test_a_revoked_key_is_not_approved_again(here: Path) -> None:
    hub, request = here / "hub", onboarding.request(here / "north", "north")
    kept = onboarding.revoke(hub, "north")
    assert (kept / "party.crt").is_file()
    with pytest.raises(InputError, match="key that was not revoked"):
        onboarding.approve(hub, request)
    (here / "north" / "party.key").unlink()
    onboarding.approve(hub, onboarding.request(here / "north", "north"))
    onboarding.revoke(hub, "north")
    assert len(list((hub / onboarding.REVOKED).iterdir())) == 2
    with pytest.raises(InputError, match="expected an approved party"):
        onboarding.revoke(hub, "north")
