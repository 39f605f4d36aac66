"""What messages would take on a wire, counted where there is none: blocks of arrays, as `coding` makes them.

Over a network the few hundred bytes of each message's headers are added. Counting takes as long as coding
does, so a thread beside does it while parties work.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias

from fedtopics.privacy.price.release import Release
from fedtopics.protocol.coding import NOTHING, Known, n_bytes
from fedtopics.protocol.engine import same
from fedtopics.protocol.turn import Arrays

# Given the number of a round, a party, what it is told and what it answers.
Overhear: TypeAlias = Callable[[int, str, Arrays, Release[Arrays]], None]

MASKED_BYTES = 8  # of a number


@dataclass
class Carried:
    """Bytes of a run, as each party would be told and answer, with what it knows by then.

    masked   answers leave as masked integers of 64 bits, which nothing makes smaller
    """

    masked: bool = False
    _told: dict[str, Known] = field(default_factory=dict, init=False)
    _sent: dict[str, Known] = field(default_factory=dict, init=False)
    _first: tuple[Known, Arrays, int, Known] | None = field(default=None, init=False)
    _up: int = field(default=0, init=False)
    _down: int = field(default=0, init=False)
    _beside: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1), init=False)
    _waiting: list[Future[None]] = field(default_factory=list, init=False)

    def tell(self, party: str, told: Arrays) -> None:
        """Count what a party is told, which nobody changes."""
        self._waiting.append(self._beside.submit(self._tell, party, told))

    def by(self, overhear: Overhear) -> Overhear:
        """One that overhears what `overhear` does, and counts the answer."""

        def heard(number: int, party: str, told: Arrays, release: Release[Arrays]) -> None:
            overhear(number, party, told, release)
            self._waiting.append(self._beside.submit(self._send, party, release.value))

        return heard

    def since_last(self) -> tuple[int, int]:
        """Bytes up and down since they were asked for last."""
        for counted in self._waiting:
            counted.result()
        found = self._up, self._down
        self._up = self._down = 0
        self._waiting.clear()
        return found

    def close(self) -> None:
        """Let the thread end."""
        self._beside.shutdown(cancel_futures=True)

    def _send(self, party: str, arrays: Arrays) -> None:
        if self.masked:
            self._up += MASKED_BYTES * sum(array.size for array in arrays.values())
            return
        known = self._sent.get(party, NOTHING)
        self._up += n_bytes(arrays, known)
        self._sent[party] = known.after(arrays)

    def _tell(self, party: str, told: Arrays) -> None:
        """What all are told alike is looked at once."""
        known = self._told.get(party, NOTHING)
        if self._first is None or self._first[0] is not known or not same(self._first[1], told):
            self._first = known, told, n_bytes(told, known), known.after(told)
        self._down += self._first[2]
        self._told[party] = self._first[3]
