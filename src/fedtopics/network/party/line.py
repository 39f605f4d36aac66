"""What a party and its coordinator have in common of a run's messages, by which the next are coded.

Only while this process lives: a party that was started again is told all, and sends all.
"""

from dataclasses import dataclass, field

from fedtopics.network import wire
from fedtopics.network.messages import Request
from fedtopics.protocol.coding import NOTHING, Known
from fedtopics.protocol.turn import Arrays


@dataclass
class PartyLine:
    """Both directions of one run, the newest that was asked about."""

    _run: str = field(default="", init=False)
    _told: Known = field(default=NOTHING, init=False)
    _sent: Known = field(default=NOTHING, init=False)

    def told(self, asked: Request, limit: int) -> Arrays:
        """The arrays of a question, of at most `limit` bytes."""
        self._turn_to(asked.run)
        arrays = wire.unpack(asked.body, limit=limit, known=self._told)
        before = self._told if wire.is_relative(asked.body) else NOTHING
        self._told = before.after(arrays)
        return arrays

    def shown(self, asked: Request, payload: bytes) -> bytes:
        """A stored answer as it is sent: in full, unless the coordinator has what it can be coded by."""
        self._turn_to(asked.run)
        before = self._sent if asked.known and asked.known == self._sent.digest else NOTHING
        arrays = wire.unpack(payload, limit=wire.MOST_ELEMENTS)
        self._sent = before.after(arrays)
        return wire.pack(arrays, known=before) if before.arrays else payload

    def _turn_to(self, run: str) -> None:
        if run != self._run:
            self._run, self._told, self._sent = run, NOTHING, NOTHING
