"""The coordinator's side of the wire: rounds with a checkpoint after each, and nothing believed unchecked.

    hello to every party that can be reached  ->  those that accept the plan take part
    agree on words, unless the list is public
    every round:  tell each party, wait for the answers, check them, combine them in the order of names,
                  write a checkpoint

A party that is silent, refuses or sends nonsense is left out of that round and asked again in the next one. A
round with fewer than `min_parties` answers is not combined: the run stops there, and goes on from its
checkpoint when the parties are back. Parties send again what they sent before, so a round that is repeated
with the same parties gives the same state, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, time
from typing import Protocol

import numpy as np

from fedtopics.errors import InputError
from fedtopics.federation import wire
from fedtopics.federation.checkpoint import Checkpoint, WireRound
from fedtopics.federation.expected import Expected, check, expected
from fedtopics.federation.messages import Reply, Request
from fedtopics.federation.party_side import CONFIRMATION, PROPOSAL, word_digest
from fedtopics.federation.protocol import Arrays
from fedtopics.federation.terms import Terms

MOST_SKEW = 300.0  # seconds between two clocks
MOST_WORDS_BYTES, MOST_BYTES = 2**28, 2**31
REASONS = {
    "PlanNotAccepted": "it has not accepted this plan; let it review the plan and accept it",
    "PolicyError": "its policy does not allow this plan",
    "BudgetError": "its privacy budget does not allow this release",
    "StoreError": "it cannot read or write its own records (a full disk?); nothing was charged or sent",
    "OtherVocabulary": "it knows this run with other words",
    "RoundPassed": "it has left this round behind without an answer",
    "InputError": "it found its input unfit; its own log says why",
    "MemoryError": "it ran out of memory",
}


class TooFewParties(InputError):
    """Fewer parties answered than the plan needs; the run waits at its checkpoint."""


class Interrupted(Exception):  # noqa: N818
    """Someone asked the run to stop between two rounds; it goes on from its checkpoint."""


@dataclass(frozen=True)
class Silence:
    """No answer from a party, and why, in a few words."""

    reason: str


class Channel(Protocol):
    """How the coordinator reaches parties."""

    @property
    def parties(self) -> tuple[str, ...]:
        """Those that can be asked."""

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        """Ask all at once; the answer of each, or its silence, after `timeout` seconds at the latest."""


@dataclass
class Coordinator:
    """One run of the coordinator, from its checkpoint to its end.

    log          takes a line for the operator, in plain words
    interrupted  is asked between two rounds whether to stop
    """

    terms: Terms
    run: str
    folder: Path
    channel: Channel
    log: Callable[[str], None]
    interrupted: Callable[[], bool] = lambda: False
    present: tuple[str, ...] = field(default=(), init=False)
    _known: dict[object, dict[str, Expected]] = field(default_factory=dict, init=False)
    _bytes: list[int] = field(default_factory=lambda: [0, 0, 0], init=False)  # up, down, plain

    def train(self) -> Checkpoint:
        """The run after its last round."""
        first = 0 if self.terms.agreement is None else PROPOSAL
        known = Checkpoint.load(self.folder, self.run, self.terms.plan)
        now = known or Checkpoint(self.run, self.terms.plan, first, words=self.terms.words)
        self._greet()
        if now.words is not None:
            self._send_words(now.words)
        while now.next_round < self.terms.method.n_rounds:
            if self.interrupted():
                raise Interrupted
            now = self._step(now)
            now.save(self.folder)
        return now

    def deliver(self, words: tuple[str, ...], arrays: Arrays) -> tuple[str, ...]:
        """Send the finished model to every party; those that have it now."""
        if not self.present:
            self._greet()
            self._send_words(words)
        body = wire.pack(arrays)
        last = self.terms.method.n_rounds
        sent = self._ask("deliver", last, dict.fromkeys(self.present, body), word_digest(words))
        return tuple(sent)

    def _greet(self) -> None:
        """Find out who takes part."""
        reached = [name for name in self.terms.parties if name in self.channel.parties]
        for name in sorted(set(self.terms.parties) - set(reached)):
            self.log(f"party {name} is not connected")
        answers = self._ask("hello", 0, dict.fromkeys(reached, wire.pack({"time": np.array(time())})))
        here = []
        for name, body in answers.items():
            ahead = _clock(body) - time()
            if abs(ahead) < MOST_SKEW:
                here.append(name)
            else:
                self.log(f"party {name} is left out: its clock differs by {ahead:.0f} s; set both clocks")
        self.present = tuple(here)
        self._require(here, "take part")

    def _send_words(self, words: tuple[str, ...]) -> None:
        body = wire.pack({"words": wire.from_words(words)})
        known = self._ask("vocabulary", 0, dict.fromkeys(self.present, body), word_digest(words))
        self.present = tuple(known)
        self._require(known, "know the words")

    def _step(self, now: Checkpoint) -> Checkpoint:
        began, self._bytes = perf_counter(), [0, 0, 0]
        number = now.next_round
        if number == PROPOSAL:
            after, sent = self._propose(now)
        elif number == CONFIRMATION:
            after, sent = self._confirm(now)
        else:
            after, sent = self._train_round(now)
        missing = tuple(sorted(set(self.terms.parties) - set(sent)))
        line = WireRound(number, perf_counter() - began, *self._bytes, missing)
        answered = {name: [*now.answered.get(name, []), number] for name in sent}
        self.log(
            f"round {number}: {len(sent)} of {len(self.terms.parties)} parties, {line.seconds:.2f} s"
            + (f", without {', '.join(missing)}" if missing else "")
        )
        return replace(
            after,
            next_round=number + 1,
            rounds=(*now.rounds, line),
            answered={**now.answered, **answered},
        )

    def _propose(self, now: Checkpoint) -> tuple[Checkpoint, Mapping[str, Arrays]]:
        sent = self._collect("propose", PROPOSAL, dict.fromkeys(self.present, b""), _proposal)
        self._require(sent, "proposed words")
        state = {f"{key}/{name}": array for name, held in sent.items() for key, array in held.items()}
        return replace(now, state=state), sent

    def _confirm(self, now: Checkpoint) -> tuple[Checkpoint, Mapping[str, Arrays]]:
        agreement = self.terms.agreement
        if agreement is None:
            raise InputError("the plan has a public word list: no words are confirmed")
        names = [key.removeprefix("words/") for key in now.state if key.startswith("words/")]
        proposed: dict[str, dict[str, float]] = {name: {} for name in self.terms.parties}
        for name in sorted(names):
            words = wire.to_words(now.state[f"words/{name}"])
            proposed[name] = dict(zip(words, now.state[f"votes/{name}"].tolist(), strict=True))
        candidates = agreement.candidates(proposed)
        body = wire.pack({"words": wire.from_words(candidates)})

        def votes(name: str, body: bytes) -> Arrays:
            return _votes(body, len(candidates))

        sent = self._collect("confirm", CONFIRMATION, dict.fromkeys(self.present, body), votes)
        self._require(sent, "confirmed words")
        chosen = agreement.choose(proposed, {name: held["votes"] for name, held in sent.items()})
        if not chosen:
            raise InputError(
                f"the parties agreed on no word at epsilon {agreement.epsilon:g}; "
                "raise it in the plan or give a public word list"
            )
        self.log(f"the parties agreed on {len(chosen)} words")
        self._send_words(chosen)
        return replace(now, state={}, words=chosen), sent

    def _train_round(self, now: Checkpoint) -> tuple[Checkpoint, Mapping[str, Arrays]]:
        words, number, method = now.words or (), now.next_round, self.terms.method
        state = method.start(len(words), self.terms.turn("server")) if number == 0 else now.state
        told = {name: method.broadcast(state, name) for name in self.present}

        def contribution(name: str, body: bytes) -> Arrays:
            arrays = wire.unpack(body, limit=MOST_BYTES)
            check(arrays, self._wanted(name, told[name], now))
            return arrays

        bodies = _packed(told, self.terms.significant_bits)
        sent = self._collect("contribute", number, bodies, contribution, word_digest(words))
        self._require(sent, f"answered in round {number}")
        self._bytes[2] = sum(map(_size, told.values())) + sum(map(_size, sent.values()))
        return replace(now, state=method.combine(state, sent, self.terms.turn("server", number))), sent

    def _wanted(self, name: str, told: Arrays, now: Checkpoint) -> dict[str, Expected]:
        """What a party may send; after two rounds, those in which it is told the same shapes are alike."""
        number, returning = now.next_round, max(now.answered.get(name, []), default=-1) >= 0
        kind = (name, returning, min(number, 2), *((key, array.shape) for key, array in told.items()))
        if kind not in self._known:
            self._known[kind] = expected(
                self.terms.method, name, told, now.words or (), number, returning=returning
            )
        return self._known[kind]

    def _collect(
        self,
        operation: str,
        number: int,
        bodies: Mapping[str, bytes],
        read: Callable[[str, bytes], Arrays],
        vocabulary: str = "",
    ) -> dict[str, Arrays]:
        """What each party released, checked, in the order of their names."""
        sent: dict[str, Arrays] = {}
        for name, body in self._ask(operation, number, bodies, vocabulary).items():
            try:
                sent[name] = read(name, body)
            except InputError as error:
                self.log(f"what party {name} sent in round {number} was refused: {error}")
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
        self._bytes[1] += sum(map(len, outgoing.values()))
        answers = self.channel.ask(outgoing, self.terms.timeout_seconds)
        bodies = {}
        for name in sorted(set(answers) & set(requests)):
            problem, body = _opened(answers[name], requests[name], name)
            if problem:
                self.log(f"party {name}: no {operation} of round {number}: {problem}")
            else:
                bodies[name] = body
                self._bytes[0] += len(answers[name])  # type: ignore[arg-type]
        return bodies

    def _require(self, parties: Mapping[str, object] | list[str], what: str) -> None:
        if len(parties) < self.terms.min_parties:
            raise TooFewParties(
                f"the plan needs {self.terms.min_parties} parties, got {len(parties)} that {what}; "
                "the run waits and goes on from its checkpoint when they are back"
            )


def _opened(answer: bytes | Silence, request: Request, party: str) -> tuple[str, bytes]:
    """What is wrong with an answer, in words (empty where nothing is), and its body."""
    if isinstance(answer, Silence):
        return answer.reason, b""
    try:
        reply = Reply.from_bytes(answer)
    except InputError as error:
        return f"refused, {error}", b""
    mismatch = reply.mismatch(request, party)
    if mismatch:
        return f"refused, {mismatch}", b""
    if reply.error:
        return REASONS.get(reply.error, f"it failed with {reply.error!r:.60}; its own log says why"), b""
    return "", reply.body


def _clock(body: bytes) -> float:
    try:
        return float(wire.unpack(body, limit=8)["time"])
    except (InputError, KeyError, TypeError):
        return float("inf")


def _proposal(name: str, body: bytes) -> Arrays:
    arrays = wire.unpack(body, limit=MOST_WORDS_BYTES)
    if set(arrays) != {"words", "votes"}:
        raise wire.WireError("expected words and votes, got other arrays")
    words = wire.to_words(arrays["words"])
    _check_votes(arrays["votes"], len(words))
    return arrays


def _votes(body: bytes, n_words: int) -> Arrays:
    arrays = wire.unpack(body, limit=8 * n_words)
    if set(arrays) != {"votes"}:
        raise wire.WireError("expected votes, got other arrays")
    _check_votes(arrays["votes"], n_words)
    return arrays


def _check_votes(votes: np.ndarray, n_words: int) -> None:
    if votes.dtype != np.float64 or votes.shape != (n_words,) or not np.isfinite(votes).all():
        raise wire.WireError(f"expected {n_words} finite votes, got {votes.dtype} of shape {votes.shape}")


def _packed(told: Mapping[str, Arrays], significant_bits: int | None) -> dict[str, bytes]:
    """What each party is told as bytes; what all are told alike is packed once."""
    bodies: dict[str, bytes] = {}
    first: tuple[Arrays, bytes] | None = None
    for name, arrays in told.items():
        if first is None or not _same(first[0], arrays):
            first = arrays, wire.pack(arrays, significant_bits=significant_bits)
        bodies[name] = first[1]
    return bodies


def _same(one: Arrays, other: Arrays) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def _size(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())
