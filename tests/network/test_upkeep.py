"""What happens over the years: certificates end, versions change, documents change, parties leave."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from attacks.asked_party import AskedParty
from network import processes
from network.rehearsal import Rehearsal, simulated
from planted import drawn_corpus, planted_topics
from typer.testing import CliRunner

from fedtopics import methods
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator import checkpoint, greeting
from fedtopics.network.coordinator.checkpoint import ABOUT, Checkpoint
from fedtopics.network.coordinator.door import Door, RefusedError
from fedtopics.network.coordinator.renewal import Renewal
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.messages import PROTOCOL, Request
from fedtopics.network.party.answers import PartyAnswers
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import NEW_RUN, Policy
from fedtopics.network.plan.readiness import warnings_of

CORPORA = {name: drawn_corpus(planted_topics(3, 8), 20, 10, seed) for seed, name in enumerate(("a", "b"))}
OTHERS = drawn_corpus(planted_topics(3, 8), 21, 10, 7)


@pytest.fixture
def federation(tmp_path: Path) -> LocalFederation:
    return processes.founded(tmp_path, ("north", "south", "west"), min_parties=2)


def days_left(path: Path) -> float:
    return (certificates.read_certificate(path).not_valid_after_utc - datetime.now(UTC)) / timedelta(days=1)


class Desk:
    """A channel to the parties of folders in this process."""

    def __init__(self, federation: LocalFederation, *names: str) -> None:
        self.parties = names
        self._answers = {name: PartyAnswers(PartyFolder(federation.folder / name), name) for name in names}

    def ask(self, requests: dict[str, bytes], timeout: float) -> dict[str, bytes]:
        answers = {name: self._answers[name].answer(data) for name, data in requests.items()}
        for held in self._answers.values():
            held.close()
        return answers


def test_certificates_are_renewed_thirty_days_before_they_end(
    federation: LocalFederation, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, lines = federation.folder / HUB, list[str]()
    with monkeypatch.context() as patch:
        patch.setattr(certificates, "DAYS", 20)
        certificates.make_server(hub, "localhost")
        short = onboarding.renew(hub, "north")
        PartyFolder(federation.folder / "north").path.joinpath("party.crt").write_bytes(
            short.public_bytes(certificates.serialization.Encoding.PEM)
        )
    own = federation.folder / "north" / "party.crt"
    assert warnings_of(own) == [
        f"the certificate party.crt ends {short.not_valid_after_utc:%Y-%m-%d}: renew it before"
    ]
    context = federation.hub.credentials.for_coordinator()
    renewal = Renewal(hub, context, Desk(federation, "north", "south"), lines.append)
    before = (federation.folder / "south" / "party.crt").read_bytes()
    renewal.look()
    assert days_left(own) > 700
    assert days_left(hub / "server.crt") > 700
    assert own.read_bytes() == (hub / "approved" / "north" / "party.crt").read_bytes()
    assert (federation.folder / "south" / "party.crt").read_bytes() == before
    assert lines == [
        "the coordinator's certificate was about to end, and is renewed",
        "the certificate of party north is renewed",
    ]
    assert Door(hub).admit(certificates.read_certificate(own)) == "north"
    assert warnings_of(own) == []


def test_a_party_takes_no_certificate_but_a_longer_one_of_its_own_name_and_key(
    federation: LocalFederation, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub, place = federation.folder / HUB, PartyFolder(federation.folder / "north")
    kept, pem = (place.path / "party.crt").read_bytes(), certificates.serialization.Encoding.PEM
    with monkeypatch.context() as patch:
        patch.setattr(certificates, "DAYS", 10)
        shorter = onboarding.renew(hub, "north").public_bytes(pem)
    with monkeypatch.context() as patch:
        patch.setattr(certificates, "TOLERANCE", timedelta(days=-100))  # begins in 100 days
        patch.setattr(certificates, "DAYS", 1000)
        later = onboarding.renew(hub, "north").public_bytes(pem)
    with monkeypatch.context() as patch:
        patch.setattr(certificates, "DAYS", 1000)
        other = onboarding.renew(hub, "south").public_bytes(pem)
    for content in (shorter, later, other, b"nothing", kept):
        with pytest.raises(InputError, match="expected a"):
            place.renew(content)
    assert (place.path / "party.crt").read_bytes() == kept


def test_who_is_removed_is_out_at_once_and_the_plan_goes_on_without_it(federation: LocalFederation) -> None:
    hub = federation.folder / HUB
    shown, door = certificates.read_certificate(federation.folder / "west" / "party.crt"), Door(hub)
    assert door.admit(shown) == "west"
    run = federation.hub.submit()

    def typed(*words: str) -> str:
        found = CliRunner().invoke(app, ["federation", "remove", *words, "--folder", str(hub)])
        assert found.exit_code == 0, found.output
        return found.output

    assert "run-1 goes on by the old plan" in typed("west")
    with pytest.raises(RefusedError, match="not approved, or was revoked"):
        door.admit(shown)
    assert Plan.read(hub / "plan.toml").parties == ("north", "south", "west")
    run.change("finished")
    assert "north, south" in typed("west")
    with pytest.raises(RefusedError, match="'west' is not a party of the plan"):
        door.admit(shown)
    assert Plan.read(hub / "approved" / "north" / "plan.toml").parties == ("north", "south")
    wrong = CliRunner().invoke(app, ["federation", "remove", "east", "--folder", str(hub)])
    assert "expected a party" in str(wrong.exception)


def changed_about(folder: Path, **told: object) -> None:
    """The checkpoint as another version would have written it."""
    arrays = wire.loaded((folder / checkpoint.FILE).read_bytes())
    about = json.loads(arrays[ABOUT].tobytes())
    about = {key: value for key, value in (about | told).items() if value is not None}
    arrays[ABOUT] = wire.np.frombuffer(json.dumps(about).encode(), wire.np.uint8)
    (folder / checkpoint.FILE).write_bytes(wire.saved(arrays))


def test_a_run_is_finished_by_a_version_of_the_same_protocol_and_refused_by_another(tmp_path: Path) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=3, epsilon=20.0)
    stage = Rehearsal(tmp_path, simulated(method, CORPORA), CORPORA)
    stage.terms = replace(stage.terms, method=replace(method, n_rounds=2))
    stage.trained()
    stage.terms = replace(stage.terms, method=method)
    run = tmp_path / "run"
    changed_about(run, protocol=PROTOCOL + 1, version="9.1")
    with pytest.raises(
        InputError, match=r"got one that began with fedtopics 9.1; finish it with that version"
    ):
        stage.trained()
    changed_about(run, protocol=None, version=None)  # as before versions were noted
    with pytest.raises(InputError, match="began with fedtopics another version"):
        stage.trained()
    changed_about(run, protocol=PROTOCOL, version="9.1")
    assert stage.trained().next_round == 3


def test_a_party_and_a_coordinator_of_other_protocols_do_not_begin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=2, epsilon=20.0)
    stage = Rehearsal(tmp_path, simulated(method, CORPORA, min_parties=2), CORPORA)
    monkeypatch.setattr(greeting, "PROTOCOL", PROTOCOL + 1)
    with pytest.raises(InputError, match="needs 2 parties, got 0"):
        stage.trained()
    assert any("it runs another version" in line for line in stage.lines)
    assert stage.sides["a"].store.entries == []


def test_a_checkpoint_with_a_changed_byte_is_noticed_and_the_one_before_is_taken(tmp_path: Path) -> None:
    state = {"counts": wire.np.arange(500.0)}
    for number in (3, 4):
        Checkpoint("run", "plan", number, state).save(tmp_path)
    path, lines = tmp_path / checkpoint.FILE, list[str]()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    found = Checkpoint.load(tmp_path, "run", "plan", lines.append)
    assert found is not None
    assert found.next_round == 3
    assert "checkpoint.safetensors" in lines[0]
    assert "the one before, at round 3" in lines[0]
    (tmp_path / checkpoint.BEFORE).write_bytes(b"nothing")
    with pytest.raises(InputError, match="submit a new run"):
        Checkpoint.load(tmp_path, "run", "plan")


def test_changed_documents_are_noticed_and_refused_until_they_are_as_they_were(tmp_path: Path) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=4, epsilon=6.0)
    party = AskedParty(tmp_path, method, CORPORA["a"], CORPORA["a"].vocabulary)
    assert party.contribute(0, {})[0] == ""
    party.start()
    party.corpus = OTHERS
    assert party.contribute(1, {})[0] == "PartyFailedError"  # as any failure that may depend on documents
    assert party.contribute(0, {})[0] == ""  # what was sent is sent again
    assert party.contribute(0, {}, run="second")[0] == ""  # another run has the documents as they are
    party.start()
    party.corpus = CORPORA["a"]
    assert party.contribute(1, {})[0] == ""
    assert [number for _, number, _ in party.charges()] == [0, 1]


def test_or_the_run_is_left_for_a_new_one_where_the_policy_says_so(tmp_path: Path) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=4, epsilon=6.0)
    party = AskedParty(tmp_path, method, CORPORA["a"], CORPORA["a"].vocabulary)
    assert party.contribute(0, {})[0] == ""
    party.start()
    party.side.changed, party.corpus = NEW_RUN, OTHERS
    assert party.contribute(1, {})[0] == "PartyFailedError"
    party.start()
    party.corpus = CORPORA["a"]
    assert party.contribute(1, {})[0] == "RoundPassedError"
    assert len(party.charges()) == 1


def test_a_policy_says_what_becomes_of_changed_documents(federation: LocalFederation) -> None:
    path = federation.folder / "north" / "policy.toml"
    text = path.read_text()
    path.write_text(f'changed_documents = "new run"\n{text}')
    assert Policy.read(path).changed_documents == NEW_RUN
    path.write_text(f'changed_documents = "take"\n{text}')
    with pytest.raises(InputError, match=re.escape("must be refuse or new run")):
        Policy.read(path)


def test_nothing_of_documents_is_in_a_question_or_its_answer(tmp_path: Path) -> None:
    method = methods.make("calm", n_topics=3, n_rounds=4, epsilon=6.0)
    party = AskedParty(tmp_path, method, CORPORA["a"], CORPORA["a"].vocabulary)
    party.contribute(0, {})
    [note] = (tmp_path / "words").glob("*.documents")
    digest = note.read_bytes()
    asked = Request("contribute", "first", 0, "plan")
    assert digest not in party.side.answer(asked)
