"""The words of each run as one party knows them, on its disk: those it has voted on, and those it trains on.

A party takes the plan's public list and no other, or words that it has itself voted on in the same run. One
list for the whole of a run: a second one could undo the noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fedtopics import files
from fedtopics.documents.corpus import require_words
from fedtopics.documents.text.words import MOST_BYTES, word_array, word_digest, words_of
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network import wire
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.terms import Terms
from fedtopics.protocol.agreeing import CONFIRMATION
from fedtopics.protocol.told import ToldError


class OtherVocabularyError(InputError):
    """The words are not those that this run began with."""


def told_words(body: bytes) -> tuple[str, ...]:
    """The words that a message tells, which holds nothing else."""
    arrays = wire.unpack(body, limit=MOST_BYTES)
    if set(arrays) != {"words"}:
        raise ToldError(f"expected words, got {len(arrays)} arrays with other names")
    return words_of(arrays["words"])


@dataclass
class PartyWords:
    """What a party has noted of the words of its runs."""

    terms: Terms
    store: PartyStore
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)

    def note_candidates(self, run: str, candidates: Sequence[str]) -> None:
        """Keep what this party is about to vote on."""
        files.write(self.store.note(run, "candidates"), wire.sealed(word_array(candidates).tobytes()))

    def take(self, run: str, words: tuple[str, ...], digest: str) -> None:
        """Take these as the words of the run, or raise `OtherVocabularyError`."""
        require_words(len(words))
        self._check_source(run, words)
        note = self.store.note(run, "words")
        if not self._are_public and not note.is_file():
            files.write(note, wire.sealed(word_array(words).tobytes()))
        if self.known(run) != words or word_digest(words) != digest:
            raise OtherVocabularyError(f"run {run} began with other words, got a second list")

    def of(self, run: str, digest: str) -> tuple[str, ...]:
        """The words of a run, if it goes by this digest."""
        words = self.known(run)
        if words is None or word_digest(words) != digest:
            raise OtherVocabularyError(f"run {run} was asked about before its words were sent here")
        return words

    def known(self, run: str) -> tuple[str, ...] | None:
        """The words that the run began with, None before they were sent; a public list is the plan's."""
        if self._are_public:
            return self.terms.words
        note = self.store.note(run, "words")
        if run not in self._known and note.is_file():
            self._known[run] = _read(note)
        return self._known.get(run)

    @property
    def _are_public(self) -> bool:
        return self.terms.agreement is None or self.terms.words is not None

    def _check_source(self, run: str, words: tuple[str, ...]) -> None:
        agreement = self.terms.agreement
        if agreement is None or self._are_public:
            if words != self.terms.words:
                raise OtherVocabularyError("the plan has a public word list, got other words")
            return
        if self.store.stored(run, CONFIRMATION, "contribute") is None:
            raise OtherVocabularyError(f"expected words that this party voted on in run {run}, got others")
        if not set(words) <= set(_read(self.store.note(run, "candidates"))):
            raise OtherVocabularyError(f"expected words among the candidates of run {run}, got others")
        if agreement.max_size is not None and len(words) > agreement.max_size:
            raise OtherVocabularyError(f"expected at most {agreement.max_size} words, got {len(words)}")


def _read(note: Path) -> tuple[str, ...]:
    try:
        content = wire.unsealed(note.read_bytes())
    except wire.WireError:
        raise StoreError(f"words in {note} were altered; the run cannot go on here") from None
    return words_of(np.frombuffer(content, np.uint8))
