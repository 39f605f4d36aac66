"""What an attacker brings: real certificates in hostile hands, and eyes for what must not be seen."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from network import processes

from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.tls import Credentials

LIMIT = 2**20


def credentials(federation: LocalFederation, name: str) -> Credentials:
    """The certificate and key that a participant really has."""
    stem, place = ("server" if name == HUB else "party"), federation.folder / name
    return Credentials(place / f"{stem}.crt", place / f"{stem}.key", place / "ca.crt")


def secrets(federation: LocalFederation, name: str) -> list[bytes]:
    """Pieces of a party's documents, key and policy that nobody else may ever hold."""
    place = federation.folder / name
    key = (place / "party.key").read_bytes().splitlines()[2]
    return [key, (place / "policy.toml").read_bytes()[:40], *(word.encode() for word in processes.WORDS)]


@contextmanager
def connection(federation: LocalFederation, held: Credentials) -> Iterator[ssl.SSLSocket]:
    """A connection to the coordinator with somebody's certificate, and none of our programs behind it."""
    context = ssl.create_default_context(cafile=str(held.authority))
    context.load_cert_chain(held.certificate, held.key)
    plain = socket.create_connection(("localhost", federation.hub.plan.port), timeout=10)
    with plain, context.wrap_socket(plain, server_hostname="localhost") as talk:
        yield talk


def said(federation: LocalFederation, held: Credentials, message: bytes, seconds: float = 3.0) -> bytes:
    """All that the coordinator answers to raw bytes."""
    heard = b""
    with suppress(OSError), connection(federation, held) as talk:
        talk.settimeout(seconds)
        talk.sendall(message)
        while len(heard) < LIMIT and (more := talk.recv(65536)):
            heard += more
    return heard


def turn(body: bytes = b"", number: str = "") -> bytes:
    """The one message that the coordinator takes."""
    answer = f"Answer: {number}\r\n" if number else ""
    return f"POST /turn HTTP/1.1\r\nHost: x\r\n{answer}Content-Length: {len(body)}\r\n\r\n".encode() + body


def files(folder: Path) -> dict[str, bytes]:
    """Everything below a folder but its logs and signs of life."""
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".log", ".pid"))
    found = (path for path in found if path.name != "pulse.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
