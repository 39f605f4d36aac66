"""A party's answers for as long as it takes part: run after run, from its own folder."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from threading import Lock

from fedtopics.deployment.party_folder import PartyFolder
from fedtopics.federation.messages import Reply, Request
from fedtopics.federation.party_side import PartySide

logger = logging.getLogger(__name__)


@dataclass
class PartyAnswers:
    """All that a coordinator can reach of a party: one function of bytes.

    What the party allows is looked up anew for every run, and whenever a coordinator says hello.
    """

    folder: PartyFolder
    name: str
    _side: PartySide | None = field(default=None, init=False)
    _of: tuple[str, str, str] = field(default=("", "", ""), init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def answer(self, data: bytes) -> bytes:
        """The answer to a question; never an exception, never a text of one."""
        asked = Request("", "", 0, "", nonce="")
        try:
            asked = Request.from_bytes(data)
            with self._lock:
                return self._current(asked).answer(data)
        except Exception as error:
            logger.warning("%.40s was not answered: %s", asked.operation, error)
            kind = type(error).__name__
            return Reply(self.name, asked.operation, asked.run, asked.round, asked.nonce, kind).to_bytes()

    def _current(self, asked: Request) -> PartySide:
        """The side of the run that is asked about, made anew where run, plan or policy is another."""
        if self._side is None or asked.run != self._of[0] or asked.operation == "hello":
            files = (self.folder.path / name for name in ("plan.toml", "policy.toml"))
            plan, policy = (path.read_text(encoding="utf-8") for path in files)
            if self._side is None or (asked.run, plan, policy) != self._of:
                self.close()
                self._side, self._of = self.folder.side(asked.run), (asked.run, plan, policy)
        return self._side

    def close(self) -> None:
        """Let go of the store."""
        if self._side is not None:
            self._side.store.close()
            self._side = None
