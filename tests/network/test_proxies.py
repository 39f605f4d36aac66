"""A party whose only way out is a proxy: a small real one that is asked to CONNECT, and one that ends TLS."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread

import pytest
from attacks import hostile
from network import processes
from network.guests import Invited, founded, served

from fedtopics.errors import InputError
from fedtopics.network.calling import knocked, proxy_address
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.visitor import Visitor
from fedtopics.network.plan import onboarding
from fedtopics.network.plan.text import Answers, policy_text
from fedtopics.network.tls import Credentials


@dataclass
class Proxy:
    """Carries bytes between who asks it to CONNECT and where to; what it heard is kept."""

    listening: socket.socket
    ends_tls: Credentials | None = None
    asked: list[bytes] = field(default_factory=list)
    carried: bytearray = field(default_factory=bytearray)

    @property
    def address(self) -> str:
        return f"http://localhost:{self.listening.getsockname()[1]}"

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.listening.accept()
                Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += near.recv(4096)
        self.asked.append(asked)
        host, port = asked.split()[1].decode().split(":")
        near.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        if self.ends_tls is not None:
            with suppress(OSError):
                self.ends_tls.for_coordinator().wrap_socket(near, server_side=True).recv(1)
            return
        far = socket.create_connection((host, int(port)))
        Thread(target=self._pass_on, args=(far, near), daemon=True).start()
        self._pass_on(near, far)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while content := source.recv(65536):
                self.carried += content
                target.sendall(content)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


@contextmanager
def proxy(ends_tls: Credentials | None = None) -> Iterator[Proxy]:
    with socket.create_server(("localhost", 0)) as listening:
        made = Proxy(listening, ends_tls)
        Thread(target=made.serve, daemon=True).start()
        yield made
        listening.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> LocalFederation:
    return founded(tmp_path_factory.mktemp("proxied"))


@pytest.fixture
def invited(federation: LocalFederation, tmp_path: Path) -> Iterator[Invited]:
    with served(federation, tmp_path) as made:
        yield made


def test_a_party_joins_and_works_through_a_proxy(invited: Invited) -> None:
    with proxy() as made:
        invitation = invited.invite()
        plan, own = invitation.agreed, made.address.replace("//", "//us%40:er@")
        answers = Answers(plan.privacy.epsilon, plan.privacy.delta, simulation=True, proxy=own)
        north = invited.joining(invitation, agree=False)
        north.agree(policy_text(plan, answers))
        assert north.ask() is None
        invited.approve()
        north.wait(lambda line: None)
        held = Credentials(*(north.folder / name for name in ("party.crt", "party.key", "ca.crt")))
        visitor = Visitor("localhost", plan.port, held, lambda asked: asked[::-1], print, own)
        over: list[bool] = []
        visits = Thread(target=visitor.keep_visiting, args=(lambda: bool(over),), daemon=True)
        visits.start()
        processes.until(lambda: invited.desk.parties == ("north",), "north", 10)
        assert invited.desk.ask({"north": b"topical question"}, 10) == {"north": b"noitseuq lacipot"}
        over.append(True)
        invited.desk.arrive("north")  # ends the turn that waits
        visits.join(10)
        assert knocked("localhost", plan.port, held, own).status == 400
    assert len(made.asked) >= 3
    assert all(line.startswith(f"CONNECT localhost:{plan.port} ".encode()) for line in made.asked)
    assert all(b"Proxy-Authorization: Basic dXNAOmVy\r\n" in line for line in made.asked)
    assert b"topical" not in made.carried
    assert b"CERTIFICATE REQUEST" not in made.carried
    assert invitation.code.encode() not in made.carried


def test_a_proxy_that_ends_tls_is_an_impostor(invited: Invited, tmp_path: Path) -> None:
    """It has a certificate of an authority of its own, as company proxies have."""
    other = processes.founded(tmp_path, ("north", "south"))
    with proxy(hostile.credentials(other, HUB)) as made:
        north = invited.joining(invited.invite())
        policy = north.folder / onboarding.POLICY
        policy.write_text(f'proxy = "{made.address}"\n{policy.read_text()}')
        with pytest.raises(ssl.SSLCertVerificationError):
            north.ask()
        held = hostile.credentials(invited.federation, "south")
        party = Visitor("localhost", invited.federation.hub.plan.port, held, bytes, print, made.address)
        with pytest.raises(ssl.SSLCertVerificationError):
            replace(party).take_turn()
    assert invited.guests.waiting() == []


@pytest.mark.parametrize(
    "text", ["https://proxy:1", "proxy", "http://:80", "http://a:b:c", "http://a:1/path"]
)
def test_what_is_no_proxy_is_named_without_its_password(text: str) -> None:
    with pytest.raises(InputError, match="expected a proxy as"):
        proxy_address(text)
    assert proxy_address("proxy.example.org:3128")[0] == ("proxy.example.org", 3128)
