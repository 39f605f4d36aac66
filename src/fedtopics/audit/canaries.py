"""Canaries: words and documents that are there or not by the toss of a coin, in a party made for them.

They stand in a copy of the corpus and never in the corpus itself. A guarantee holds for whatever documents
there are, so those that reveal most may be chosen:

    one document   where a party adds up its documents: with a single one, sums say what is in it; every
                   canary is a word of it
    documents      where users report their own document: every canary has a document of its own

An empty document stands for one that was taken away: where the number of documents is public it must, and
where it is hidden an empty one adds nothing to any sum.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.cost import Relation

Ints = NDArray[np.int64]
PARTY = "canaries"


@dataclass(frozen=True, eq=False)
class Canaries:
    """Canary i adds the words there[i] to document documents[i], or else the words otherwise[i]."""

    relation: Relation
    documents: Ints
    there: Ints
    otherwise: Ints
    vocabulary: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.documents)

    def toss(self, generator: np.random.Generator) -> NDArray[np.bool_]:
        """A fair coin for each canary."""
        return generator.random(len(self)) < 0.5

    def planted(self, coins: NDArray[np.bool_]) -> Corpus:
        """The documents of the party, by these coins; each is one sentence, and one person's."""
        words = np.concatenate([self.there[coins].ravel(), self.otherwise[~coins].ravel()])
        documents = np.concatenate(
            [
                np.repeat(self.documents[coins], self.there.shape[1]),
                np.repeat(self.documents[~coins], self.otherwise.shape[1]),
            ]
        )
        n_docs = int(self.documents.max()) + 1
        offsets = np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=n_docs))])
        return Corpus(
            words[np.lexsort((words, documents))].astype(np.int32),
            offsets,
            self.vocabulary,
            sentence_offsets=offsets,
            document_sentences=np.arange(n_docs + 1),
            persons=tuple(map(str, range(n_docs))),
        )


def in_one_document(relation: Relation, vocabulary: tuple[str, ...], most: int) -> Canaries:
    """Words of one document, at most so many: each there or not, or each one of two."""
    step = 2 if relation == "word replace" else 1
    n_canaries = min(most, len(vocabulary) // step)
    there = np.arange(n_canaries)[:, None] * step
    otherwise = there + 1 if step == 2 else there[:, :0]
    return Canaries(relation, np.zeros(n_canaries, np.int64), there, otherwise, vocabulary)


def in_documents(
    relation: Relation, vocabulary: tuple[str, ...], n_canaries: int, length: int = 20
) -> Canaries:
    """A document for each canary: of one word, or of `length` different ones where documents are at stake."""
    length = 1 if relation.startswith("word") else min(length, len(vocabulary) // 2)
    first = 2 * length * np.arange(n_canaries)
    there = (first[:, None] + np.arange(length)) % len(vocabulary)
    otherwise = (there + length) % len(vocabulary) if relation.endswith("replace") else there[:, :0]
    return Canaries(relation, np.arange(n_canaries), there, otherwise, vocabulary)
