"""Documents made ready for training: read, dealt to parties, some held out, over one vocabulary."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from fedtopics import splitting
from fedtopics.corpus import Corpus, concatenate
from fedtopics.errors import InputError
from fedtopics.privacy.ledger import Ledger
from fedtopics.privacy.noise import Noise
from fedtopics.privacy.vocabulary import Agreement, agree
from fedtopics.reading import read

DEFAULT_PARTIES = 3
AGREEMENT_DELTA = 1e-6
GIVEN, READ, AGREED = "as given", "read from the documents", "agreed privately"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Data:
    """One training corpus per party and held-out documents of all of them.

    vocabulary   where the words come from: "as given", "agreed privately" (priced in the ledger) or "read
                 from the documents" (then its words are known to everyone, and not priced)
    ledger       what the parties have spent before training
    """

    parties: dict[str, Corpus]
    test: Corpus
    source: str = "corpus"
    vocabulary: str = GIVEN
    ledger: Ledger = field(default_factory=Ledger)

    @cached_property
    def train(self) -> Corpus:
        """The training documents of all parties, for scores that need a reference corpus."""
        return concatenate([self.parties[name] for name in sorted(self.parties)])


def prepare(
    source: str | Corpus | Data,
    *,
    n_parties: int | None = None,
    test_fraction: float = 0.1,
    seed: int = 0,
    vocabulary_epsilon: float | None = None,
    show_progress: bool | None = None,
    **reading: Any,
) -> Data:
    """Read `source`, hold out documents for testing and deal the rest to parties.

    Documents that name their party go to it; others are dealt to `n_parties` (3 if not given) by topic, so
    that the parties are unequal and unlike each other. With `vocabulary_epsilon` the parties agree on the
    words at this price for a document added or removed. `reading` goes to `fedtopics.reading.read`.
    """
    if isinstance(source, Data):
        return source
    if vocabulary_epsilon is not None:
        reading |= _unfiltered(reading)
    corpus = source if isinstance(source, Corpus) else read(source, progress=show_progress, **reading)
    if corpus.n_empty:
        logger.warning("%d of %d documents have no known word; they are kept", corpus.n_empty, corpus.n_docs)
    train, test = corpus.split(test_fraction, seed=seed)
    dealt = splitting.automatic(train, n_parties or (None if train.parties else DEFAULT_PARTIES), seed=seed)
    given = isinstance(source, Corpus) or reading.get("vocabulary") is not None
    data = Data(
        {party.name or "": party for party in dealt},
        test,
        source if isinstance(source, str) else "corpus",
        GIVEN if given else READ,
    )
    return data if vocabulary_epsilon is None else _agreed(data, vocabulary_epsilon, seed)


def _unfiltered(reading: dict[str, Any]) -> dict[str, Any]:
    """Options that look at no document: filters by frequency would leak, stop words are public."""
    for name in ("vocabulary", "min_df", "max_df", "max_words"):
        if reading.get(name) is not None:
            raise InputError(
                f"expected either {name} or vocabulary_epsilon, got both; the parties choose the words"
            )
    return {"min_df": 1, "max_df": 1.0}


def _agreed(data: Data, epsilon: float, seed: int) -> Data:
    """The same documents over words that the parties agreed on, with the price in the ledger."""
    words = data.test.vocabulary
    documents = {
        name: [[words[word] for word in corpus.words[first:last]] for first, last in _bounds(corpus)]
        for name, corpus in data.parties.items()
    }
    agreement = Agreement(epsilon, AGREEMENT_DELTA, min_parties=min(2, len(documents)))
    ledger = Ledger()
    found = agree(
        agreement, documents, lambda party, step: Noise.simulated(seed, "vocabulary", party, step), ledger
    )
    if not found:
        raise InputError(
            f"the parties agreed on no word at epsilon {epsilon:g}; raise it or give a public word list"
        )
    parties = {name: corpus.with_vocabulary(found) for name, corpus in data.parties.items()}
    test = data.test.with_vocabulary(found)
    return replace(data, parties=parties, test=test, vocabulary=AGREED, ledger=ledger)


def _bounds(corpus: Corpus) -> list[tuple[int, int]]:
    return list(zip(corpus.offsets[:-1].tolist(), corpus.offsets[1:].tolist(), strict=True))
