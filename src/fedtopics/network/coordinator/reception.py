"""What one who is invited is answered: bytes in, bytes out, from a closed list.

body   {"request": PEM of a certificate request, "plan": digest of the plan that was shown}
200    {"state": "approved", "files": {...}}   certificates, plan, word list: nothing secret
200    {"state": "waiting"}                    ask again
409    {"state": "refused", "reason": ...}     ask the coordinator's operator
400    no such message;  429  too many of them
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from time import monotonic

from fedtopics.errors import InputError
from fedtopics.network.coordinator.guests import Guests, NotTakenError

WAIT = 20.0  # seconds until one who waits is told so
MOST, MINUTE = 20, 60.0  # messages of one guest in a minute
KEYS = {"request", "plan"}
DIGEST = 64  # letters of it


@dataclass
class Reception:
    """Answers guests of the coordinator whose folder this is; `say` takes a line for the operator."""

    folder: Path
    say: Callable[[str], None]
    _heard: dict[str, list[float]] = field(default_factory=dict, init=False)
    _told: set[tuple[str, str]] = field(default_factory=set, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def answer(self, party: str, body: bytes, is_gone: Callable[[], bool]) -> tuple[int, bytes]:
        """Status and answer; waits for approval unless the guest `is_gone`, which takes a while to tell."""
        if not self._may_speak(party):
            return 429, b""
        asked = asked_in(body)
        if asked is None:
            return 400, b""
        guests, until = Guests(self.folder), monotonic() + WAIT
        try:
            guests.take(party, asked["request"].encode(), asked["plan"])
            self._tell(party, "asks to join; `fedtopics federation approve` when its fingerprint is compared")
            while (given := guests.given(party)) is None and monotonic() < until and not is_gone():
                pass
        except NotTakenError as error:
            self._tell(party, f"asked to join and was refused: {error}")
            return 409, _written(state="refused", reason=str(error))
        except InputError:
            return 400, b""
        return 200, _written(state="waiting") if given is None else _written(state="approved", files=given)

    def _may_speak(self, party: str) -> bool:
        now = monotonic()
        with self._lock:
            recent = [at for at in self._heard.get(party, []) if now - at < MINUTE]
            self._heard[party] = [*recent, now][-MOST:]
            return len(recent) < MOST

    def _tell(self, party: str, line: str) -> None:
        with self._lock:
            if (party, line) in self._told:
                return
            self._told.add((party, line))
        self.say(f"{party} {line}")


def asked_in(body: bytes) -> dict[str, str] | None:
    """The message in these bytes; None where they are something else."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or set(found) != KEYS:
        return None
    if not all(isinstance(value, str) and value.isascii() for value in found.values()):
        return None
    return found if len(found["plan"]) == DIGEST else None


def _written(**told: object) -> bytes:
    return json.dumps(told).encode()
