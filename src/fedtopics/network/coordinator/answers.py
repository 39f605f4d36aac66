"""Questions out and answers in: how the coordinator reaches parties, and what it believes of them."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from types import MappingProxyType
from typing import Protocol, TypeVar

import numpy as np

from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator.waiting import Patience, Waiting
from fedtopics.network.messages import Outgoing, Reply, Request
from fedtopics.network.phases import logged
from fedtopics.network.plan.terms import Terms
from fedtopics.network.wire import ForgottenError

T = TypeVar("T")
FORGOTTEN = "it lacks what was said before"
REASONS = {
    ForgottenError.__name__: FORGOTTEN,
    "PlanNotAcceptedError": "it has not accepted this plan; let it review the plan and accept it",
    "AcceptanceError": "it has not accepted this plan; let it review the plan and accept it",
    "NotReadyError": "it is not ready to begin; its own log says why",
    "OtherVersionError": "it runs another version, or began this run with one; install the same",
    "RolledBackError": "its ledger lacks releases that it has made (put back from a copy?); its own log says",
    "PolicyError": "its policy does not allow this plan",
    "BudgetError": "its privacy budget does not allow this release",
    "StoreError": "it cannot read or write its own records (a full disk?); nothing was sent",
    "OtherVocabularyError": "it knows this run with other words",
    "OtherPlanError": "it knows this run under another plan; start a new run",
    "PeersError": "it does not take the keys of the other parties for theirs; its own log says which",
    "OtherSumError": "it is part of another sum of this round, or takes this one for too small",
    "RoundPassedError": "it has left this round behind without an answer",
    "ToldError": "it was told what the method never says; do both sides run the same version?",
    "InputError": "it found its input unfit; its own log says why",
    "PartyFailedError": "it failed while it worked on its documents; its own log says why",
}


@dataclass(frozen=True)
class Silence:
    """No answer from a party, why, in a few words, and the seconds it was waited for when all others had."""

    reason: str
    vain: float = 0.0


class Channel(Protocol):
    """How the coordinator reaches parties."""

    @property
    def parties(self) -> tuple[str, ...]:
        """Those that can be asked."""

    def ask(self, requests: Mapping[str, bytes], timeout: float) -> dict[str, bytes | Silence]:
        """Ask all at once; the answer of each, or its silence, after `timeout` seconds at the latest."""


def opened(answer: bytes | Silence, request: Request, party: str) -> tuple[str, bytes]:
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


def _size(answer: bytes | Silence) -> int:
    return 0 if isinstance(answer, Silence) else len(answer)


def clock(body: bytes) -> float:
    """The time at a party, infinite where it says none."""
    try:
        said = wire.unpack(body, limit=8).get("time")
    except InputError:
        return float("inf")
    if said is None or said.dtype != np.float64 or said.shape != ():
        return float("inf")
    return float(said)


@dataclass
class Asking:
    """The questions of one run, what is believed of their answers, and how many bytes they took."""

    terms: Terms
    run: str
    channel: Channel
    log: Callable[[str], None]
    waiting: Waiting = field(default_factory=Waiting)
    present: tuple[str, ...] = field(default=(), init=False)  # who takes part
    forgetful: frozenset[str] = field(default=frozenset(), init=False)  # who lacked messages before the last
    carried: Counter[str] = field(default_factory=Counter, init=False)  # bytes up, down and plain
    _problems: dict[str, tuple[str, str]] = field(default_factory=dict, init=False)  # of the last question
    patience: Patience = field(init=False)

    def __post_init__(self) -> None:
        self.patience = Patience(self.terms.timeout_seconds, self.waiting)

    def collect(
        self,
        operation: str,
        number: int,
        bodies: Mapping[str, bytes],
        read: Callable[[str, bytes], T],
        vocabulary: str = "",
        known: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, T]:
        """What each party released, checked, in the order of their names."""
        sent: dict[str, T] = {}
        for name, body in self.ask(operation, number, bodies, vocabulary, known).items():
            try:
                sent[name] = read(name, body)
            except Exception as error:  # its bytes end its part in the round, never the run
                is_ours = isinstance(error, InputError)
                problem = error if is_ours else f"reading it failed with {type(error).__name__}"
                self.log(f"what party {name} sent in {logged(number)} was refused: {problem}")
        return sent

    def ask(
        self,
        operation: str,
        number: int,
        bodies: Mapping[str, bytes],
        vocabulary: str = "",
        known: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, bytes]:
        """The answers that belong to these questions, in the order of the parties' names.

        known   digests of what is here of each party's messages before
        """
        about = (operation, self.run, number, self.terms.plan, vocabulary)
        requests = {
            name: Request(*about, known=known.get(name, ""), body=body) for name, body in bodies.items()
        }
        self.count(down=sum(len(part) for request in requests.values() for part in request.parts()))
        answers = self._answers(operation, number, Outgoing(requests))
        bodies, forgetful = {}, set[str]()
        for name in sorted(set(answers) & set(requests)):
            self.count(up=_size(answers[name]))
            problem, body = opened(answers.pop(name), requests[name], name)
            if problem == FORGOTTEN:
                forgetful.add(name)
            elif problem:
                if self._problems.get(name) != (operation, problem):  # the same again interests nobody
                    self.log(f"party {name}: no {operation} of {logged(number)}: {problem}")
                self._problems[name] = operation, problem
            else:
                self._problems.pop(name, None)
                bodies[name] = body
        self.forgetful = frozenset(forgetful)
        return bodies

    def _answers(
        self, operation: str, number: int, outgoing: Mapping[str, bytes]
    ) -> dict[str, bytes | Silence]:
        """What has come of a question; who is silent takes no part until it comes back."""
        kind = f"{operation} {number}" if number < 1 else operation  # the first rounds are like no other
        spare = operation != "sum" and len(self.present) > self.terms.min_parties
        timeout = self.patience.seconds(kind) if spare else self.terms.timeout_seconds
        began = monotonic()
        answers = self.channel.ask(outgoing, timeout)
        silent = {name: answer for name, answer in answers.items() if isinstance(answer, Silence)}
        vain = max((answer.vain for answer in silent.values()), default=0.0)
        if len(silent) < len(answers):
            self.patience.note(kind, monotonic() - began - vain)
        for name, answer in silent.items():
            self.patience.note_vain(name, answer.vain)
        self.present = tuple(name for name in self.present if name not in silent)
        return answers

    def count(self, **n_bytes: int) -> None:
        """Note that so many bytes went up or down, or would have gone in plain arrays."""
        self.carried = self.carried + Counter(n_bytes)
