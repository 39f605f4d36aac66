"""Who is kept out of a running federation, and what its operator reads about it."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from federation import processes

from fedtopics.deployment.on_this_machine import HUB, LocalFederation
from fedtopics.deployment.refusals import Refusals
from fedtopics.federation import certificates
from fedtopics.federation.flare_kit import Credentials, write_party

Impostor: TypeAlias = Callable[[LocalFederation, Path], Credentials]
LINES = b"""I1115 13:17 ssl_transport_security.cc:2563] Handshake failed: certificate has expired
E something else
2026-11-15 ClientManager ERROR failed to verify client identity: InvalidSignature
I1115 13:17 ssl_transport_security.cc:2563] Handshake failed: certificate has expired
"""


def test_the_log_of_the_engine_is_told_in_words_and_each_reason_once(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    refusals = Refusals(log)
    assert refusals.new() == []
    log.write_bytes(LINES)
    expired, named = refusals.new()
    assert "expired" in expired
    assert "another name" in named
    log.write_bytes(LINES + LINES)
    assert refusals.new() == []


def test_what_an_earlier_start_left_in_the_log_is_not_told_again(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    log.write_bytes(LINES)
    assert Refusals(log).new() == []


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalFederation]:
    pytest.importorskip("nvflare")
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


LIAR = """
import runpy, sys
from nvflare.private.fed.authenticator import Authenticator
begin = Authenticator.__init__
def lie(self, *given, **named):
    begin(self, *given, **named)
    self.client_name = "north"
Authenticator.__init__ = lie
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def knock(federation: LocalFederation, credentials: Credentials) -> None:
    """Open a connection to the coordinator as an attacker would, without any of our programs."""
    context = ssl.create_default_context(cafile=str(credentials.authority))
    context.load_cert_chain(credentials.certificate, credentials.key)
    context.set_alpn_protocols(["h2"])
    plain = socket.create_connection(("localhost", federation.hub.plan.port), timeout=10)
    with plain, suppress(OSError), context.wrap_socket(plain, server_hostname="localhost") as talk:
        talk.recv(1)


@pytest.mark.nightly
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


@pytest.mark.nightly
def test_a_certificate_under_another_name_is_refused(federation: LocalFederation, tmp_path: Path) -> None:
    """South has a good certificate, a changed program, and says that it is north."""
    from fedtopics.federation import flare

    plan, place = federation.hub.plan, federation.folder / "south"
    own = Credentials(place / "party.crt", place / "party.key", place / "ca.crt")
    kit = write_party(tmp_path / "kit", "south", plan.host, plan.port, own)
    python, flag, _, *module = flare.party_command(kit, "south")
    with (tmp_path / "client.log").open("wb") as log:
        process = subprocess.Popen(
            [python, flag, "-c", LIAR, *module],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | flare.ENVIRONMENT,
        )
    words = "a certificate was used under another name"
    try:
        processes.until(lambda: words in processes.logs(federation), words, 120)
    finally:
        process.kill()
        process.wait()
    assert "party north is connected" not in processes.logs(federation)


@pytest.mark.nightly
def test_a_party_that_has_not_accepted_the_plan_is_left_out_and_named(federation: LocalFederation) -> None:
    federation.start("north", "south")
    processes.until(lambda: "party south is connected" in processes.logs(federation), "south's connection")
    processes.until(lambda: "party north is connected" in processes.logs(federation), "north's connection")
    (federation.folder / "south" / "acceptance.json").unlink()
    run = federation.hub.submit()
    federation.wait(run, processes.PATIENCE)
    assert any("party south" in line and "has not accepted this plan" in line for line in run.lines())
    assert not (federation.folder / "south" / "models").exists()
    assert (federation.folder / "north" / "models" / run.name).exists()
