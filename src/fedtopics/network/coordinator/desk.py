"""Where questions wait for parties and answers for the coordinator: a `Channel` without a network in it.

A party is there while a connection of it is open (a *visit*). It gets the question that waits for it, once in
each visit, and brings the answer in the same or a later one. An answer counts only while its question waits,
and only from the party that was asked.

Whatever a party says is a sign of life, and while it works it gives one every two seconds. One that gives
none for `silence` seconds is not waited for: it has lost its connection, its process stands still or its
machine is gone. It can be asked again when it comes for the next question.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from threading import Condition
from time import monotonic

from fedtopics.network.coordinator.answers import Silence
from fedtopics.network.coordinator.waiting import SILENCE
from fedtopics.network.messages import Outgoing

MOST_BYTES = 2**31
MOST_LINES, MINUTE = 20, 60.0  # about the comings and goings of one party in a minute
LOOK = 0.5  # seconds between two looks at whether to go on
CONNECTED, COMPUTING, ANSWERED, MISSING = "connected", "computing", "answered", "missing"


class HungUpError(Exception):
    """Someone has ended the run while answers were waited for."""


@dataclass
class _Asked:
    number: str
    question: tuple[bytes, ...]  # in parts, which several may share
    visit: int = 0  # in which it was handed out
    answer: bytes | None = None


@dataclass
class _Known:
    """What the desk knows of a party."""

    visit: int = 0  # 0: it is not connected
    seen: float = -inf  # its last sign of life
    beats: bool = False  # whether it gives signs of life while it works
    works: bool = False  # whether it has been handed a question, and has not come for another
    fetches: bool = False  # whether it waits for a question now


@dataclass
class Desk:
    """Questions and answers of one coordinator.

    say         is told who comes and goes, at most 20 times a minute of each party
    most_bytes  that an answer may have
    hang_up     is asked, while answers are waited for, whether to end the run
    silence     seconds without a sign of life for which a party is waited for
    """

    say: Callable[[str], None] = lambda line: None
    most_bytes: int = MOST_BYTES
    hang_up: Callable[[], bool] = lambda: False
    silence: float = SILENCE
    _change: Condition = field(default_factory=Condition, init=False)
    _n_visits: int = field(default=0, init=False)
    _known: dict[str, _Known] = field(default_factory=dict, init=False)
    _asked: dict[str, _Asked] = field(default_factory=dict, init=False)
    _told: dict[str, list[float]] = field(default_factory=dict, init=False)

    @property
    def parties(self) -> tuple[str, ...]:
        """Those that can be asked now: they are connected, alive, and not at work on an old question."""
        now = monotonic()
        with self._change:
            alive = {
                name
                for name, known in self._known.items()
                if known.visit and not known.works and (known.fetches or now - known.seen < self.silence)
            }
            return tuple(sorted(alive))

    def standing(self) -> tuple[dict[str, str], tuple[bytes, ...] | None]:
        """How it stands with each party that is there or was asked, and a question that is waited for."""
        with self._change:
            there = {name for name, known in self._known.items() if known.visit}
            question = next((asked.question for asked in self._asked.values()), None)
            return {party: self._stands(party) for party in sorted({*there, *self._asked})}, question

    def _stands(self, party: str) -> str:
        asked, known = self._asked.get(party), self._known.get(party, _Known())
        if asked is not None and asked.answer is not None:
            return ANSWERED
        if not known.visit or not (known.fetches or monotonic() - known.seen < self.silence):
            return MISSING
        return COMPUTING if known.works else CONNECTED

    @property
    def connected(self) -> tuple[str, ...]:
        """Those that have an open connection, whatever they do."""
        with self._change:
            return tuple(sorted(name for name, known in self._known.items() if known.visit))

    def arrive(self, party: str) -> int:
        """Begin a visit, in place of one that has not ended yet; its number."""
        with self._change:
            known = self._known.setdefault(party, _Known())
            if not known.visit:
                self._tell(party, "is connected")
            self._n_visits += 1
            known.visit, known.seen, known.works = self._n_visits, monotonic(), False
            self._change.notify_all()
            return self._n_visits

    def leave(self, party: str, visit: int, *, for_good: bool = False) -> None:
        """End a visit; who has left for good is not waited for."""
        with self._change:
            if self.is_current(party, visit):
                known = self._known[party]
                known.visit, known.seen = 0, -inf if for_good else monotonic()
                self._tell(party, "is no longer connected")
                self._change.notify_all()

    def is_current(self, party: str, visit: int) -> bool:
        """Whether the party has not begun another visit since."""
        with self._change:
            return party in self._known and self._known[party].visit == visit

    def sign(self, party: str, *, works: bool = False, beats: bool = False) -> None:
        """Note a sign of life; whether the party `works` on a question, and `beats` while it does."""
        with self._change:
            known = self._known.setdefault(party, _Known())
            known.seen, known.works, known.beats = monotonic(), known.works or works, known.beats or beats

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
                self._known.setdefault(party, _Known()).works = False
                self._change.notify_all()

    def fetch(self, party: str, visit: int, seconds: float) -> tuple[str, tuple[bytes, ...]] | None:
        """The number and the parts of a question not handed out in this visit yet; None where none comes."""
        with self._change:
            known = self._known.setdefault(party, _Known())
            known.seen, known.works, known.fetches = monotonic(), False, True
            try:
                self._change.wait_for(
                    lambda: self._for(party, visit) is not None or not self.is_current(party, visit), seconds
                )
            finally:
                known.seen, known.fetches = monotonic(), False
            asked = self._for(party, visit)
            if asked is None or not self.is_current(party, visit):
                return None
            asked.visit, known.works = visit, True
            return asked.number, asked.question

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        began = answered = monotonic()
        with self._change:
            parts = requests.parts if isinstance(requests, Outgoing) else lambda name: (requests[name],)
            self._asked = {name: _Asked(os.urandom(16).hex(), parts(name)) for name in requests}
            self._change.notify_all()
            n_answers = 0
            try:
                while any(map(self._may_answer, requests)) and monotonic() - began < timeout:
                    if self.hang_up():
                        raise HungUpError
                    self._change.wait(min(LOOK, max(0.0, began + timeout - monotonic())))
                    if n_answers < self._n_answers():
                        n_answers, answered = self._n_answers(), monotonic()
                vain = monotonic() - answered
                return {name: self._answer(name, timeout, vain) for name in requests}
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

    def _n_answers(self) -> int:
        return sum(asked.answer is not None for asked in self._asked.values())

    def _may_answer(self, party: str) -> bool:
        return self._asked[party].answer is None and not self._is_gone(party)

    def _is_gone(self, party: str) -> bool:
        """Whether the party gives no sign of life, though it should."""
        known, asked = self._known.get(party, _Known()), self._asked[party]
        if known.fetches or monotonic() - known.seen < self.silence:
            return False
        may_work = known.visit != 0 and asked.visit == known.visit and not known.beats
        return not may_work  # one that never gives signs while it works has the whole time

    def _answer(self, party: str, timeout: float, vain: float) -> bytes | Silence:
        answer = self._asked[party].answer
        if answer is not None:
            return answer
        if not self._known.get(party, _Known()).visit:
            return Silence("the connection to it was lost", vain)
        if self._is_gone(party):
            return Silence(f"no sign of life for {self.silence:.4g} s", vain)
        return Silence(f"no answer within {timeout:.4g} s", vain)
