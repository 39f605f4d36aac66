"""Questions out and answers in: how the coordinator reaches parties, and what it believes of them."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol, TypeVar

import numpy as np

from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.messages import Reply, Request
from fedtopics.network.plan.terms import Terms
from fedtopics.network.wire import ForgottenError

T = TypeVar("T")
FORGOTTEN = "it lacks what was said before"
REASONS = {
    ForgottenError.__name__: FORGOTTEN,
    "PlanNotAcceptedError": "it has not accepted this plan; let it review the plan and accept it",
    "AcceptanceError": "it has not accepted this plan; let it review the plan and accept it",
    "NotReadyError": "it is not ready to begin; its own log says why",
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
    """No answer from a party, and why, in a few words."""

    reason: str


class Channel(Protocol):
    """How the coordinator reaches parties."""

    @property
    def parties(self) -> tuple[str, ...]:
        """Those that can be asked."""

    def ask(
        self, requests: Mapping[str, bytes], timeout: float, unwaited: frozenset[str] = frozenset()
    ) -> dict[str, bytes | Silence]:
        """Ask all at once; the answer of each, or its silence, after `timeout` seconds at the latest.

        Those `unwaited` get no more than twice the time that all the others took.
        """


@dataclass
class Patience:
    """For whom a coordinator waits: a party may keep the others waiting in vain a few times.

    Of n questions, it may leave about log4(n) unanswered and is waited for all the same: the first two, one
    more of the first 8, of the first 32, and so on. In between it is asked like the others, and counts where
    it answers in about the time that they take. No answer forgives a silence, or every second round could be
    kept waiting.
    """

    _asked: Counter[str] = field(default_factory=Counter, init=False)
    _silences: Counter[str] = field(default_factory=Counter, init=False)

    def unwaited(self, present: Collection[str], min_parties: int) -> frozenset[str]:
        """Those whose next answer is not waited for; nobody, where too few would be left to go on."""
        late = {name for name in self._asked if self._asked[name] + 1 < 2 ** (2 * self._silences[name] - 1)}
        return frozenset(late) if len(set(present) - late) >= min_parties else frozenset()

    def note(self, answers: Mapping[str, bytes | Silence], unwaited: frozenset[str]) -> None:
        """Count what has come of a question to these parties."""
        self._asked.update(answers.keys())
        self._silences.update(
            name for name, answer in answers.items() if isinstance(answer, Silence) and name not in unwaited
        )


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
    present: tuple[str, ...] = field(default=(), init=False)  # who takes part
    forgetful: frozenset[str] = field(default=frozenset(), init=False)  # who lacked messages before the last
    carried: Counter[str] = field(default_factory=Counter, init=False)  # bytes up, down and plain
    _problems: dict[str, tuple[str, str]] = field(default_factory=dict, init=False)  # of the last question
    _patience: Patience = field(default_factory=Patience, init=False)

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
                self.log(f"what party {name} sent in round {number} was refused: {problem}")
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
        outgoing = {name: request.to_bytes() for name, request in requests.items()}
        self.count(down=sum(map(len, outgoing.values())))
        unwaited = self._patience.unwaited(self.present, self.terms.min_parties)
        unwaited = frozenset() if operation == "sum" else unwaited  # which nobody else can make up for
        answers = self.channel.ask(outgoing, self.terms.timeout_seconds, unwaited)
        self._patience.note(answers, unwaited)
        bodies, forgetful = {}, set[str]()
        for name in sorted(set(answers) & set(requests)):
            problem, body = opened(answers[name], requests[name], name)
            self.count(up=_size(answers[name]))
            if problem == FORGOTTEN:
                forgetful.add(name)
            elif problem:
                if self._problems.get(name) != (operation, problem):  # the same again interests nobody
                    self.log(f"party {name}: no {operation} of round {number}: {problem}")
                self._problems[name] = operation, problem
            else:
                self._problems.pop(name, None)
                bodies[name] = body
        self.forgetful = frozenset(forgetful)
        return bodies

    def count(self, **n_bytes: int) -> None:
        """Note that so many bytes went up or down, or would have gone in plain arrays."""
        self.carried = self.carried + Counter(n_bytes)
