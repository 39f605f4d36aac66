"""A party's side of the wire: it answers the coordinator's questions, and decides itself what leaves.

    hello        has this plan been accepted?                       -> the time here
    propose      [round -2] words that may be named                 -> a release
    confirm      [round -1] noisy votes for candidate words         -> a release
    vocabulary   the words of this run, one list for the whole of it
    contribute   [round t]  what the method sends in this round     -> a release
    evaluate     [the last] how well these topics predict documents -> a release
    attest       [the last] what this run has cost, as the ledger here says, signed here
    deliver      the finished model, to be kept here

A question that was answered before gets the stored answer again, whatever it now says: a retry spends
nothing. An exception leaves as the name of its type; its text may hold words of a document and stays here.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import perf_counter, time
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.federation import attestation, durable, wire
from fedtopics.federation.messages import Reply, Request
from fedtopics.federation.party_store import WORDS, PartyStore
from fedtopics.federation.protocol import Arrays, Party
from fedtopics.federation.terms import Terms
from fedtopics.model import TopicModel
from fedtopics.privacy.ledger import Ledger
from fedtopics.privacy.noise import Noise
from fedtopics.privacy.release import Release
from fedtopics.text.harmless import one_line

PROPOSAL, CONFIRMATION = -2, -1  # rounds of the two releases that agree on words
MOST_BYTES = 2**32
RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")
Score: TypeAlias = Callable[[NDArray[Any], tuple[str, ...], Noise], Release[Arrays]]
logger = logging.getLogger(__name__)


class PlanNotAcceptedError(InputError):
    """The coordinator runs a plan that this party has not accepted."""


class OtherVocabularyError(InputError):
    """The words are not those that this run began with."""


class RoundPassedError(InputError):
    """A round was asked for that this party has left behind without an answer."""


@dataclass(frozen=True)
class Delivery:
    """What a party keeps of a finished run: the coordinator's files by name, and what is its own."""

    files: dict[str, bytes]
    words: tuple[str, ...]
    local_model: TopicModel | None
    ledger: Ledger


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
    _documents: Corpus | None = field(default=None, init=False)
    _words: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    _parties: dict[str, tuple[int, Party]] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def answer(self, data: bytes) -> bytes:
        """The answer to a question in bytes; never an exception."""
        asked, body, error = Request("", "", 0, "", nonce=""), b"", ""
        began = perf_counter()
        try:
            asked = Request.from_bytes(data)
            with self._lock:
                body = self._answer(asked)
            self._note(asked, f"{len(body)} bytes in {perf_counter() - began:.2f} s")
        except Exception as problem:
            error = type(problem).__name__
            self._note(asked, f"not answered: {problem if self.log == 'details' else error}")
        return Reply(self.name, asked.operation, asked.run, asked.round, asked.nonce, error, body).to_bytes()

    def _answer(self, asked: Request) -> bytes:
        if asked.plan != self.terms.plan:
            raise PlanNotAcceptedError(
                f"the coordinator runs plan {asked.plan:.12}, got acceptance of {self.terms.plan:.12} alone; "
                "review the new plan and accept it"
            )
        answers: dict[str, Callable[[Request], bytes]] = {
            "hello": self._hello,
            "propose": self._propose,
            "confirm": self._confirm,
            "vocabulary": self._vocabulary,
            "contribute": self._contribute,
            "evaluate": self._evaluate,
            "attest": self._attest,
            "deliver": self._deliver,
        }
        if not RUN.fullmatch(asked.run):
            raise InputError(f"expected the name of a run, got {asked.run!r:.40}")
        if asked.operation not in answers:
            raise InputError(f"expected one of {', '.join(answers)}, got {asked.operation!r:.40}")
        known = self.store.stored(asked.run, asked.round, asked.operation)
        return answers[asked.operation](asked) if known is None else known

    def _note(self, asked: Request, line: str) -> None:
        """Put a line into this party's own log, as far as its policy allows."""
        if self.log != "nothing":
            logger.info("%s of round %d: %s", one_line(asked.operation), asked.round, one_line(line))

    def _hello(self, asked: Request) -> bytes:
        return wire.pack({"time": np.array(time())})

    def _propose(self, asked: Request) -> bytes:
        agreement = self.terms.agreement
        if agreement is None or asked.round != PROPOSAL:
            raise InputError("the plan has a public word list: no words are proposed")
        documents = _word_lists(self._corpus())
        release = agreement.propose(documents, self.name, self.terms.parties, self._word_noise(1))
        votes = release.map(
            lambda found: {"words": wire.from_words(list(found)), "votes": np.array(list(found.values()))}
        )
        return self._commit(asked, votes)

    def _confirm(self, asked: Request) -> bytes:
        agreement = self.terms.agreement
        if agreement is None or asked.round != CONFIRMATION:
            raise InputError("the plan has a public word list: no words are confirmed")
        candidates = _sent_words(asked)
        release = agreement.confirm(_word_lists(self._corpus()), candidates, self._word_noise(2))
        durable.make_folder(self._about_words(asked.run, "candidates").parent)
        durable.write(self._about_words(asked.run, "candidates"), wire.from_words(candidates).tobytes())
        return self._commit(asked, release.map(lambda votes: {"votes": votes}))

    def _vocabulary(self, asked: Request) -> bytes:
        """Take the words of the run; a second list for the same run could undo the noise, and is refused."""
        words = _sent_words(asked)
        self._check_source(asked.run, words)
        note = self._about_words(asked.run, "words")
        if not note.is_file():
            durable.make_folder(note.parent)
            durable.write(note, wire.from_words(words).tobytes())
        if self._known_words(asked.run) != words or word_digest(words) != asked.vocabulary:
            raise OtherVocabularyError(f"run {asked.run} began with other words, got a second list")
        return wire.pack({})

    def _check_source(self, run: str, words: tuple[str, ...]) -> None:
        """Refuse all words but the plan's public list, or some that this party has voted on in this run."""
        agreement = self.terms.agreement
        if agreement is None or self.terms.words is not None:
            if words != self.terms.words:
                raise OtherVocabularyError("the plan has a public word list, got other words")
            return
        if self.store.stored(run, CONFIRMATION, "confirm") is None:
            raise OtherVocabularyError(
                f"expected words that this party has voted on in run {run}, got others"
            )
        noted = np.frombuffer(self._about_words(run, "candidates").read_bytes(), np.uint8)
        if not set(words) <= set(wire.to_words(noted)):
            raise OtherVocabularyError(f"expected words among the candidates of run {run}, got others")
        if agreement.max_size is not None and len(words) > agreement.max_size:
            raise OtherVocabularyError(f"expected at most {agreement.max_size} words, got {len(words)}")

    def _contribute(self, asked: Request) -> bytes:
        newest, party = self._remembered(asked)
        if not newest < asked.round < self.terms.method.n_rounds:
            raise RoundPassedError(
                f"expected a round after {newest} of {self.terms.method.n_rounds}, got {asked.round}"
            )
        told = wire.unpack(asked.body, limit=MOST_BYTES)
        turn = self.terms.turn("party", asked.round, self.name)
        release, memory = self.terms.method.contribute(party, told, turn)
        payload = self._commit(asked, release, memory)
        self._parties[asked.run] = asked.round, replace(party, memory=memory)
        return payload

    def _evaluate(self, asked: Request) -> bytes:
        if self.score is None or asked.round != self.terms.method.n_rounds:
            raise InputError("the plan has no private scores, or they are not due: nothing is scored")
        _, party = self._remembered(asked)
        topics = wire.unpack(asked.body, limit=MOST_BYTES)["topics"]
        noise = Noise.secure() if self.terms.secure else Noise.simulated(self.terms.seed, "scores", self.name)
        return self._commit(asked, self.score(topics, party.corpus.vocabulary, noise))

    def _attest(self, asked: Request) -> bytes:
        """What this run has cost so far: it depends on prices alone, so it is free and reads no documents."""
        if self.sign is None:
            raise InputError("expected this party's key, got none; nothing is attested")
        entries = self.store.of_run(asked.run)
        return attestation.made(self.name, asked.run, self.terms.plan, entries, self.sign).to_bytes()

    def _deliver(self, asked: Request) -> bytes:
        arrays = wire.unpack(asked.body, limit=MOST_BYTES)
        newest, party = self._remembered(asked)
        local = self.terms.method.local_model(party) if newest >= 0 else None
        files = {name: array.tobytes() for name, array in arrays.items()}
        ledger = self.store.run_ledger(asked.run)
        self.keep(asked.run, Delivery(files, party.corpus.vocabulary, local, ledger))
        return wire.pack({})

    def _remembered(self, asked: Request) -> tuple[int, Party]:
        """The newest round that was answered, and the party after it."""
        words = self._known_words(asked.run)
        if words is None or word_digest(words) != asked.vocabulary:
            raise OtherVocabularyError(f"run {asked.run} was asked about before its words were sent here")
        if asked.run not in self._parties:
            entries = self.store.run_ledger(asked.run).entries
            rounds = [entry.round for entry in entries if entry.run.endswith("/contribute")]
            memory = self.store.load_memory(asked.run)
            corpus = self._corpus().with_vocabulary(words)
            self._parties[asked.run] = max(rounds, default=-1), Party(self.name, corpus, memory)
        return self._parties[asked.run]

    def _known_words(self, run: str) -> tuple[str, ...] | None:
        """The words that this run began with, as this party's disk has them; None before they were sent."""
        note = self._about_words(run, "words")
        if run not in self._words and note.is_file():
            self._words[run] = wire.to_words(np.frombuffer(note.read_bytes(), np.uint8))
        return self._words.get(run)

    def _about_words(self, run: str, kind: str) -> Path:
        """Where this party keeps the candidates that it voted on, or the words, of a run."""
        return self.store.folder / WORDS / f"{sha256(run.encode()).hexdigest()[:32]}.{kind}"

    def _commit(self, asked: Request, release: Release[Arrays], memory: Arrays | None = None) -> bytes:
        payload = wire.pack(release.value, significant_bits=self.terms.significant_bits)
        try:
            return self.store.commit(asked.run, asked.round, asked.operation, release.cost, payload, memory)
        except Exception:
            # It may be charged all the same: what is remembered from now on is what the disk says.
            self._parties.pop(asked.run, None)
            raise

    def _corpus(self) -> Corpus:
        if self._documents is None:
            self._documents = self.read()
        return self._documents

    def _word_noise(self, step: int) -> Noise:
        if self.terms.secure:
            return Noise.secure()
        return Noise.simulated(self.terms.seed, "vocabulary", self.name, step)


def word_digest(words: tuple[str, ...]) -> str:
    """SHA-256 of a word list, by which both sides name it."""
    return sha256(wire.from_words(words).tobytes()).hexdigest()


def _sent_words(asked: Request) -> tuple[str, ...]:
    """The words in a question, checked before any document is read."""
    return wire.to_words(wire.unpack(asked.body, limit=wire.MOST_WORDS_BYTES)["words"])


def _word_lists(corpus: Corpus) -> list[list[str]]:
    words, ends = corpus.vocabulary, corpus.offsets.tolist()
    return [[words[word] for word in corpus.words[ends[i] : ends[i + 1]]] for i in range(corpus.n_docs)]
