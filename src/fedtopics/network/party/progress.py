"""What a party knows of a run before it opens its documents, and the documents that it then answers from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.cost import FREE, Cost
from fedtopics.privacy.price.ledger import Ledger


@dataclass(frozen=True)
class Progress:
    """The newest round that was answered, how many answers had a price, whether a failure ended the run."""

    newest: int
    n_paid: int
    left: bool

    @classmethod
    def of(cls, ledger: Ledger, answered: str, failed: str) -> Progress:
        """As the ledger of a run tells, which calls its operations `answered` and `failed`."""
        made = [entry for entry in ledger.entries if entry.run.endswith(f"/{answered}")]
        return cls(
            max((entry.round for entry in made), default=-1),
            sum(entry.cost != FREE for entry in made),
            any(entry.run.endswith(f"/{failed}") for entry in ledger.entries),
        )

    def next_price(self, plan: Sequence[Cost]) -> Cost:
        """What the next answer may cost: the first price of the plan that is not paid, or nothing."""
        return plan[self.n_paid] if self.n_paid < len(plan) else FREE

    def after(self, number: int, cost: Cost) -> Progress:
        """The progress after the answer of a round."""
        return replace(self, newest=number, n_paid=self.n_paid + (cost != FREE))


def word_lists(corpus: Corpus) -> list[list[str]]:
    """The words of each document."""
    words, ends = corpus.vocabulary, corpus.offsets.tolist()
    return [[words[word] for word in corpus.words[ends[i] : ends[i + 1]]] for i in range(corpus.n_docs)]


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
