"""Who is connected: one connection of each party, and few of those who have not shown who they are."""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock

from cryptography import x509

from fedtopics.network.coordinator.door import Door, RefusedError

MOST_STRANGERS, MOST_AT_ADDRESS = 128, 16  # connections in all, and of one address
LOOK = 1.0  # seconds between two looks at who may stay


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
        """Count one less."""
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
                _cut(self._open[party][1])
            self._open[party] = certificate, connection

    def end(self, party: str, connection: socket.socket) -> None:
        """Forget a connection that has ended."""
        with self._lock:
            if party in self._open and self._open[party][1] is connection:
                del self._open[party]

    def watch(self) -> None:
        """Send away who may not stay, until `close`."""
        while not self._over.wait(LOOK):
            with self._lock:
                refused = {party for party, (shown, _) in self._open.items() if not self.may_stay(shown)}
                for party in refused & self._refused:
                    _cut(self._open[party][1])
                self._refused = refused

    def close(self) -> None:
        """End all connections."""
        self._over.set()
        with self._lock:
            for _, connection in self._open.values():
                _cut(connection)

    def may_stay(self, shown: x509.Certificate) -> bool:
        """Whether the door would let this certificate in now."""
        try:
            self.door.admit(shown)
        except RefusedError:
            return False
        return True


def _cut(connection: socket.socket) -> None:
    """End a connection under the hands of whoever reads from it."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
