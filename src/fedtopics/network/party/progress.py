"""What a party knows of a run before it opens its documents, and the documents that it then answers from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.cost import FREE, Cost
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.protocol.agreeing import PROPOSAL


@dataclass(frozen=True)
class Progress:
    """The newest round that was answered, how many of training had a price, whether a failure ended it."""

    newest: int
    n_paid: int
    left: bool

    @classmethod
    def of(cls, ledger: Ledger, answered: str, failed: str) -> Progress:
        """As the ledger of a run tells, which calls its operations `answered` and `failed`."""
        made = [entry for entry in ledger.entries if entry.run.endswith(f"/{answered}")]
        return cls(
            max((entry.round for entry in made), default=PROPOSAL - 1),
            sum(entry.cost != FREE for entry in made if entry.round >= 0),
            any(entry.run.endswith(f"/{failed}") for entry in ledger.entries),
        )

    def price(self, number: int, prices: Sequence[Cost]) -> Cost:
        """What the answer of a round may cost, of these prices: the first that is not paid, or nothing.

        Before training, where parties agree on words, each round has a price of its own.
        """
        if number < 0:
            return prices[number]
        return prices[self.n_paid] if self.n_paid < len(prices) else FREE

    def after(self, number: int, cost: Cost) -> Progress:
        """The progress after the answer of a round."""
        return replace(self, newest=number, n_paid=self.n_paid + (number >= 0 and cost != FREE))


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
        language=corpus.language,
        sentence_unit=corpus.sentence_unit,
    )
