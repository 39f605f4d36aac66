"""No peer can read a party's files: hostile coordinators and parties against real processes over mutual TLS.

With an earlier engine a coordinator, another party and a party that had been removed each read `party.key`,
the policy and the documents by one admin message, without a run and without an entry in the ledger.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from attacks import hostile
from attacks.asked_party import AskedParty
from network import processes

from fedtopics import methods
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.words import word_array
from fedtopics.network import messages, wire
from fedtopics.network.coordinator import guests, reception, server
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.door import Door
from fedtopics.network.coordinator.server import Server, _Visit
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.messages import Reply, Request
from fedtopics.network.plan import onboarding

NAMES = ("north", "south")
COMMANDS = ("cat party.key", "cat policy.toml", "head texts.jsonl", "ls /", "grep -r topical .")
TOPICS = ("sys.shell", "admin", "train.deploy", "train.start_job", "sys.configure_site_log", "shell", "read")
PATHS = ("texts.jsonl", "../south/party.key", "/etc/passwd", "policy.toml")


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    given = {"min_parties": 1, "settings": {"n_rounds": 30}}
    with processes.founded(tmp_path_factory.mktemp("attacked"), NAMES, **given) as started:
        yield started


def questions(plan: str) -> Iterator[bytes]:
    """What a hostile coordinator may try: commands, paths, code and every known operation, ill-formed."""
    for topic in TOPICS:
        for command in COMMANDS:
            yield Request(topic, "run-1", 0, plan, body=command.encode()).to_bytes()
    component = {
        "components": [{"id": "x", "path": "subprocess.Popen", "args": {"args": ["touch", "PWNED"]}}]
    }
    yield json.dumps(component).encode()
    for path in PATHS:
        for operation in ("hello", "vocabulary", "contribute", "evaluate", "deliver"):
            yield Request(operation, path, 0, plan).to_bytes()
            yield Request(operation, "run-1", -(2**70), plan, path, body=path.encode()).to_bytes()
            body = wire.pack({path: word_array([path])})
            for number in (-2, -1, 0):
                yield Request(operation, "run-1", number, plan, body=body).to_bytes()
    yield b"\xff" * 100
    yield (2**31).to_bytes(4, "little") + b"{}"


def test_a_hostile_coordinator_gets_nothing_but_the_names_of_errors(federation: LocalFederation) -> None:
    """The attacker has all the coordinator's keys and its own program; the party is the real process."""
    hub, south = federation.folder / HUB, federation.folder / "south"
    before, plan = hostile.files(south), federation.hub.plan
    desk = Desk()
    held = hostile.credentials(federation, HUB)
    with Server(plan.port, held, Door(hub), desk, lambda line: None):
        federation.start("south")
        processes.until(lambda: desk.parties == ("south",), "south's connection", 60)
        heard = [desk.ask({"south": asked}, 30)["south"] for asked in questions(plan.digest)]
        federation.stop("south")
    assert len(heard) > 100
    answers = [Reply.from_bytes(answer) for answer in heard if isinstance(answer, bytes)]
    assert len(answers) == len(heard)
    greetings = [reply for reply in answers if not reply.error]
    assert {reply.operation for reply in greetings} <= {"hello"}
    assert all(set(wire.unpack(reply.body, limit=8)) == {"time"} for reply in greetings)
    assert all(reply.body == b"" for reply in answers if reply.error)
    for secret in hostile.secrets(federation, "south"):
        assert not any(secret in answer for answer in heard if isinstance(answer, bytes))
    after = hostile.files(south)
    assert {name: content for name, content in after.items() if name in before} == before
    new = {Path(name).parts[0] for name in set(after) - set(before)}
    assert new <= {"store", "source.json", "ledger.anchor"}
    assert len((south / "store" / "ledger.jsonl").read_bytes().splitlines()) == 1  # its header alone
    assert not list(federation.folder.rglob("PWNED*"))


def test_a_party_cannot_reach_another_through_an_honest_coordinator(federation: LocalFederation) -> None:
    federation.start(HUB, "south")
    processes.until(lambda: "party south is connected" in processes.logs(federation), "south", 60)
    before, north = hostile.files(federation.folder / "south"), hostile.credentials(federation, "north")
    shell = Request("sys.shell", "run-1", 0, federation.hub.plan.digest, body=b"cat party.key").to_bytes()
    tries = [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /south/party.key HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT south:443 HTTP/1.1\r\nHost: south\r\n\r\n",
        b"PUT /turn HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx",
        b"POST /south HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        b"POST http://south/turn HTTP/1.1\r\nHost: south\r\nContent-Length: 0\r\n\r\n",
        b"POST /turn HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        b"POST /turn HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        hostile.turn(shell, "0" * 32),
        hostile.turn(shell),
        shell,
    ]
    heard = [hostile.said(federation, north, message) for message in tries]
    statuses = [answer.split(b" ")[1] for answer in heard if answer.startswith(b"HTTP/1.1 ")]
    assert len(statuses) >= len(tries) - 1
    assert set(statuses) <= {b"400", b"403", b"409", b"501"}
    for secret in hostile.secrets(federation, "south"):
        assert not any(secret in answer for answer in heard)
    assert hostile.files(federation.folder / "south") == before
    run = federation.hub.submit()
    federation.wait(run, processes.PATIENCE)
    federation.stop()


@pytest.mark.parametrize("how", ["taken out of the plan", "revoked"])
def test_a_party_that_was_removed_is_out_at_once(federation: LocalFederation, how: str) -> None:
    """It holds a connection open while it is removed, and comes back with its good certificate."""
    hub, south = federation.folder / HUB, hostile.credentials(federation, "south")
    federation.start(HUB)
    processes.until(lambda: "listening" in processes.logs(federation).splitlines()[-1], "the start", 60)
    plan, approved = (hub / "plan.toml").read_text(), hub / onboarding.APPROVED
    try:
        with hostile.connection(federation, south) as talk:
            talk.sendall(hostile.turn())
            processes.until(lambda: "south is connected" in processes.logs(federation)[-60:], "south", 10)
            if how == "revoked":
                onboarding.revoke(hub, "south")
            else:
                (hub / "plan.toml").write_text(plan.replace('["north", "south"]', '["north"]'))
            began = monotonic()
            talk.settimeout(10)
            assert talk.recv(65536).startswith(b"HTTP/1.1 403")
            assert monotonic() - began < 3
        assert hostile.said(federation, south, hostile.turn()).startswith(b"HTTP/1.1 403")
        reason = "was revoked" if how == "revoked" else "is not a party of the plan"
        told = processes.logs(federation)
        assert any("refused" in line and "'south'" in line and reason in line for line in told.splitlines())
    finally:
        federation.stop(HUB)
        (hub / "plan.toml").write_text(plan)
        if (hub / onboarding.REVOKED / "south").exists():
            (hub / onboarding.REVOKED / "south").rename(approved / "south")


def test_a_replaced_key_is_refused(federation: LocalFederation, tmp_path: Path) -> None:
    """The thief of an old key has a certificate of the authority for a name of the plan."""
    from cryptography import x509

    from fedtopics.network.coordinator.door import RefusedError
    from fedtopics.network.plan import certificates

    hub = federation.folder / HUB
    certificates.make_key(tmp_path / "party.key")
    request = certificates.make_request(tmp_path, "south")
    other: x509.Certificate = certificates.sign_request(hub, certificates.read_request(request)[1])
    with pytest.raises(RefusedError, match="another key than the one that was approved"):
        Door(hub).admit(other)


OPERATIONS = "hello, vocabulary, contribute, key, peers, sum, evaluate, attest, deliver, renew"


def test_there_is_one_resource_and_a_closed_list_of_operations(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever adds a way in has to come by here, and by docs/operate/security.md.

    Two resources, each for one kind of certificate; what a guest may say and is given is a closed list too.
    """
    page = " ".join((Path(__file__).parents[2] / "docs" / "operate" / "security.md").read_text().split())
    assert {name for name in dir(_Visit) if name.startswith("do_")} == {"do_POST"}
    assert (messages.TURN, messages.JOIN) == ("/turn", "/join")
    source = Path(server.__file__).read_text()
    assert re.findall(r"self\.path\b.*", source) == [
        "self.path != (JOIN if self.is_guest else TURN) or not known:"
    ]
    assert "`POST /turn` for parties, and `POST /join` for those who are invited" in page
    assert {"request", "plan"} == reception.KEYS
    assert guests.GIVEN == ("party.crt", "ca.crt", "signing.pub", "plan.toml")
    assert "the party's certificate, the authority's, the key of records, the plan and its words" in page
    corpus = Corpus.from_texts(["tax war", "war law"], min_df=1, max_df=1.0)
    party = AskedParty(tmp_path, methods.make("calm", n_topics=2), corpus, corpus.vocabulary)
    party.side.log = "details"
    caplog.set_level("INFO")
    assert party.ask("subprocess.Popen", 0, {})[0] == "InputError"
    assert f"expected one of {OPERATIONS}, got" in caplog.text
    assert OPERATIONS in page
