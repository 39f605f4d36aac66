"""Who was refused at the door, in words: reads the engine's log as it grows.

TLS ends a connection before anybody has said a name, so the coordinator learns no more than why.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

REASONS = {
    "unable to get local issuer certificate": "refused a connection: its certificate is not from this "
    "federation's authority",
    "certificate signature failure": "refused a connection: its certificate is not from this federation's "
    "authority",
    "certificate has expired": "refused a connection: its certificate has expired; let that party renew it",
    "certificate is not yet valid": "refused a connection: its certificate is not valid yet (a wrong clock?)",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "refused a connection: it showed no certificate",
    "failed to verify client identity": "refused a registration: a certificate was used under another name",
    "no registration session": "refused a registration: an old message was sent again",
    "invalid auth token signature": "refused a message: it is not from the party that it names",
    "is bound to origin": "refused a message: it is not from the party that it names",
    "origin is not a participant": "refused a message: its sender is no party of this run",
}
AGAIN = 60.0  # seconds until the same is said again


@dataclass
class Refusals:
    """The engine's log, read on from where it was left."""

    log: Path
    _place: int = field(default=0, init=False)
    _said: dict[str, float] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._place = self.log.stat().st_size if self.log.exists() else 0

    def new(self) -> list[str]:
        """What was refused since the last call, each reason once a minute."""
        if not self.log.exists():
            return []
        with self.log.open("rb") as file:
            file.seek(self._place)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._place += len(whole)
        found = dict.fromkeys(
            words
            for line in whole.decode(errors="replace").splitlines()
            for sign, words in REASONS.items()
            if sign in line
        )
        now = monotonic()
        fresh = [words for words in found if now - self._said.get(words, -AGAIN) >= AGAIN]
        self._said.update(dict.fromkeys(fresh, now))
        return fresh
