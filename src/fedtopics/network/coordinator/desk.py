"""Where questions wait for parties and answers for the coordinator: a `Channel` without a network in it.

A party is there while a connection of it is open (a *visit*). It gets the question that waits for it, once in
each visit, and brings the answer in the same or a later one. An answer counts only while its question waits,
and only from the party that was asked.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Condition
from time import monotonic

from fedtopics.network.coordinator.answers import Silence

RETURN = 15.0  # seconds for which a party that is gone may come back to the question it was asked
MOST_BYTES = 2**31
MOST_LINES, MINUTE = 20, 60.0  # about the comings and goings of one party in a minute
LOOK = 0.5  # seconds between two looks at whether to go on
CONNECTED, COMPUTING, ANSWERED, MISSING = "connected", "computing", "answered", "missing"


class HungUpError(Exception):
    """Someone has ended the run while answers were waited for."""


@dataclass
class _Asked:
    number: str
    question: bytes
    visit: int = 0  # in which it was handed out
    answer: bytes | None = None


@dataclass
class Desk:
    """Questions and answers of one coordinator.

    say         is told who comes and goes, at most 20 times a minute of each party
    most_bytes  that an answer may have
    hang_up     is asked, while answers are waited for, whether to end the run
    """

    say: Callable[[str], None] = lambda line: None
    most_bytes: int = MOST_BYTES
    hang_up: Callable[[], bool] = lambda: False
    _change: Condition = field(default_factory=Condition, init=False)
    _n_visits: int = field(default=0, init=False)
    _visits: dict[str, int] = field(default_factory=dict, init=False)
    _left: dict[str, float] = field(default_factory=dict, init=False)
    _asked: dict[str, _Asked] = field(default_factory=dict, init=False)
    _told: dict[str, list[float]] = field(default_factory=dict, init=False)

    @property
    def parties(self) -> tuple[str, ...]:
        """Those that are there now."""
        with self._change:
            return tuple(sorted(self._visits))

    def standing(self) -> tuple[dict[str, str], bytes | None]:
        """How it stands with each party that is there or was asked, and a question that is waited for."""
        with self._change:
            known = sorted({*self._visits, *self._asked})
            question = next((asked.question for asked in self._asked.values()), None)
            return {party: self._stands(party) for party in known}, question

    def _stands(self, party: str) -> str:
        asked, visit = self._asked.get(party), self._visits.get(party)
        if asked is not None and asked.answer is not None:
            return ANSWERED
        if visit is None:
            return MISSING
        return CONNECTED if asked is None or asked.visit != visit else COMPUTING

    def arrive(self, party: str) -> int:
        """Begin a visit, in place of one that has not ended yet; its number."""
        with self._change:
            if party not in self._visits:
                self._tell(party, "is connected")
            self._n_visits += 1
            self._visits[party] = self._n_visits
            self._change.notify_all()
            return self._n_visits

    def leave(self, party: str, visit: int, *, for_good: bool = False) -> None:
        """End a visit; who has left for good is not waited for."""
        with self._change:
            if self._visits.get(party) == visit:
                del self._visits[party]
                self._left[party] = monotonic() - (RETURN if for_good else 0.0)
                self._tell(party, "is no longer connected")
                self._change.notify_all()

    def is_current(self, party: str, visit: int) -> bool:
        """Whether the party has not begun another visit since."""
        with self._change:
            return self._visits.get(party) == visit

    def awaits(self, party: str, number: str) -> bool:
        """Whether an answer of this party to this question is wanted."""
        with self._change:
            asked = self._asked.get(party)
            return asked is not None and asked.number == number and asked.answer is None

    def bring(self, party: str, number: str, answer: bytes) -> None:
        """Hand in an answer; one that nobody waits for is dropped."""
        with self._change:
            if self.awaits(party, number):
                self._asked[party].answer = answer
                self._change.notify_all()

    def fetch(self, party: str, visit: int, seconds: float) -> tuple[str, bytes] | None:
        """The number and text of a question that was not handed out in this visit; None where none comes."""
        with self._change:
            self._change.wait_for(
                lambda: self._for(party, visit) is not None or not self.is_current(party, visit), seconds
            )
            asked = self._for(party, visit)
            if asked is None or not self.is_current(party, visit):
                return None
            asked.visit = visit
            return asked.number, asked.question

    def ask(
        self, requests: Mapping[str, bytes], timeout: float, unwaited: frozenset[str] = frozenset()
    ) -> dict[str, bytes | Silence]:
        began, allowed = monotonic(), timeout
        with self._change:
            self._asked = {name: _Asked(os.urandom(16).hex(), data) for name, data in requests.items()}
            self._change.notify_all()
            try:
                while any(map(self._may_answer, requests)) and monotonic() - began < allowed:
                    if self.hang_up():
                        raise HungUpError
                    if allowed == timeout and not any(map(self._may_answer, set(requests) - unwaited)):
                        allowed = min(timeout, 2 * (monotonic() - began))
                    self._change.wait(min(LOOK, max(0.0, began + allowed - monotonic())))
                return {name: self._answer(name, allowed) for name in requests}
            finally:
                self._asked = {}

    def _tell(self, party: str, line: str) -> None:
        """Say what a party does, unless it does something else at every moment."""
        now = monotonic()
        self._told[party] = [at for at in self._told.get(party, []) if now - at < MINUTE] + [now]
        if len(self._told[party]) <= MOST_LINES:
            self.say(f"party {party} {line}")

    def _for(self, party: str, visit: int) -> _Asked | None:
        asked = self._asked.get(party)
        return None if asked is None or asked.visit == visit or asked.answer is not None else asked

    def _may_answer(self, party: str) -> bool:
        gone = party not in self._visits and monotonic() - self._left.get(party, -RETURN) >= RETURN
        return self._asked[party].answer is None and not gone

    def _answer(self, party: str, timeout: float) -> bytes | Silence:
        answer = self._asked[party].answer
        if answer is not None:
            return answer
        return Silence(
            f"no answer within {timeout:.4g} s" if party in self._visits else "the connection to it was lost"
        )
