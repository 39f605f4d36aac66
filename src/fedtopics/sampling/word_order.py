"""The tokens of a corpus grouped by word, computed once per corpus."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fedtopics.corpus import Corpus
from fedtopics.sampling import _native

PADDING = 64  # the kernels read ahead


@dataclass(frozen=True)
class WordOrder:
    """Word w owns the tokens order[offsets[w]:offsets[w+1]], in reading order; `order` ends in padding."""

    offsets: NDArray[np.int64]
    order: NDArray[np.int32]


_known: WeakKeyDictionary[Corpus, WordOrder] = WeakKeyDictionary()


def of(corpus: Corpus) -> WordOrder:
    """The word order of a corpus; `order[:n_tokens]` equals `np.argsort(corpus.words, kind="stable")`."""
    if corpus not in _known:
        offsets = np.zeros(corpus.n_words + 1, np.int64)
        order = np.zeros(corpus.n_tokens + PADDING, np.int32)
        _native.order_by_word(corpus.words, corpus.offsets, offsets, order)
        _known[corpus] = WordOrder(offsets, order)
    return _known[corpus]
