"""The coordinator's side of the wire: rounds with a checkpoint after each, and nothing believed unchecked.

    every round:  (those of the agreement on words first, unless the list is public)
                  hello to every party that has come since  ->  those that accept the plan take part
                  tell each party, wait for the answers, check them, combine them in the order of names,
                  write a checkpoint

A party that refuses or sends nonsense is left out of that round and asked again in the next one. One that is
silent takes no part until it comes back, and is let in between two rounds (`waiting` says who is waited for
and how long). A round with fewer than `min_parties` answers is not combined: the run stops there, and goes on
from its checkpoint when the parties are back. Parties send again what they sent before, so a round that is
repeated with the same parties gives the same state, bit for bit.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from cryptography import x509
from numpy.typing import NDArray

from fedtopics.documents.text.words import word_digest
from fedtopics.errors import InputError
from fedtopics.files import side_by_side
from fedtopics.model import TopicModel
from fedtopics.model.merging import widened
from fedtopics.network import wire
from fedtopics.network.coordinator import greeting
from fedtopics.network.coordinator.answers import Asking, Channel
from fedtopics.network.coordinator.checkpoint import Checkpoint, WireRound
from fedtopics.network.coordinator.combining import believable, combine, combine_total, tell_all
from fedtopics.network.coordinator.lines import Lines
from fedtopics.network.coordinator.sums import SilentError, Sums, of_form, read_ready
from fedtopics.network.coordinator.waiting import Waiting
from fedtopics.network.expected import Expected, Learned, read, read_declared
from fedtopics.network.phases import logged
from fedtopics.network.plan.terms import Terms
from fedtopics.network.wire import WireError
from fedtopics.protocol.agreeing import WordRounds, told_number
from fedtopics.protocol.coding import Known
from fedtopics.protocol.engine import Rounds, size
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
    authority    that has signed the parties' certificates: needed for a secure sum
    waiting      how long parties are waited for
    signed       gives what each party has signed last of a run before, with its signature
    """

    terms: Terms
    run: str
    folder: Path
    channel: Channel
    log: Callable[[str], None]
    on_round: Callable[[WireRound], None] = lambda _: None
    authority: x509.Certificate | None = None
    waiting: Waiting = field(default_factory=Waiting)
    signed: Callable[[str], Arrays] = lambda party: {}
    begun: Callable[[], TopicModel | None] = lambda: None
    _seen: set[str] = field(default_factory=set, init=False)  # who has taken part
    _turned_away: set[str] = field(default_factory=set, init=False)  # for as long as they stay connected
    _learned: Learned = field(init=False)
    _asking: Asking = field(init=False)
    _lines: Lines = field(init=False)
    _sums: Sums | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._learned = Learned(self.terms.method)
        self._asking = Asking(self.terms, self.run, self.channel, self.log, self.waiting)
        bits = None if self.terms.summing is not None else self.terms.significant_bits
        self._lines = Lines(self._asking, bits, self.folder)
        if self.terms.summing is not None:
            if self.authority is None:
                raise InputError("a secure sum needs the authority of the parties' certificates, got none")
            asking, channel = self._asking.collect, self.channel
            known = (self.terms, self.run, self.folder, self.authority, asking)
            self._sums = Sums(*known, there=lambda: channel.parties)

    @property
    def present(self) -> tuple[str, ...]:
        """Who takes part."""
        return self._asking.present

    def train(self) -> Checkpoint:
        """The run after its last round."""
        known = Checkpoint.load(self.folder, self.run, self.terms.plan, self.log)
        now = known or Checkpoint(self.run, self.terms.plan, self.terms.first_round, words=self.terms.words)
        for name in sorted(set(self.terms.parties) - set(self.channel.parties)):
            self.log(f"party {name} is not connected")
        self._welcome(now)
        while now.next_round < self.terms.method.n_rounds + now.lost:
            before, now = now, self._step(now)
            told = [partial(self.on_round, line) for line in now.rounds[len(before.rounds) :]]
            side_by_side(partial(now.save, self.folder), *told)
            self._welcome(now)
        return now

    def deliver(
        self, words: tuple[str, ...], files: Mapping[str, bytes], late: Sequence[str] = ()
    ) -> set[str]:
        """Send the files of the finished run to every party, more than once if need be; who has them now.

        late   parties that are back, where the run was finished before
        """
        there = self._may_come(set(self.channel.parties) & set(self.terms.parties) - set(self.present))
        self._asking.present = tuple(sorted(late or {*self.present, *there}))
        body = wire.pack({name: np.frombuffer(content, np.uint8) for name, content in files.items()})
        last, kept = self.terms.method.n_rounds, set[str]()
        for _ in range(DELIVERIES):
            missing = dict.fromkeys(sorted(set(self.present) - kept), body)
            kept |= set(self._asking.ask("deliver", last, missing, word_digest(words)) if missing else ())
        return kept

    def score(
        self, words: tuple[str, ...], topics: NDArray[Any], read: Callable[[str, bytes], Arrays]
    ) -> dict[str, Arrays]:
        """What each party releases of how well the topics predict its held-out documents."""
        bodies = dict.fromkeys(self.present, wire.pack({"topics": topics}))
        return self._asking.collect("evaluate", self.terms.method.n_rounds, bodies, read, word_digest(words))

    def attest(self, read: Callable[[str, bytes], T]) -> dict[str, T]:
        """What each party states that this run has cost it, as far as `read` believes it."""
        bodies = dict.fromkeys(self.present, b"")
        return self._asking.collect("attest", self.terms.method.n_rounds, bodies, read)

    def _welcome(self, now: Checkpoint) -> None:
        """Let in those that have come since the last round, if they take part and know the words."""
        there = {name for name in self.terms.parties if name in self.channel.parties}
        self._turned_away &= there
        new = self._may_come(there - set(self.present) - self._turned_away)
        bodies = {name: greeting.shown(now.answered.get(name, []), self.signed(name)) for name in new}
        here = greeting.greeted(self._asking, bodies) if new else []
        if now.words is not None and here:
            here = greeting.told_words(self._asking, here, now.words)
        known = set(self.present)
        if self._sums is not None and here:
            met = set(self._sums.introduce(here, known))
            here, known = sorted(met & set(here)), known & met
        self._turned_away |= (set(new) - set(here)) | (set(self.present) - known)
        self._asking.present = tuple(sorted({*known, *here}))
        for name in sorted(set(here) & self._seen):
            self.log(f"party {name} is back and takes part again")
        self._seen |= set(here)
        self._require(self.present, "take part")

    def _may_come(self, names: Collection[str]) -> list[str]:
        """Those that have not kept the others waiting for too long, or all where they are needed."""
        patient = sorted(name for name in names if not self._asking.patience.is_over(name))
        enough = len(self.present) + len(patient) >= self.terms.min_parties
        return patient if enough else sorted(names)

    def _step(self, now: Checkpoint) -> Checkpoint:
        began, before = perf_counter(), self._asking.carried
        number = now.next_round
        try:
            after, sent = self._played(now)
        except SilentError as silent:
            return self._lost(now, silent)
        missing = tuple(sorted(set(self.terms.parties) - set(sent)))
        carried = self._asking.carried - before
        told = self.terms.method.measures(after.state) if number >= 0 else {}
        seconds = perf_counter() - began
        line = WireRound(number, seconds, carried["up"], carried["down"], told, carried["plain"], missing)
        answered = {name: [*now.answered.get(name, []), number] for name in sent}
        self.log(
            f"{logged(number)}: {len(sent)} of {len(self.terms.parties)} parties, {line.seconds:.2f} s"
            + (f", without {', '.join(missing)}" if missing else "")
        )
        rounds, answered = (*now.rounds, line), {**now.answered, **answered}
        return replace(after, next_round=number + 1, rounds=rounds, answered=answered)

    def _lost(self, now: Checkpoint, silent: SilentError) -> Checkpoint:
        """The run after a round whose sum cannot be opened; where the plan has none to lose it waits."""
        number = now.next_round
        if now.lost >= self.terms.n_repeats:
            raise TooFewPartiesError(
                f"round {number}: {silent} after it was ready, and others may have sent their parts; the run "
                "waits, and goes on when it is back (repeats in [secure_sum] lets a run lose rounds)"
            )
        self.log(f"round {number} is lost, and played again: {silent} after it was ready")
        state = self._begun(now)
        unsteady = tuple(sorted({*now.silent, *silent.parties}))
        return replace(now, state=state, next_round=number + 1, lost=now.lost + 1, silent=unsteady)

    def _rounds(self, now: Checkpoint) -> Rounds:
        """What is played in the next round, as the coordinator plays it."""
        number = now.next_round
        return self.terms.rounds_of(number) if number < 0 else self.terms.served(now.words or ())

    def _begun(self, now: Checkpoint) -> Arrays:
        """The state before a round."""
        words, number, rounds = now.words or (), now.next_round, self._rounds(now)
        if number not in (self.terms.first_round, 0):
            return now.state
        state, method = rounds.start(len(words), self.terms.turn("server")), self.terms.method
        if number < 0:
            return state
        model, known = self.begun(), method.known_words(words)
        return state | known | ({} if model is None else method.continued(widened(model, words)))

    def _played(self, now: Checkpoint) -> tuple[Checkpoint, Mapping[str, object]]:
        """One round, of the agreement on words or of the method: where the run stands now, who sent what."""
        words, number, rounds = now.words or (), now.next_round, self._rounds(now)
        if number == 0:
            for note in self.terms.method.notes(len(words)):
                self.log(note)
        state = self._begun(now)
        told = tell_all(rounds, state, self.present)
        n_bytes = sum(map(size, told.values()))

        def contribution(name: str, body: bytes, known: Known) -> Arrays:
            declared = rounds.may_be_sent(told[name], number)
            if declared is not None:
                found = read_declared(body, declared, known)
            else:
                wanted = self._wanted(name, told[name], now)
                try:
                    found = read(body, next(wanted), known)
                except WireError:
                    found = read(body, next(wanted), known)
            self._asking.count(plain=size(found))
            self._lines.took(name, body, found)
            return found if rounds.sums is None else {}  # else one message is held at a time

        digest = "" if now.words is None else word_digest(now.words)
        believed = believable(rounds, self.terms, len(words))
        if self._sums is not None and number >= 0:
            return self._summed(now, state, told, self._sums, believed)
        heard = self._lines.exchange(number, told, contribution, digest)
        self._require(heard, f"answered in {logged(number)}")
        self._asking.count(plain=n_bytes)
        kept = heard if rounds.sums is None else self._lines.sent(heard)
        after, useless = combine(rounds, state, kept, self.terms.turn("server", number), believed)
        for name in useless:
            self.log(f"what party {name} sent in {logged(number)} was refused: no round can be made of it")
        sent = {name: None for name in heard if name not in useless}
        self._require(sent, f"sent something useful in {logged(number)}")
        if isinstance(rounds, WordRounds) and number + 1 == rounds.n_rounds:
            return self._agreed(now, rounds.words(after)), sent
        return replace(now, state=after), sent

    def _summed(
        self,
        now: Checkpoint,
        state: Arrays,
        told: Mapping[str, Arrays],
        sums: Sums,
        believed: Callable[[Arrays], bool],
    ) -> tuple[Checkpoint, Mapping[str, object]]:
        """One round of the method by the total of its parties."""
        number, method, digest = now.next_round, self.terms.method, word_digest(now.words or ())
        ready = self._lines.exchange(number, told, read_ready, digest)
        self._require(ready, f"were ready in round {number}")

        def wanted(name: str) -> Iterator[Mapping[str, Expected]]:
            question = told.get(name, next(iter(told.values())))
            declared = method.may_be_sent(question, number)
            return self._wanted(name, question, now) if declared is None else iter([of_form(declared)])

        total = sums.total(number, sums.named(tuple(ready), now.silent), wanted, digest)
        self._asking.count(plain=sum(map(size, told.values())) + size(total.arrays) * len(total.parties))
        after = combine_total(method, state, total, self.terms.turn("server", number), believed)
        return replace(now, state=after), dict.fromkeys(total.parties)

    def _agreed(self, now: Checkpoint, words: tuple[str, ...]) -> Checkpoint:
        """The run with the words that the parties agreed on, and those parties that take them."""
        self.log(told_number(len(words)))
        self._asking.present = tuple(greeting.told_words(self._asking, self.present, words))
        self._require(self.present, "know the words")
        return replace(now, state={}, words=words)

    def _wanted(self, name: str, told: Arrays, now: Checkpoint) -> Iterator[Mapping[str, Expected]]:
        """What a party may send; some rounds are unlike the others, such as every tenth."""
        returning = max(now.answered.get(name, []), default=-1) >= 0
        for alike in (True, False):
            yield self._learned.of(name, told, now.words or (), now.next_round, returning, alike)

    def _require(self, parties: Mapping[str, object] | Sequence[str], what: str) -> None:
        if len(parties) < self.terms.min_parties:
            raise TooFewPartiesError(
                f"the plan needs {self.terms.min_parties} parties, got {len(parties)} that {what}; "
                "the run waits and goes on from its checkpoint when they are back"
            )
