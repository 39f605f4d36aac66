"""Nobody takes all the places, all the memory or all the lines of a log at the coordinator's port."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPException
from threading import Thread
from time import monotonic, sleep

import pytest
from attacks import hostile
from network import processes

from fedtopics.errors import InputError
from fedtopics.network.coordinator import door
from fedtopics.network.coordinator.desk import MOST_LINES, Desk
from fedtopics.network.coordinator.door import Door, Strangers
from fedtopics.network.coordinator.server import Server
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.visitor import Visitor
from fedtopics.network.plan import onboarding

LINES: list[str] = []


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> LocalFederation:
    return processes.founded(tmp_path_factory.mktemp("crowded"), ("north", "south"))


@pytest.fixture
def desk(federation: LocalFederation) -> Iterator[Desk]:
    made, held = Desk(), hostile.credentials(federation, HUB)
    LINES.clear()
    with Server(federation.hub.plan.port, held, Door(federation.folder / HUB), made, LINES.append):
        yield made


def is_closed(talk: ssl.SSLSocket, seconds: float) -> bool:
    """Whether the other side ends the connection in time."""
    talk.settimeout(seconds)
    try:
        while talk.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def comes_in(federation: LocalFederation, name: str) -> bool:
    """Whether a party is served at once; one that is turned away at the door is not."""
    try:
        with hostile.connection(federation, hostile.credentials(federation, name)) as talk:
            talk.sendall(b"POST /turn HTTP/1.1\r\nHost: x\r\nAnswer: 0\r\nContent-Length: 1\r\n\r\nx")
            talk.settimeout(3)
            return talk.recv(100).startswith(b"HTTP/1.1 409")
    except OSError:
        return False


def test_a_party_has_one_connection_however_many_it_opens(federation: LocalFederation, desk: Desk) -> None:
    """Unfinished headers on many connections: each new one ends the one before, and others come in."""
    north = hostile.credentials(federation, "north")
    with ExitStack() as stack:
        held = []
        for _ in range(30):
            held.append(stack.enter_context(hostile.connection(federation, north)))
            held[-1].sendall(b"POST /turn HTTP/1.1\r\nHo")
            sleep(0.02)
        assert sum(is_closed(talk, 1) for talk in held[:-1]) == 29
        assert comes_in(federation, "south")
        assert desk.parties in (("north",), ("north", "south"))


def test_only_one_body_of_a_party_is_in_memory(federation: LocalFederation, desk: Desk) -> None:
    """An answer that is awaited, begun on one connection and again on another: the first one is cut off."""
    north = hostile.credentials(federation, "north")
    body = f"POST /turn HTTP/1.1\r\nHost: x\r\nAnswer: %s\r\nContent-Length: {2**30}\r\n\r\n"
    with hostile.connection(federation, north) as first:
        first.sendall(hostile.turn())
        processes.until(lambda: desk.parties == ("north",), "north", 10)
        with suppress(OSError), ExitStack() as stack:
            asking = Thread(target=desk.ask, args=({"north": b"who"}, 2), daemon=True)
            asking.start()
            number = first.recv(65536).split(b"Question: ")[1].split(b"\r\n")[0].decode()
            first.sendall((body % number).encode() + b"x" * 1000)
            second = stack.enter_context(hostile.connection(federation, north))
            second.sendall((body % number).encode() + b"x" * 1000)
            assert is_closed(first, 3)
    asking.join(10)


def test_a_removed_party_that_drips_bytes_loses_its_connection(
    federation: LocalFederation, desk: Desk
) -> None:
    hub = federation.folder / HUB
    with hostile.connection(federation, hostile.credentials(federation, "south")) as talk:
        talk.sendall(b"POST /turn HT")
        processes.until(lambda: desk.parties == ("south",), "south", 10)
        kept = onboarding.revoke(hub, "south")
        try:
            began = monotonic()
            assert is_closed(talk, 6)
            assert monotonic() - began < 5
        finally:
            kept.rename(hub / onboarding.APPROVED / "south")


def test_a_refused_party_that_says_nothing_is_not_listened_to_for_long(
    federation: LocalFederation, desk: Desk
) -> None:
    kept = onboarding.revoke(federation.folder / HUB, "south")
    try:
        with hostile.connection(federation, hostile.credentials(federation, "south")) as talk:
            assert is_closed(talk, 4)
    finally:
        kept.rename(federation.folder / HUB / onboarding.APPROVED / "south")


def test_strangers_do_not_keep_parties_out(
    federation: LocalFederation, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections that never finish their handshake are few, and those of parties do not count as such."""
    monkeypatch.setattr(door, "MOST_AT_ADDRESS", 3)
    address = ("localhost", federation.hub.plan.port)
    with hostile.connection(federation, hostile.credentials(federation, "north")) as talk:
        talk.sendall(hostile.turn())
        processes.until(lambda: desk.parties == ("north",), "north", 10)
        crowd = [socket.create_connection(address, timeout=5) for _ in range(6)]
        processes.until(lambda: any("too many at once" in line for line in LINES), "the refusal", 5)
        assert desk.parties == ("north",)
        for plain in crowd:
            plain.close()
        processes.until(lambda: comes_in(federation, "south"), "south", 15)


def test_strangers_are_counted_by_address_and_in_all() -> None:
    there = Strangers()
    assert sum(there.come("a") for _ in range(50)) == door.MOST_AT_ADDRESS
    assert there.come("b")
    assert sum(there.come(f"c{i}") for i in range(500)) == door.MOST_STRANGERS - door.MOST_AT_ADDRESS - 1
    there.leave("a")
    assert there.come("a")
    assert not there.come("a")


def test_coming_and_going_does_not_fill_the_log() -> None:
    lines: list[str] = []
    desk = Desk(lines.append)
    for _ in range(1000):
        desk.leave("north", desk.arrive("north"))
    assert len(lines) == MOST_LINES


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "1e3", "0x10", " 1", "1, 1", "²"])
def test_a_length_that_is_none_is_refused(federation: LocalFederation, desk: Desk, length: str) -> None:
    north = hostile.credentials(federation, "north")
    asked = f"POST /turn HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n".encode("latin-1")
    assert hostile.said(federation, north, asked, 2)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 409")
    assert not any("Error" in line for line in LINES)


def test_a_coordinator_that_speaks_no_sense_ends_no_worker(federation: LocalFederation) -> None:
    answers = [
        b"HTTP/1.1 200 OK\r\nQuestion: a\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nQuestion: ../a\r\nContent-Length: 5\r\n\r\n12345",
        b"HTTP/1.1 301 Gone\r\nLocation: https://localhost/\r\nContent-Length: 0\r\n\r\n",
        b"nonsense\r\n\r\n",
    ]
    context = hostile.credentials(federation, HUB).for_coordinator()
    for answer in answers:
        with socket.create_server(("localhost", 0)) as listening:

            def serve(listening: socket.socket = listening, answer: bytes = answer) -> None:
                plain, _ = listening.accept()
                with plain, context.wrap_socket(plain, server_side=True) as talk:
                    talk.recv(65536)
                    talk.sendall(answer)

            Thread(target=serve, daemon=True).start()
            held = hostile.credentials(federation, "north")
            visitor = Visitor("localhost", listening.getsockname()[1], held, bytes, lambda line: None)
            with pytest.raises((OSError, HTTPException, InputError)):
                visitor.take_turn()
            visitor.hang_up()
