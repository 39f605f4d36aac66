"""A party's side of the wire: it answers the coordinator's questions, and decides itself what leaves.

    hello        has this plan been accepted, and is all in the ledger that is shown of it?  -> the time here
    contribute   [round t]  what is sent in this round: first words and votes, where words are agreed on
                 (`protocol.agreeing`), then what the method sends  -> a release
    vocabulary   the words of this run, one list for the whole of it
    key, peers   this party's key of the run, and those of the others    (where the plan has a secure sum:
    sum          [round t]  this party's part of a sum over parties       what is released leaves masked)
    evaluate     [the last] how well these topics predict documents -> a release
    attest       [the last] what this run has cost, as the ledger here says, signed here
    deliver      the finished model, to be kept here;  renew   this party's certificate, made anew

A question that was answered before gets the stored answer again, whatever it now says: a retry spends
nothing. Any other is checked first, without documents, and an error leaves as the name of its type. From
`_begin` on, which alone opens the documents, every failure leaves under one name, since it may depend on
them: its text stays here. Where a release was being made its price is charged and the run is left, so that
nobody sees for free how often fresh noise fails.
"""

import logging
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from threading import Lock
from time import perf_counter

from cryptography import x509

from fedtopics.cluster.party import OnCluster
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import one_line
from fedtopics.documents.text.words import words_of
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network import attestation, wire
from fedtopics.network.messages import Reply, Request
from fedtopics.network.party import earlier_runs, witness
from fedtopics.network.party.delivery import Delivery
from fedtopics.network.party.line import PartyLine
from fedtopics.network.party.runs import (
    PartyFailedError,
    PartyRuns,
    PlanNotAcceptedError,
    RoundPassedError,
    never_empty,
)
from fedtopics.network.party.store import PartyStore
from fedtopics.network.party.sums import Identity, PartySums
from fedtopics.network.party.words import PartyWords, told_words
from fedtopics.network.phases import logged
from fedtopics.network.plan.policy import REFUSE
from fedtopics.network.plan.terms import Terms
from fedtopics.network.private_scores import Score
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.budget import BudgetError
from fedtopics.privacy.price.cost import FREE, Cost
from fedtopics.privacy.price.release import Release
from fedtopics.protocol import told
from fedtopics.protocol.agreeing import CONFIRMATION
from fedtopics.protocol.told import Form, Numbers
from fedtopics.protocol.turn import Arrays, Party

RESULT_BYTES, MODEL_FACTOR = 2**26, 4  # of a result: beside the numbers of its model, and times these
RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")
logger = logging.getLogger(__name__)


@dataclass
class PartySide:
    """One party's answers; `read` gives its documents with all their words, `keep` stores a finished run."""

    name: str
    terms: Terms
    store: PartyStore
    read: Callable[[], Corpus]
    keep: Callable[[str, Delivery], None]
    log: str = "details"  # or "rounds", "nothing": what this party's own log may hold
    score: Score | None = None  # of topics on held-out documents, where the plan has private scores
    sign: attestation.Sign | None = None  # with this party's key
    files: Collection[str] | None = None  # what a finished run is delivered as
    is_kept: Callable[[str], bool] = lambda run: False  # whether a finished run is stored
    identity: Identity | None = None  # before other parties, where the plan has a secure sum
    elsewhere: OnCluster | None = None  # who answers in rounds of training, if not this process
    changed: str = REFUSE  # what becomes of a run whose documents are others than in its first round
    certificate: x509.Certificate | None = None  # this party's own
    renew: Callable[[bytes], None] = lambda certificate: None  # takes a new one
    unpaid: bool = False  # whether a price could not be written: then no other is agreed to
    _documents: Corpus | None = field(default=None, init=False)
    _words: PartyWords = field(init=False)
    _parties: dict[str, Party] = field(default_factory=dict, init=False)
    _runs: PartyRuns = field(init=False)
    _line: PartyLine = field(default_factory=PartyLine, init=False)
    _due: Cost | None = field(default=None, init=False)  # of the answer under way, once documents are open
    _lock: Lock = field(default_factory=Lock, init=False)

    def __post_init__(self) -> None:
        self._words = PartyWords(self.terms, self.store)
        self._runs = PartyRuns(self.store, self.is_kept)
        known = self.identity
        self._sums = None if known is None else PartySums(self.name, self.terms, self.store, known)

    def answer(self, asked: Request) -> bytes:
        """The answer to a question in bytes; never an exception."""
        body, error, began = b"", "", perf_counter()
        try:
            with self._lock:
                self._due = None
                body = self._answer(asked)
            self._note(asked, f"{len(body)} bytes in {perf_counter() - began:.2f} s")
        except Exception as problem:
            error = type(problem).__name__ if isinstance(problem, InputError) else PartyFailedError.__name__
            self._note(asked, f"not answered: {problem if self.log == 'details' else error}")
        return Reply(self.name, asked.operation, asked.run, asked.round, asked.nonce, error, body).to_bytes()

    def _answer(self, asked: Request) -> bytes:
        if asked.plan != self.terms.plan:
            raise PlanNotAcceptedError(
                f"the coordinator runs plan {asked.plan:.12}, got acceptance of {self.terms.plan:.12} alone; "
                "review the new plan and accept it"
            )
        answers: dict[str, Callable[[Request], bytes]] = {
            "hello": lambda asked: witness.greeted(asked, self.store, self.certificate),
            "vocabulary": self._vocabulary,
            "contribute": self._contribute,
            "key": lambda asked: self._in_sums(asked.run).key(asked),
            "peers": lambda asked: self._in_sums(asked.run).peers(asked),
            "sum": self._sum,
            "evaluate": self._evaluate,
            "attest": self._attest,
            "deliver": self._deliver,
            "renew": lambda asked: witness.renewed(asked, self.renew),
        }
        if not RUN.fullmatch(asked.run):
            raise InputError(f"expected the name of a run, got {asked.run!r:.40}")
        if asked.operation not in answers:
            raise InputError(f"expected one of {', '.join(answers)}, got {asked.operation!r:.40}")
        self._runs.check_plan(asked.run, self.terms.plan)
        known = self.store.stored(asked.run, asked.round, asked.operation)
        if known is not None:
            return self._shown(asked, known)
        try:
            return answers[asked.operation](asked)
        except Exception as problem:
            if self._due is None or isinstance(problem, BudgetError):  # decided by public facts alone
                raise
            if self._due != FREE and not self._runs.leave(asked.run, asked.round, self._due):
                self.unpaid = True  # the disk takes no charge: nothing is released any more
            raise PartyFailedError(f"{type(problem).__name__}: {problem}") from problem

    def _note(self, asked: Request, line: str) -> None:
        """Put a line into this party's own log, as far as its policy allows."""
        if self.log != "nothing":
            logger.info("%s of %s: %s", one_line(asked.operation), logged(asked.round), one_line(line))

    def _vocabulary(self, asked: Request) -> bytes:
        """Take the words of the run; a second list for the same run could undo the noise, and is refused."""
        self._words.take(asked.run, told_words(asked.body), asked.vocabulary)
        return wire.pack({})

    def _contribute(self, asked: Request) -> bytes:
        """What leaves in a round of training, or before it of the agreement on words."""
        rounds, so_far = self.terms.rounds_of(asked.round), self._runs.progress(asked.run)
        words = self._words.of(asked.run, asked.vocabulary) if asked.round >= 0 else None
        n_rounds = rounds.n_rounds + (0 if words is None else self.terms.n_repeats)
        if not so_far.newest < asked.round < n_rounds:
            raise RoundPassedError(f"expected a round after {so_far.newest} of {n_rounds}, got {asked.round}")
        if self._is_hidden(asked):
            self._in_sums()  # without a key nothing is made
        arrays = self._told(asked, rounds.may_be_told(len(words or ()), self.name))
        prices = rounds.prices(0) if words is None else self.terms.prices(len(words))
        due = None if words is None else self.terms.method.price_of(arrays)
        if due is not None:
            so_far.require(due, rounds.prices(len(words or ())), self.terms.n_repeats)
        price = so_far.price(asked.round, prices) if due is None else due
        answer = rounds.contribute
        if self.elsewhere is not None and words is not None:
            self.elsewhere.require()
            answer = self.elsewhere.contribute
        self._begin(asked, price if words is None else self.terms.priced(price))
        if asked.round == CONFIRMATION:
            self._words.note_candidates(asked.run, words_of(arrays["words"]))
        party = self._party(asked.run, words)
        release, memory = answer(party, arrays, self.terms.turn("party", asked.round, self.name))
        if self._is_hidden(asked):
            release = release.map(lambda sent: self._in_sums().in_steps(sent, arrays, asked.vocabulary))
        payload = self._commit(asked, release, None if words is None else memory)
        if words is not None:
            self._parties[asked.run] = replace(party, memory=memory)
        self._runs.advance(asked.run, asked.round, release.cost)
        return self._shown(asked, payload)

    def _is_hidden(self, asked: Request) -> bool:
        """Whether what is released leaves as part of a secure sum alone."""
        return self.terms.summing is not None and asked.operation == "contribute" and asked.round >= 0

    def _shown(self, asked: Request, payload: bytes) -> bytes:
        """What the coordinator sees of a release: that it is ready, where it leaves masked."""
        if asked.operation != "contribute":
            return payload
        return wire.pack({}) if self._is_hidden(asked) else self._line.shown(asked, payload)

    def _sum(self, asked: Request) -> bytes:
        """This party's part of the sum over the parties that are named; its release was charged before."""
        so_far = self._runs.progress(asked.run)
        if asked.round != so_far.newest or asked.round < 0 or so_far.left:
            raise RoundPassedError(f"expected a sum of round {so_far.newest}, got one of {asked.round}")
        return self._in_sums(asked.run).sum(asked)

    def _in_sums(self, run: str = "") -> PartySums:
        if self._sums is None or self.terms.summing is None:
            raise InputError("the plan has no secure sum: nothing is sent")
        if run and self.is_kept(run):
            raise RoundPassedError(f"run {run} is finished; start a new run")
        return self._sums

    def _evaluate(self, asked: Request) -> bytes:
        if self.score is None or asked.round != self.terms.method.n_rounds:
            raise InputError("the plan has no private scores, or they are not due: nothing is scored")
        words = self._words.of(asked.run, asked.vocabulary)
        shape = self.terms.model_sizes, len(words)
        topics = Numbers("float64", shape, most=1.0, sums_to_one=1)
        arrays = self._told(asked, [{"topics": topics}])
        noise = Noise.secure() if self.terms.secure else Noise.simulated(self.terms.seed, "scores", self.name)
        self._begin(asked, self.score.price)
        return self._commit(asked, self.score.release(arrays["topics"], words, noise))

    def _attest(self, asked: Request) -> bytes:
        """What this run has cost so far: it depends on prices alone, so it is free and reads no documents."""
        if self.sign is None:
            raise InputError("expected this party's key, got none; nothing is attested")
        entries = self.store.of_run(asked.run)
        return attestation.made(self.name, asked.run, self.terms.plan, entries, self.sign).to_bytes()

    def _deliver(self, asked: Request) -> bytes:
        if not self.is_kept(asked.run):
            self._take(asked)
        if self._sums is not None:
            self._sums.forget(asked.run)
        return wire.pack({})

    def _take(self, asked: Request) -> None:
        """Keep the result of a run that this party has a part in."""
        if not self.store.of_run(asked.run):
            raise InputError(f"expected a run with releases of this party, got {asked.run}: nothing is kept")
        words, newest = self._words.of(asked.run, asked.vocabulary), self._runs.progress(asked.run).newest
        numbers = 8 * len(words) * self.terms.model_sizes[-1]
        arrays = wire.unpack(asked.body, limit=MODEL_FACTOR * numbers + RESULT_BYTES, names=self.files)
        self._begin(asked, FREE)
        local = self.terms.method.local_model(self._party(asked.run, words)) if newest >= 0 else None
        files = {name: array.tobytes() for name, array in arrays.items()}
        self.keep(asked.run, Delivery(files, words, local, self.store.run_ledger(asked.run)))

    def _begin(self, asked: Request, due: Cost) -> None:
        """Open the documents for an answer of this price, if the run goes on and the budget can pay."""
        if due != FREE:
            if self.unpaid:
                raise StoreError("a price could not be written; make room and start this party again")
            self._runs.require(asked.run, due)
        self._runs.check_open(asked.run)
        self._due = FREE
        corpus = self._corpus()  # where they cannot be read, nothing is made
        if asked.operation != "deliver":
            self._runs.check_documents(asked.run, corpus, self.changed)
        if due != FREE:
            self._runs.note_plan(asked.run, self.terms.plan)
        self._due = due

    def _told(self, asked: Request, forms: list[Form]) -> Arrays:
        """What the question tells, if it has one of the forms."""
        arrays = self._line.told(asked, told.most_bytes(forms))
        told.check(arrays, forms, self.terms.significant_bits)
        return arrays

    def _party(self, run: str, words: tuple[str, ...] | None) -> Party:
        """This party with its documents, over the words of the run or else its own, and what it remembers."""
        if words is None:
            return Party(self.name, self._corpus(), {})
        if run not in self._parties:
            known = earlier_runs.remembered(self.terms, self.store, run, words)
            self._parties[run] = Party(self.name, never_empty(self._corpus().with_vocabulary(words)), known)
        return self._parties[run]

    def _commit(self, asked: Request, release: Release[Arrays], memory: Arrays | None = None) -> bytes:
        payload = wire.pack(release.value, significant_bits=self.terms.significant_bits)
        try:
            return self.store.commit(asked.run, asked.round, asked.operation, release.cost, payload, memory)
        except Exception:
            # It may be charged all the same: what is remembered from now on is what the disk says.
            if self.store.charged(asked.run, asked.round, asked.operation) is not None:
                self._due = FREE
            self._parties.pop(asked.run, None)
            self._runs.look_again(asked.run)
            raise

    def _corpus(self) -> Corpus:
        if self._due is None:
            raise PartyFailedError("expected every check before documents are opened, got one of them after")
        if self._documents is None:
            self._documents = self.read()
        return self._documents
