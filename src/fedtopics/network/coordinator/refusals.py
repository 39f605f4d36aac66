"""Who was refused at the coordinator's port and why, as its operator reads it."""

import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

AGAIN = 60.0  # seconds until the same refusal is said again
HANDSHAKE_FAILURES = {
    "certificate has expired": "its certificate has expired; let that party renew it",
    "certificate is not yet valid": "its certificate is not valid yet (a wrong clock?)",
    "unable to get local issuer certificate": "its certificate is not from this federation's authority",
    "certificate signature failure": "its certificate is not from this federation's authority",
    "unsuitable certificate purpose": "its certificate is not one of a party",
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "it showed no certificate",
    "HTTP_REQUEST": "it did not speak TLS",
    "UNSUPPORTED_PROTOCOL": "it speaks no TLS 1.3",
}


@dataclass
class Refusals:
    """Tells the operator who was refused and why, each reason once a minute."""

    say: Callable[[str], None]
    _said: dict[str, float] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def note(self, reason: str) -> None:
        now = monotonic()
        with self._lock:
            self._said = {told: at for told, at in self._said.items() if now - at < AGAIN}
            if reason in self._said:
                return
            self._said[reason] = now
        self.say(f"refused a connection: {reason}")


def reason_of(error: ssl.SSLError) -> str:
    """Why a handshake failed, for the operator."""
    known = f"{error.reason} {error}"
    found = (words for sign, words in HANDSHAKE_FAILURES.items() if sign in known)
    return next(found, f"its handshake failed ({error.reason or 'unknown'})")
