"""Which words of a corpus make its vocabulary: stop words, document frequency, size."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import EmptyCorpusError, InputError


@dataclass(frozen=True)
class WordFilter:
    """Words are dropped in this order; whatever is left is the vocabulary.

    stop_words  dropped wherever they occur
    min_df      words in fewer documents: a number of documents, or a share of them when below 1. None: one,
                and one more for each hundred documents, at most five
    max_df      words in more documents: a number of documents, or a share of them when 1 or below. None: half
                of them, if there are a hundred or more
    max_words   keeps the words found in the most documents (ties: the first in alphabetical order)
    """

    stop_words: Collection[str] = ()
    min_df: float | None = None
    max_df: float | None = None
    max_words: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str) or hasattr(self.stop_words, "columns"):
            raise InputError(
                "expected stop words as a list, or True for those of the language, got "
                f"{'one text' if isinstance(self.stop_words, str) else 'a table'}"
            )
        for name, bound in (("min_df", self.min_df), ("max_df", self.max_df)):
            if bound is not None and not (0 <= bound <= 1 or (bound > 1 and bound % 1 == 0)):
                raise InputError(f"expected {name} as a number of documents or a share up to 1, got {bound}")
        if self.max_words is not None and self.max_words < 1:
            raise InputError(f"expected max_words of 1 or more, got {self.max_words}")

    def chosen(
        self, words: tuple[str, ...], document_frequency: NDArray[np.int64], n_docs: int
    ) -> tuple[str, ...]:
        """The `words` that stay, in alphabetical order; an error that names the filter when none does.

        document_frequency   the number of documents, of `n_docs`, that each word occurs in
        """
        at_least, at_most = self._bounds(n_docs)
        stop_words = frozenset(self.stop_words)
        passed = np.fromiter((word not in stop_words for word in words), bool, len(words))
        steps = [("the stop words", passed)]
        steps.append((f"min_df ({at_least:g} documents)", document_frequency >= at_least))
        steps.append((f"max_df ({at_most:g} documents)", document_frequency <= at_most))
        left = np.ones(len(words), dtype=bool)
        for name, passes in steps:
            if not (left & passes).any():
                kind = EmptyCorpusError if not passed.any() else InputError  # stop words alone are no words
                raise kind(
                    f"no word is left in {n_docs} documents: {name} dropped the last {left.sum()} of "
                    f"{len(words)} words; loosen that filter or give more text"
                )
            left &= passes
        kept = sorted(words[word] for word in np.flatnonzero(left))
        if self.max_words is None:
            return tuple(kept)
        frequency = dict(zip(words, document_frequency.tolist(), strict=True))
        return tuple(sorted(sorted(kept, key=lambda word: -frequency[word])[: self.max_words]))

    def _bounds(self, n_docs: int) -> tuple[float, float]:
        fewest, most = self.min_df, self.max_df
        if fewest is None:
            fewest = min(5, 1 + n_docs // 100)
        if most is None:
            most = 0.5 if n_docs >= 100 else 1.0
        return fewest * n_docs if fewest < 1 else fewest, most * n_docs if most <= 1 else most
