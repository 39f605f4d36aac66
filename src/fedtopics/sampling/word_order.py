"""The tokens of a corpus grouped by word, computed once per corpus."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents import mapped
from fedtopics.documents.corpus import Corpus
from fedtopics.sampling import _native

PADDING = 64  # the kernels read ahead


@dataclass(frozen=True)
class WordOrder:
    """Where the samplers keep the tokens, and which of them are of one word.

    Record r belongs to token slots[r]: documents as they are, sorted by word within a document. Word w owns
    the records order[offsets[w]:offsets[w+1]]; `order` ends in padding. Both are on the disk where the corpus
    is.
    """

    offsets: NDArray[np.int64]
    order: NDArray[np.int32]
    slots: NDArray[np.int32]

    @property
    def on_disk(self) -> bool:
        return mapped.is_mapped(self.slots)


_known: WeakKeyDictionary[Corpus, WordOrder] = WeakKeyDictionary()


def of(corpus: Corpus) -> WordOrder:
    """The word order of a corpus.

    With n tokens, `slots` equals `np.lexsort((corpus.words, corpus.docs))` and `order[:n]` equals
    `np.argsort(corpus.words[slots], kind="stable")`.
    """
    if corpus not in _known:
        offsets = np.zeros(corpus.n_words + 1, np.int64)
        order = mapped.zeros(corpus.n_tokens + PADDING, np.int32, like=corpus.words)
        slots = mapped.zeros(corpus.n_tokens, np.int32, like=corpus.words)
        on_disk = mapped.is_mapped(slots)
        _native.order_by_word(corpus.sound.words, corpus.offsets, offsets, order, slots, on_disk)
        mapped.forget(corpus.words, order, slots)
        _known[corpus] = WordOrder(offsets, order, slots)
    return _known[corpus]
