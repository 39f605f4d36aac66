"""The coordinator's side of the wire: rounds with a checkpoint after each, and nothing believed unchecked.

    every round:  (those of the agreement on words first, unless the list is public)
                  hello to every party that has come since  ->  those that accept the plan take part
                  tell each party, wait for the answers, check them, combine them in the order of names,
                  write a checkpoint

A party that is silent, refuses or sends nonsense is left out of that round and asked again in the next one. A
round with fewer than `min_parties` answers is not combined: the run stops there, and goes on from its
checkpoint when the parties are back. Parties send again what they sent before, so a round that is repeated
with the same parties gives the same state, bit for bit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, time
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.words import word_array, word_digest
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator.answers import Channel, Patience, clock, opened, packed
from fedtopics.network.coordinator.checkpoint import Checkpoint, WireRound
from fedtopics.network.coordinator.combining import believable, combine
from fedtopics.network.expected import Expected, expected, read, read_declared
from fedtopics.network.messages import Request
from fedtopics.network.plan.readiness import check_clock
from fedtopics.network.plan.terms import Terms
from fedtopics.network.wire import WireError
from fedtopics.protocol.agreeing import WordRounds
from fedtopics.protocol.engine import size
from fedtopics.protocol.turn import Arrays

DELIVERIES = 3  # attempts
T = TypeVar("T")


class TooFewPartiesError(InputError):
    """Fewer parties answered than the plan needs; the run waits at its checkpoint."""


@dataclass
class Coordinator:
    """One run of the coordinator, from its checkpoint to its end.

    log          takes a line for the operator, in plain words
    on_round     is told of every round that was combined
    """

    terms: Terms
    run: str
    folder: Path
    channel: Channel
    log: Callable[[str], None]
    on_round: Callable[[WireRound], None] = lambda _: None
    present: tuple[str, ...] = field(default=(), init=False)
    _turned_away: set[str] = field(default_factory=set, init=False)  # for as long as they stay connected
    _problems: dict[str, tuple[str, str]] = field(default_factory=dict, init=False)  # of the last question
    _known: dict[object, Mapping[str, Expected]] = field(default_factory=dict, init=False)
    _patience: Patience = field(default_factory=Patience, init=False)
    _bytes: tuple[int, int, int] = field(default=(0, 0, 0), init=False)  # up, down, plain

    def train(self) -> Checkpoint:
        """The run after its last round."""
        known = Checkpoint.load(self.folder, self.run, self.terms.plan)
        now = known or Checkpoint(self.run, self.terms.plan, self.terms.first_round, words=self.terms.words)
        for name in sorted(set(self.terms.parties) - set(self.channel.parties)):
            self.log(f"party {name} is not connected")
        self._welcome(now.words)
        while now.next_round < self.terms.method.n_rounds:
            now = self._step(now)
            now.save(self.folder)
            self._welcome(now.words)
        return now

    def deliver(self, words: tuple[str, ...], files: Mapping[str, bytes]) -> set[str]:
        """Send the files of the finished run to every party, more than once if need be; who has them now."""
        body = wire.pack({name: np.frombuffer(content, np.uint8) for name, content in files.items()})
        last, kept = self.terms.method.n_rounds, set[str]()
        for _ in range(DELIVERIES):
            missing = dict.fromkeys(sorted(set(self.present) - kept), body)
            kept |= set(self._ask("deliver", last, missing, word_digest(words)) if missing else ())
        return kept

    def score(
        self, words: tuple[str, ...], topics: NDArray[Any], read: Callable[[str, bytes], Arrays]
    ) -> dict[str, Arrays]:
        """What each party releases of how well the topics predict its held-out documents."""
        bodies = dict.fromkeys(self.present, wire.pack({"topics": topics}))
        return self._collect("evaluate", self.terms.method.n_rounds, bodies, read, word_digest(words))

    def attest(self, read: Callable[[str, bytes], T]) -> dict[str, T]:
        """What each party states that this run has cost it, as far as `read` believes it."""
        bodies = dict.fromkeys(self.present, b"")
        return self._collect("attest", self.terms.method.n_rounds, bodies, read)

    def _welcome(self, words: tuple[str, ...] | None) -> None:
        """Let in those that have come since the last round, if they take part and know the words."""
        there = {name for name in self.terms.parties if name in self.channel.parties}
        self._turned_away &= there
        new = sorted(there - set(self.present) - self._turned_away)
        here = self._greeted(new) if new else []
        if words is not None and here:
            here = self._told_words(here, words)
        self._turned_away |= set(new) - set(here)
        self.present = tuple(sorted({*self.present, *here}))
        self._require(self.present, "take part")

    def _greeted(self, names: list[str]) -> list[str]:
        """Those that have accepted the plan, by clocks that agree with ours."""
        answers = self._ask("hello", 0, dict.fromkeys(names, wire.pack({"time": np.array(time())})))
        here = []
        for name, body in answers.items():
            try:
                check_clock(clock(body), time(), f"party {name}")
                here.append(name)
            except InputError as error:
                self.log(f"party {name} is left out: {error}")
        return here

    def _told_words(self, names: Sequence[str], words: tuple[str, ...]) -> list[str]:
        """Those that take these as the words of the run."""
        body = wire.pack({"words": word_array(words)})
        return list(self._ask("vocabulary", 0, dict.fromkeys(names, body), word_digest(words)))

    def _step(self, now: Checkpoint) -> Checkpoint:
        began, self._bytes = perf_counter(), (0, 0, 0)
        number = now.next_round
        after, sent = self._played(now)
        missing = tuple(sorted(set(self.terms.parties) - set(sent)))
        up, down, plain = self._bytes
        told = self.terms.method.measures(after.state) if number >= 0 else {}
        line = WireRound(number, perf_counter() - began, up, down, told, plain, missing)
        answered = {name: [*now.answered.get(name, []), number] for name in sent}
        self.log(
            f"round {number}: {len(sent)} of {len(self.terms.parties)} parties, {line.seconds:.2f} s"
            + (f", without {', '.join(missing)}" if missing else "")
        )
        self.on_round(line)
        rounds, answered = (*now.rounds, line), {**now.answered, **answered}
        return replace(after, next_round=number + 1, rounds=rounds, answered=answered)

    def _played(self, now: Checkpoint) -> tuple[Checkpoint, Mapping[str, Arrays]]:
        """One round, of the agreement on words or of the method: where the run stands now, who sent what."""
        words, number, rounds = now.words or (), now.next_round, self.terms.rounds_of(now.next_round)
        if number == 0:
            for note in self.terms.method.notes(len(words)):
                self.log(note)
        begins = number in (self.terms.first_round, 0)
        state = rounds.start(len(words), self.terms.turn("server")) if begins else now.state
        if number == 0:
            state = state | self.terms.method.known_words(words)
        told = {name: rounds.tell(state, name) for name in self.present}

        def contribution(name: str, body: bytes) -> Arrays:
            declared = rounds.may_be_sent(told[name], number)
            if declared is not None:
                return read_declared(body, declared)
            try:
                return read(body, self._wanted(name, told[name], now))
            except WireError:  # some rounds are unlike the others, such as every tenth
                return read(body, self._wanted(name, told[name], now, alike=False))

        bodies = packed(told, self.terms.significant_bits)
        digest = "" if now.words is None else word_digest(now.words)
        sent = self._collect("contribute", number, bodies, contribution, digest)
        self._require(sent, f"answered in round {number}")
        self._count(plain=sum(map(size, told.values())) + sum(map(size, sent.values())))
        believed = believable(rounds, self.terms, len(words))
        after, useless = combine(rounds, state, sent, self.terms.turn("server", number), believed)
        for name in useless:
            self.log(f"what party {name} sent in round {number} was refused: no round can be made of it")
            del sent[name]
        self._require(sent, f"sent something useful in round {number}")
        if isinstance(rounds, WordRounds) and number + 1 == rounds.n_rounds:
            return self._agreed(now, rounds.words(after)), sent
        return replace(now, state=after), sent

    def _agreed(self, now: Checkpoint, words: tuple[str, ...]) -> Checkpoint:
        """The run with the words that the parties agreed on, and those parties that take them."""
        self.log(f"the parties agreed on {len(words)} words")
        self.present = tuple(self._told_words(self.present, words))
        self._require(self.present, "know the words")
        return replace(now, state={}, words=words)

    def _wanted(
        self, name: str, told: Arrays, now: Checkpoint, *, alike: bool = True
    ) -> Mapping[str, Expected]:
        """What a party may send; after two rounds, those in which it is told the same shapes are `alike`."""
        number, returning = now.next_round, max(now.answered.get(name, []), default=-1) >= 0
        which = min(number, 2) if alike else number
        kind = (name, returning, which, *((key, array.shape) for key, array in told.items()))
        if kind not in self._known:
            words = now.words or ()
            self._known[kind] = expected(self.terms.method, name, told, words, number, returning=returning)
        return self._known[kind]

    def _collect(
        self,
        operation: str,
        number: int,
        bodies: Mapping[str, bytes],
        read: Callable[[str, bytes], T],
        vocabulary: str = "",
    ) -> dict[str, T]:
        """What each party released, checked, in the order of their names."""
        sent: dict[str, T] = {}
        for name, body in self._ask(operation, number, bodies, vocabulary).items():
            try:
                sent[name] = read(name, body)
            except Exception as error:  # its bytes end its part in the round, never the run
                known = isinstance(error, InputError)
                problem = error if known else f"reading it failed with {type(error).__name__}"
                self.log(f"what party {name} sent in round {number} was refused: {problem}")
        return sent

    def _ask(
        self, operation: str, number: int, bodies: Mapping[str, bytes], vocabulary: str = ""
    ) -> dict[str, bytes]:
        """The answers that belong to these questions, in the order of the parties' names."""
        requests = {
            name: Request(operation, self.run, number, self.terms.plan, vocabulary, body=body)
            for name, body in bodies.items()
        }
        outgoing = {name: request.to_bytes() for name, request in requests.items()}
        self._count(down=sum(map(len, outgoing.values())))
        unwaited = self._patience.unwaited(self.present, self.terms.min_parties)
        answers = self.channel.ask(outgoing, self.terms.timeout_seconds, unwaited)
        self._patience.note(answers, unwaited)
        bodies = {}
        for name in sorted(set(answers) & set(requests)):
            problem, body = opened(answers[name], requests[name], name)
            if problem:
                if self._problems.get(name) != (operation, problem):  # the same again interests nobody
                    self.log(f"party {name}: no {operation} of round {number}: {problem}")
                self._problems[name] = operation, problem
            else:
                self._problems.pop(name, None)
                bodies[name] = body
                self._count(up=len(body))
        return bodies

    def _count(self, up: int = 0, down: int = 0, plain: int = 0) -> None:
        self._bytes = (self._bytes[0] + up, self._bytes[1] + down, self._bytes[2] + plain)

    def _require(self, parties: Mapping[str, object] | Sequence[str], what: str) -> None:
        if len(parties) < self.terms.min_parties:
            raise TooFewPartiesError(
                f"the plan needs {self.terms.min_parties} parties, got {len(parties)} that {what}; "
                "the run waits and goes on from its checkpoint when they are back"
            )
