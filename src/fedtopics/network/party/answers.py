"""A party's answers for as long as it takes part: run after run, from its own folder."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

from fedtopics.network.attestation import OPERATIONS
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party.folder import PartyFolder
from fedtopics.network.party.side import PartySide

logger = logging.getLogger(__name__)


@dataclass
class PartyAnswers:
    """All that a coordinator can reach of a party: one function of bytes.

    What the party allows is looked up anew for every run, whenever a coordinator says hello, and before every
    question that has a price.
    """

    folder: PartyFolder
    name: str
    _side: PartySide | None = field(default=None, init=False)
    _of: tuple[str, tuple[bytes, ...]] = field(default=("", ()), init=False)
    _unpaid: bool = field(default=False, init=False)  # for as long as this process lives
    _lock: Lock = field(default_factory=Lock, init=False)

    def answer(self, data: bytes, begin: Callable[[Request], None] = lambda _: None) -> bytes:
        """The answer to a question, of which `begin` is told; never an exception, never a text of one."""
        asked = Request("", "", 0, "", nonce="")
        try:
            asked = Request.from_bytes(data)
            begin(asked)
            with self._lock:
                return self._current(asked).answer(asked)
        except Exception as error:
            logger.warning("%.40s was not answered: %s", asked.operation, error)
            kind = type(error).__name__
            return Reply(self.name, asked.operation, asked.run, asked.round, asked.nonce, kind).to_bytes()

    def _current(self, asked: Request) -> PartySide:
        """The side of the run that is asked about, made anew where it or what is allowed is another."""
        if self._side is None or asked.run != self._of[0] or asked.operation in ("hello", *OPERATIONS):
            now = asked.run, self.folder.allowed()
            if self._side is None or now != self._of:
                self.close()
                self._side, self._of = self.folder.side(asked.run), now
                self._side.unpaid = self._unpaid
        return self._side

    @property
    def unpaid(self) -> bool:
        """Whether a price could not be written: only this process knows."""
        return self._unpaid or (self._side is not None and self._side.unpaid)

    def close(self) -> None:
        if self._side is not None:
            self._unpaid = self._side.unpaid
            if self._side.elsewhere is not None:
                self._side.elsewhere.workers.close()
            self._side.store.close()
            self._side = None
