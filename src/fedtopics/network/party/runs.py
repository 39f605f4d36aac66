"""The runs of a party: each goes by one plan, and is open until a release failed or its result was kept.

Which plan a run goes by is noted before its first release. The same name under another plan is refused: what
was released under the one would be signed for under the other.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fedtopics import files
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.digest import corpus_digest
from fedtopics.errors import InputError
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.policy import NEW_RUN
from fedtopics.privacy.price.cost import FREE, Cost
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.agreeing import PROPOSAL

DOCUMENTS, LEFT = "documents", "left"  # what is noted of a run: a digest, and that it is over here
FAILED = "failed"  # what the ledger calls a release that failed
ROOM = 2**28  # bytes, whatever the documents: so a disk with less of them tells nothing


class PlanNotAcceptedError(InputError):
    """The coordinator runs a plan that this party has not accepted."""


class PartyFailedError(InputError):
    """Something went wrong while this party worked on its documents; its own log says what."""


class OtherPlanError(InputError):
    """The run began under another plan."""


class ChangedDocumentsError(InputError):
    """The documents are not those that the run began with."""


class RoundPassedError(InputError):
    """A round was asked for that this party has left behind without an answer."""


@dataclass(frozen=True)
class Progress:
    """The newest round that was answered, what training has cost, whether a failure ended it."""

    newest: int
    paid: tuple[Cost, ...]
    left: bool

    @classmethod
    def of(cls, ledger: Ledger, answered: str, failed: str) -> "Progress":
        """As the ledger of a run tells, which calls its operations `answered` and `failed`."""
        made = [entry for entry in ledger.entries if entry.run.endswith(f"/{answered}")]
        return cls(
            max((entry.round for entry in made), default=PROPOSAL - 1),
            tuple(entry.cost for entry in made if entry.round >= 0 and entry.cost != FREE),
            any(entry.run.endswith(f"/{failed}") for entry in ledger.entries),
        )

    def price(self, number: int, prices: Sequence[Cost]) -> Cost:
        """What the answer of a round may cost, of these prices: the first that is not paid, or nothing.

        Before training, where parties agree on words, each round has a price of its own.
        """
        if number < 0:
            return prices[number]
        return prices[len(self.paid)] if len(self.paid) < len(prices) else FREE

    def require(self, price: Cost, prices: Sequence[Cost], n_repeats: int = 0) -> None:
        """Refuse a release of this price where the plan, with these `prices`, has none of it left.

        Beyond them it has `n_repeats` of any price, for rounds that were lost.
        """
        made = Counter(replace(cost, noise=price.noise, alone=()) for cost in (*self.paid, price))
        beyond = made - Counter(prices)
        if price != FREE and beyond[price] and beyond.total() > n_repeats:
            raise InputError("asked once more for what the plan has not so often: nothing is sent")

    def after(self, number: int, cost: Cost) -> "Progress":
        return replace(
            self, newest=number, paid=self.paid + ((cost,) if number >= 0 and cost != FREE else ())
        )


@dataclass
class PartyRuns:
    """How far each run has come, and whether it may go on."""

    store: PartyStore
    is_kept: Callable[[str], bool]
    _known: dict[str, Progress] = field(default_factory=dict, init=False)

    def check_plan(self, run: str, plan: str) -> None:
        """Raise `OtherPlanError` where the run began under another plan."""
        note = self.store.note(run, "plan")
        if note.is_file() and note.read_bytes() != plan.encode():
            raise OtherPlanError(f"run {run} began under another plan than {plan:.12}; start a new run")

    def note_plan(self, run: str, plan: str) -> None:
        """Keep the plan that the run goes by from its first release on."""
        note = self.store.note(run, "plan")
        if not note.is_file():
            files.write(note, plan.encode())

    def check_open(self, run: str) -> None:
        """Raise where this party has left the run because its documents had changed."""
        if self.store.note(run, LEFT).is_file():
            raise RoundPassedError(f"run {run} was left when documents changed; start a new run")

    def check_documents(self, run: str, corpus: Corpus, changed: str) -> None:
        """Raise where a run that began with other documents is to go on; at first, note which they are."""
        note = self.store.note(run, DOCUMENTS)
        if not note.is_file():
            if not self.store.of_run(run):
                files.write(note, corpus_digest(corpus).encode())
            return
        if note.read_bytes() != corpus_digest(corpus).encode():
            if changed == NEW_RUN:
                files.write(self.store.note(run, LEFT), b"")
            raise ChangedDocumentsError(
                f"the documents are others than in the first round of run {run}; put them back as they were, "
                'or start a new run (changed_documents in policy.toml: "refuse" or "new run")'
            )

    def require(self, run: str, due: Cost) -> None:
        """Raise unless the run is open, the budget can pay and the disk can hold a release of this price."""
        if self.progress(run).left:
            raise RoundPassedError(f"run {run} was left when a release failed; start a new run")
        if self.is_kept(run):
            raise RoundPassedError(f"run {run} is finished, and its result is kept; start a new run")
        self.store.require([due])
        files.require_room(self.store.folder, ROOM)

    def progress(self, run: str) -> Progress:
        if run not in self._known:
            self._known[run] = Progress.of(self.store.run_ledger(run), "contribute", FAILED)
        return self._known[run]

    def advance(self, run: str, number: int, cost: Cost) -> None:
        self._known[run] = self.progress(run).after(number, cost)

    def look_again(self, run: str) -> None:
        """Forget what is known of the run: from now on its ledger says it."""
        self._known.pop(run, None)

    def leave(self, run: str, number: int, due: Cost) -> bool:
        """Charge a release that failed, and make none in this run any more; whether it could be charged."""
        self._known[run] = replace(self.progress(run), left=True)
        try:
            self.store.commit(run, number, FAILED, due, b"")
        except Exception:  # whatever it was: only a line in the ledger counts
            return self.store.charged(run, number, FAILED) is not None
        return True


def never_empty(corpus: Corpus) -> Corpus:
    """The corpus; where it has no document or no sentence, with an empty one, which answers like any other.

    >>> never_empty(Corpus.from_texts(["tax, war"]).select([])).n_docs
    1
    """
    sentences = corpus.sentence_offsets
    if corpus.n_docs and (sentences is None or len(sentences) > 1):
        return corpus
    offsets = np.zeros(max(corpus.n_docs, 1) + 1, np.int64)
    return Corpus(
        corpus.words,
        offsets,
        corpus.vocabulary,
        sentence_offsets=None if sentences is None else np.zeros(2, np.int64),
        document_sentences=None if sentences is None else np.append(offsets[:-1], 1),
        persons=None if corpus.persons is None else corpus.persons or ("nobody",),
        language=corpus.language,
        sentence_unit=corpus.sentence_unit,
    )
