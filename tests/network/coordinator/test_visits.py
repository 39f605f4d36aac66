"""A visitor and a server over loopback and mutual TLS: large messages, lost connections, limits."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest
from attacks import hostile
from network import processes

from fedtopics.errors import InputError
from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.door import Door, RefusedError
from fedtopics.network.coordinator.server import Refusals, Server
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.visitor import Visitor
from fedtopics.network.plan import certificates, onboarding


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> LocalFederation:
    return processes.founded(tmp_path_factory.mktemp("visits"), ("north", "south"))


VISITS: list[tuple[Thread, Event]] = []


@pytest.fixture
def desk(federation: LocalFederation) -> Iterator[Desk]:
    """A served desk; those who visit it are gone before it is."""
    hub, made = federation.folder / HUB, Desk()
    held = hostile.credentials(federation, HUB)
    with Server(federation.hub.plan.port, held, Door(hub), made, lambda line: None):
        yield made
        for _, over in VISITS:
            over.set()
        processes.until(lambda: not visited(made), "the end of all visits", 20)
    VISITS.clear()


def visited(desk: Desk) -> bool:
    """Whether somebody still visits; turns that wait end now."""
    for name in desk.parties:
        desk.arrive(name)
    return any(thread.is_alive() for thread, _ in VISITS)


def visiting(made: Visitor) -> None:
    """Let someone visit in a thread of its own."""
    over = Event()
    VISITS.append((Thread(target=made.keep_visiting, args=(over.is_set,)), over))
    VISITS[-1][0].start()


def visitor(federation: LocalFederation, name: str = "north", answer: bytes | None = None) -> Visitor:
    """One that answers with the question turned round, or always the same."""
    held = hostile.credentials(federation, name)
    port = federation.hub.plan.port
    return Visitor("localhost", port, held, lambda asked: answer or asked[::-1], lambda line: None)


def test_large_messages_arrive_whole(federation: LocalFederation, desk: Desk) -> None:
    for name in ("north", "south"):
        visiting(visitor(federation, name))
    processes.until(lambda: len(desk.parties) == 2, "both", 20)
    asked = {"north": bytes(range(256)) * 50_000, "south": b"short"}
    for _ in range(3):
        assert desk.ask(asked, 60) == {name: text[::-1] for name, text in asked.items()}


def test_an_answer_is_brought_again_after_a_lost_connection(federation: LocalFederation, desk: Desk) -> None:
    made = visitor(federation)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(made.take_turn)
        processes.until(lambda: desk.parties == ("north",), "north", 20)
        heard = pool.submit(desk.ask, {"north": b"abc"}, 30)
        first.result(20)
        made.hang_up()
        again = pool.submit(made.take_turn)
        assert heard.result(20) == {"north": b"cba"}
        desk.arrive("north")  # ends the turn that waits
        again.result(20)
    made.hang_up()


def test_a_large_answer_that_comes_too_late_does_not_keep_a_party_from_the_next_question(
    federation: LocalFederation, desk: Desk
) -> None:
    """The coordinator refuses it while it is still being sent, and the party never hears why."""
    asked: list[bytes] = []
    late = Event()

    def answer(question: bytes) -> bytes:
        asked.append(question)
        if question == b"slow":
            late.wait(20)
            return b"x" * 2**25
        return question[::-1]

    made = replace(visitor(federation), answer=answer)
    visiting(made)
    processes.until(lambda: desk.parties == ("north",), "north", 20)
    assert isinstance(desk.ask({"north": b"slow"}, 0.5)["north"], Silence)
    late.set()
    assert desk.ask({"north": b"abc"}, 15) == {"north": b"cba"}
    assert asked == [b"slow", b"abc"]


def test_an_answer_that_nobody_waits_for_is_not_even_read(federation: LocalFederation, desk: Desk) -> None:
    north = hostile.credentials(federation, "north")
    lie = f"POST /turn HTTP/1.1\r\nHost: x\r\nAnswer: {'0' * 32}\r\nContent-Length: {2**30}\r\n\r\n".encode()
    assert hostile.said(federation, north, lie).startswith(b"HTTP/1.1 409")


def test_too_long_an_answer_is_refused(federation: LocalFederation, desk: Desk) -> None:
    desk.most_bytes = 1000
    visiting(visitor(federation, answer=b"x" * 1001))
    processes.until(lambda: desk.parties == ("north",), "north", 20)
    assert isinstance(desk.ask({"north": b"abc"}, 1)["north"], Silence)


def test_a_plan_that_cannot_be_read_lets_nobody_in(federation: LocalFederation, tmp_path: Path) -> None:
    certificate = certificates.read_certificate(federation.folder / "north" / "party.crt")
    door = Door(federation.folder / HUB)
    assert door.admit(certificate) == "north"
    plan = federation.folder / HUB / onboarding.PLAN
    kept = plan.read_text()
    for broken in ("parties = 3", kept + "\nunknown = 1\n"):
        plan.write_text(broken)
        with pytest.raises(RefusedError, match="nobody is let in"):
            door.admit(certificate)
    plan.write_text(kept)
    assert door.admit(certificate) == "north"


def test_a_taken_port_is_named(federation: LocalFederation, desk: Desk) -> None:
    held, port = hostile.credentials(federation, HUB), federation.hub.plan.port
    with pytest.raises(InputError, match=f"expected port {port} to be free"):
        Server(port, held, Door(federation.folder / HUB), Desk(), lambda line: None)


def test_the_same_refusal_is_told_once_a_minute() -> None:
    lines: list[str] = []
    refusals = Refusals(lines.append)
    for reason in ("it showed no certificate", "it did not speak TLS", "it showed no certificate"):
        refusals.note(reason)
    assert len(lines) == 2


def test_a_certificate_of_a_name_that_is_not_in_the_plan_opens_nothing(
    federation: LocalFederation, tmp_path: Path
) -> None:
    request = certificates.make_request(tmp_path, "west")
    signed = certificates.sign_request(federation.folder / HUB, certificates.read_request(request)[1])
    with pytest.raises(RefusedError, match="'west' is not a party of the plan"):
        Door(federation.folder / HUB).admit(signed)


def test_a_party_that_waits_for_a_question_is_sent_away_when_it_is_revoked(
    federation: LocalFederation, desk: Desk
) -> None:
    hub = federation.folder / HUB
    with hostile.connection(federation, hostile.credentials(federation, "south")) as talk:
        talk.sendall(hostile.turn())
        processes.until(lambda: desk.parties == ("south",), "south", 20)
        kept = onboarding.revoke(hub, "south")
        try:
            talk.settimeout(10)
            assert talk.recv(65536).startswith(b"HTTP/1.1 403")
        finally:
            kept.rename(hub / onboarding.APPROVED / "south")
    processes.until(lambda: desk.parties == (), "the end of the visit", 10)


def test_who_shows_no_certificate_is_not_heard(federation: LocalFederation, desk: Desk) -> None:
    context = ssl.create_default_context(cafile=str(federation.folder / HUB / "ca.crt"))
    plain = socket.create_connection(("localhost", federation.hub.plan.port), timeout=10)
    talk = context.wrap_socket(plain, server_hostname="localhost")
    with talk, pytest.raises(ssl.SSLError, match="CERTIFICATE_REQUIRED"):
        talk.recv(1)
    assert desk.parties == ()
