"""Who is kept out of a running federation, and what its operator reads about it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import pytest
from attacks.hostile import credentials
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from network import processes

from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.door import Door
from fedtopics.network.coordinator.server import Server
from fedtopics.network.local import HUB, LocalFederation, free_port
from fedtopics.network.party.visitor import Visitor
from fedtopics.network.plan import certificates
from fedtopics.network.tls import Credentials

Impostor: TypeAlias = Callable[[LocalFederation, Path], Credentials]


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    with processes.founded(tmp_path_factory.mktemp("door"), ("north", "south"), min_parties=1) as started:
        started.start(HUB)
        processes.until(lambda: "listening" in processes.logs(started), "the coordinator's start")
        yield started


def stranger(federation: LocalFederation, folder: Path) -> Credentials:
    """North's name in a certificate of another authority."""
    other = processes.founded(folder, ("north", "south"))
    place = other.folder / "north"
    authority = federation.folder / "north" / "ca.crt"  # it trusts the coordinator; the coordinator not it
    return Credentials(place / "party.crt", place / "party.key", authority)


def expired(federation: LocalFederation, folder: Path) -> Credentials:
    """North's own key in a certificate whose time is over."""
    place, hub = federation.folder / "north", federation.folder / HUB
    known = certificates.read_certificate(place / "party.crt")
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(
        issuer_name=known.issuer,
        subject_name=known.subject,
        public_key=known.public_key(),
        serial_number=known.serial_number,
        not_valid_before=now - timedelta(days=9),
        not_valid_after=now - timedelta(days=2),
        extensions=list(known.extensions),
    )
    old = folder / "old.crt"
    signed = builder.sign(certificates.read_key(hub / "ca.key"), hashes.SHA256())
    old.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    return Credentials(old, place / "party.key", place / "ca.crt")


def knock(federation: LocalFederation, credentials: Credentials) -> None:
    """Open a connection to the coordinator as an attacker would, without any of our programs."""
    context = ssl.create_default_context(cafile=str(credentials.authority))
    context.load_cert_chain(credentials.certificate, credentials.key)
    context.set_alpn_protocols(["h2"])
    plain = socket.create_connection(("localhost", federation.hub.plan.port), timeout=10)
    with plain, suppress(OSError), context.wrap_socket(plain, server_hostname="localhost") as talk:
        talk.recv(1)


@pytest.mark.parametrize(
    ("impostor", "words"),
    [
        (stranger, "its certificate is not from this federation's authority"),
        (expired, "its certificate has expired"),
    ],
)
def test_an_impostor_is_refused_and_the_operator_reads_why(
    federation: LocalFederation, tmp_path: Path, impostor: Impostor, words: str
) -> None:
    knock(federation, impostor(federation, tmp_path))
    processes.until(lambda: words in processes.logs(federation), words, 30)


def plain(federation: LocalFederation) -> None:
    """Speak HTTP without TLS."""
    with socket.create_connection(("localhost", federation.hub.plan.port), timeout=10) as talk:
        talk.sendall(b"GET / HTTP/1.1\r\n\r\n")
        with suppress(OSError):
            talk.recv(1)


def nameless(federation: LocalFederation) -> None:
    """Show no certificate."""
    context = ssl.create_default_context(cafile=str(federation.folder / HUB / "ca.crt"))
    talk = socket.create_connection(("localhost", federation.hub.plan.port), timeout=10)
    with talk, suppress(OSError), context.wrap_socket(talk, server_hostname="localhost") as secured:
        secured.recv(1)


@pytest.mark.parametrize(
    ("approach", "words"), [(plain, "it did not speak TLS"), (nameless, "it showed no certificate")]
)
def test_who_has_no_certificate_is_refused(
    federation: LocalFederation, approach: Callable[[LocalFederation], None], words: str
) -> None:
    approach(federation)
    processes.until(lambda: words in processes.logs(federation), words, 30)


def test_a_party_does_not_talk_to_one_that_only_says_it_is_the_coordinator(
    federation: LocalFederation, tmp_path: Path
) -> None:
    """South listens with its own good certificate, or a stranger's, where north expects the coordinator."""
    place, other = federation.folder / "south", stranger(federation, tmp_path)
    own = Credentials(place / "party.crt", place / "party.key", place / "ca.crt")
    for held in (own, replace(other, authority=tmp_path / "federation" / "north" / "ca.crt")):
        port, desk = free_port(), Desk()
        with Server(port, held, Door(federation.folder / HUB), desk, lambda line: None):
            visitor = Visitor("localhost", port, credentials(federation, "north"), bytes, lambda line: None)
            with pytest.raises(ssl.SSLCertVerificationError):
                visitor.take_turn()
        assert desk.parties == ()


def test_a_party_that_has_not_accepted_the_plan_is_left_out_and_named(federation: LocalFederation) -> None:
    federation.start("north", "south")
    processes.until(lambda: "party south is connected" in processes.logs(federation), "south's connection")
    processes.until(lambda: "party north is connected" in processes.logs(federation), "north's connection")
    (federation.folder / "south" / "acceptance.json").unlink()
    run = federation.hub.submit()
    federation.wait(run, processes.PATIENCE)
    assert any("party south" in line and "has not accepted this plan" in line for line in run.lines())
    assert not (federation.folder / "south" / "models").exists()
    kept = federation.folder / "north" / "models" / run.name
    assert kept.exists()
    pages = [run.result / "report.html", kept / "report.html"]  # every run ends with one, at both
    processes.until(lambda: all(page.is_file() for page in pages), "the pages of the run")
