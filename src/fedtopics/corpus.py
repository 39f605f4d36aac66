"""Documents as flat arrays: the one input format of every part of the package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents over one vocabulary, token after token.

    words             word id of each token in reading order, shape (n_tokens,)
    offsets           document d owns the tokens offsets[d]:offsets[d+1], shape (n_docs + 1,)
    vocabulary        the word behind each id
    sentence_offsets  sentence s owns the tokens sentence_offsets[s]:sentence_offsets[s+1]; sentences do not
                      cross documents; None where they are unknown (bags of words)
    ids, labels, parties   one string per document, None where unknown
    """

    words: Ints
    offsets: Offsets
    vocabulary: tuple[str, ...]
    sentence_offsets: Offsets | None = None
    ids: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    parties: tuple[str, ...] | None = None

    @property
    def n_docs(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        return len(self.words)

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.vocabulary)

    @cached_property
    def lengths(self) -> Offsets:
        """Number of tokens of each document."""
        return np.diff(self.offsets)

    @cached_property
    def docs(self) -> Ints:
        """Document id of each token."""
        return np.repeat(np.arange(self.n_docs, dtype=np.int32), self.lengths)
