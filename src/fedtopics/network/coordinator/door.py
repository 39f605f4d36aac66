"""Who may come in, and who is there: the parties of the plan as it is now, with the keys that were approved.

A certificate of the authority is not enough. Its name must stand in `plan.toml`, and its key must be that of
`approved/NAME/party.crt`. Both files are looked at for every message, so whoever is taken out of the plan or
revoked is out at once, in the middle of a run too. A plan that cannot be read lets nobody in.

Who is invited comes in with a ticket, and no further than to ask for a certificate (`guests`).
"""

import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock
from typing import Any

from cryptography import x509

from fedtopics.errors import InputError
from fedtopics.network.coordinator.guests import Guests, NotTakenError, is_ticket
from fedtopics.network.plan import certificates
from fedtopics.network.plan.onboarding import APPROVED, PLAN
from fedtopics.network.plan.plan import Plan

MOST_STRANGERS, MOST_AT_ADDRESS = 128, 16  # connections in all, and of one address
LOOK = 1.0  # seconds between two looks at who may stay


class RefusedError(InputError):
    """A certificate of the authority, but of nobody who may come in now."""


@dataclass
class Door:
    """The door of the coordinator whose folder this is."""

    folder: Path
    _read: dict[Path, tuple[tuple[int, int, int], Any]] = field(default_factory=dict, init=False)

    def admit(self, shown: x509.Certificate) -> str:
        """The name of the party whose certificate this is; `RefusedError` where it may not come in."""
        name = certificates.common_name(shown.subject)
        if datetime.now(UTC) > shown.not_valid_after_utc:
            raise RefusedError(f"the certificate of {name!r:.60} has expired; let that party renew it")
        try:
            parties = self._known(self.folder / PLAN, lambda path: Plan.read(path).parties)
        except InputError as error:
            raise RefusedError(f"nobody is let in: {error}") from None
        if name not in parties:
            raise RefusedError(f"{name!r:.60} is not a party of the plan")
        try:
            approved = self._known(self.folder / APPROVED / name / "party.crt", certificates.read_certificate)
        except InputError:
            raise RefusedError(f"{name!r:.60} was not approved, or was revoked") from None
        if approved.public_key() != shown.public_key():
            raise RefusedError(f"{name!r:.60} has another key than the one that was approved")
        return name

    def expect(self, shown: x509.Certificate) -> str:
        """The party whom this ticket invites; `RefusedError` where it does not, or not any more."""
        try:
            return Guests(self.folder).expected(shown)
        except NotTakenError as error:
            raise RefusedError(str(error)) from None

    def may_stay(self, shown: x509.Certificate) -> bool:
        """Whether the certificate of a party, or the ticket of a guest, would be let in now."""
        try:
            _ = self.expect(shown) if is_ticket(shown) else self.admit(shown)
        except RefusedError:
            return False
        return True

    def _known(self, path: Path, read: Callable[[Path], Any]) -> Any:
        """What a file holds, read anew whenever it has changed."""
        try:
            found = path.stat()
        except OSError:
            raise InputError(f"expected {path}, got none") from None
        state = (found.st_mtime_ns, found.st_size, found.st_ino)
        if path not in self._read or self._read[path][0] != state:
            self._read[path] = state, read(path)
        return self._read[path][1]


@dataclass
class Strangers:
    """Connections that have not shown a good certificate yet, by address."""

    _there: Counter[str] = field(default_factory=Counter, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def come(self, address: str) -> bool:
        """Count one more, unless there are too many at its address or in all."""
        with self._lock:
            if self._there[address] >= MOST_AT_ADDRESS or self._there.total() >= MOST_STRANGERS:
                return False
            self._there[address] += 1
            return True

    def leave(self, address: str) -> None:
        with self._lock:
            self._there[address] -= 1
            self._there += Counter()  # forgets addresses with none


@dataclass
class Visits:
    """The connections of parties: a new one ends the old one, and who may not stay is sent away.

    Whatever a party does with its connection (nothing at all, a byte a minute), it holds one, and loses it
    two looks after it has been removed; the first look leaves time for being told.
    """

    door: Door
    _open: dict[str, tuple[x509.Certificate, socket.socket]] = field(default_factory=dict, init=False)
    _refused: set[str] = field(default_factory=set, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)
    _over: Event = field(default_factory=Event, init=False)

    def begin(self, party: str, certificate: x509.Certificate, connection: socket.socket) -> None:
        """Note the party's connection, and end the one that it had."""
        with self._lock:
            if party in self._open:
                cut(self._open[party][1])
            self._open[party] = certificate, connection

    def end(self, party: str, connection: socket.socket) -> None:
        with self._lock:
            if party in self._open and self._open[party][1] is connection:
                del self._open[party]

    def watch(self) -> None:
        """Send away who may not stay, until `close`."""
        while not self._over.wait(LOOK):
            with self._lock:
                refused = {party for party, (shown, _) in self._open.items() if not self.door.may_stay(shown)}
                for party in refused & self._refused:
                    cut(self._open[party][1])
                self._refused = refused

    def close(self) -> None:
        self._over.set()
        with self._lock:
            for _, connection in self._open.values():
                cut(connection)


def cut(connection: socket.socket) -> None:
    """End a connection under the hands of whoever reads from it."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
