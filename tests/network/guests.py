"""A coordinator of real TLS on loopback, and parties that were invited to it, without processes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from attacks import hostile
from network import processes

from fedtopics.network.coordinator import reception, server
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.door import Door
from fedtopics.network.coordinator.guests import Guests
from fedtopics.network.coordinator.server import Server
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.joining import Joining
from fedtopics.network.plan import certificates, onboarding
from fedtopics.network.plan.invitation import Invitation
from fedtopics.network.plan.text import policy_template
from fedtopics.network.tls import Credentials

NAMES = ("north", "south")


@dataclass
class Invited:
    """A served coordinator, whose parties have to join anew."""

    federation: LocalFederation
    folder: Path
    desk: Desk = field(default_factory=Desk)
    lines: list[str] = field(default_factory=list)

    @property
    def hub(self) -> Path:
        return self.federation.folder / HUB

    @property
    def guests(self) -> Guests:
        return Guests(self.hub)

    def invite(self, party: str = "north", days: float = 7.0) -> Invitation:
        return Invitation.read(self.guests.invite(party, days))

    def joining(self, invitation: Invitation, place: str = "office", *, agree: bool = True) -> Joining:
        """A party with its key, that has agreed to the plan."""
        made = Joining(self.folder / place, invitation)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(certificates, "KEY_BITS", 2048)
            made.begin()
        if agree:
            made.agree(policy_template(invitation.agreed, simulation=True))
        return made

    def approve(self, party: str = "north") -> None:
        """What the operator does, once the fingerprint was compared."""
        [waiting] = [each for each in self.guests.waiting() if each.party == party]
        onboarding.approve(self.hub, waiting.request)
        self.guests.approved(party)

    def ticket(self, invitation: Invitation) -> Credentials:
        """What TLS needs to show a ticket."""
        place = self.folder / "ticket"
        place.mkdir(exist_ok=True)
        certificates.write_ticket(place, invitation.ticket.encode(), invitation.code)
        (place / "ca.crt").write_text(invitation.authority)
        return Credentials(place / "ticket.crt", place / "ticket.key", place / "ca.crt")

    def said(self, held: Credentials, message: bytes, seconds: float = 3.0) -> bytes:
        return hostile.said(self.federation, held, message, seconds)


def message(joining: Joining, **others: str) -> bytes:
    """What a guest sends, with other contents where given."""
    told = {"request": joining._request(), "plan": joining.invitation.agreed.digest} | others
    return posted(json.dumps(told).encode())


def posted(body: bytes, path: str = "/join") -> bytes:
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def founded(folder: Path) -> LocalFederation:
    """A federation of two parties, of which north was not approved yet."""
    made = processes.founded(folder, NAMES)
    shutil.rmtree(made.folder / HUB / onboarding.APPROVED / "north")
    return made


@contextmanager
def served(federation: LocalFederation, folder: Path) -> Iterator[Invited]:
    """The coordinator, of whose parties only south was approved, in a hurry."""
    made = Invited(federation, folder)
    held = hostile.credentials(federation, HUB)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reception, "WAIT", 0.1)
        patch.setattr(server, "LOOK", 0.1)
        with Server(federation.hub.plan.port, held, Door(made.hub), made.desk, made.lines.append):
            yield made


def other_authority(folder: Path, federation: LocalFederation) -> Path:
    """A federation of the same plan by somebody else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        onboarding.establish(folder / "stranger", federation.hub.plan, federation.folder / HUB / "words.txt")
    return folder / "stranger"
