"""Back-off n-gram language models: how probable is a word after the words before it?

P(w | h) = p(h w)                    where the model lists h w
           back-off(h) P(w | h')     otherwise, h' being h without its first word
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
Gram: TypeAlias = tuple[int, ...]
Floats: TypeAlias = NDArray[np.float64]


def backed_off(gram: Gram, probabilities: dict[Gram, float], back_offs: dict[Gram, float]) -> float:
    """P of the last word after the others; 0 where not even the word itself is listed."""
    weight = 1.0
    while gram not in probabilities:
        if len(gram) == 1:
            return 0.0
        weight *= back_offs.get(gram[:-1], 1.0)
        gram = gram[1:]
    return weight * probabilities[gram]


class NGramModel:
    """A back-off model over numbered words.

    vocabulary      the words, among them <s> and </s>; <unk> stands for all others where it is there
    probabilities   of each listed n-gram's last word after the words before it, by word numbers
    back_offs       of the n-grams that begin longer ones; 1 for those left out
    unknown         probability of any word that is not listed, for models without <unk>; None: refuse it
    """

    def __init__(
        self,
        vocabulary: Sequence[str],
        probabilities: dict[Gram, float],
        back_offs: dict[Gram, float],
        *,
        unknown: float | None = None,
    ) -> None:
        if unknown is not None and not 0 < unknown <= 1:
            raise InputError(f"expected a probability above 0 for unknown words, at most 1, got {unknown}")
        self.vocabulary = tuple(vocabulary)
        self.ids = {word: number for number, word in enumerate(self.vocabulary)}
        self.probabilities, self.back_offs, self.unknown = probabilities, back_offs, unknown
        self.order = max(map(len, probabilities), default=1)
        self._residuals: dict[Gram, tuple[NDArray[np.int64], Floats]] = {}
        for word in (START, END):
            if word not in self.ids:
                raise InputError(f"expected a language model with {START} and {END}, got none of {word}")

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of `words`; those of others are -1, or that of <unk> where the model has it."""
        other = self.ids.get(UNKNOWN, self.ids.get(UNKNOWN.upper(), -1))
        found = [self.ids.get(word, other) for word in words]
        if self.unknown is None and -1 in found:
            word = list(words)[found.index(-1)]
            raise InputError(
                f"the language model does not know {word!r} and has no {UNKNOWN}; give a probability for "
                "unknown words, or a model that has it"
            )
        return found

    def probability(self, gram: Gram) -> float:
        """Of the last word of `gram` after the words before it."""
        if gram[-1] < 0:
            return float(self.unknown or 0.0)
        return backed_off(gram[-self.order :], self.probabilities, self.back_offs)

    def grams(self, words: Sequence[str]) -> list[Gram]:
        """Every one of the `words` of a sentence, and its end, each after the words before it."""
        numbers = [self.ids[START], *self.numbers(words), self.ids[END]]
        first = [max(0, place + 1 - self.order) for place in range(len(numbers))]
        return [tuple(numbers[first[place] : place + 1]) for place in range(1, len(numbers))]

    @cached_property
    def unigram(self) -> Floats:
        """Probability of each word of the vocabulary without context, <s> 0."""
        found = np.array([self.probabilities.get((word,), 0.0) for word in range(len(self.vocabulary))])
        found[self.ids[START]] = 0.0
        return found

    @cached_property
    def _followers(self) -> dict[Gram, list[int]]:
        followers: dict[Gram, list[int]] = {}
        for gram in self.probabilities:
            if len(gram) > 1:
                followers.setdefault(gram[:-1], []).append(gram[-1])
        return followers

    def residual(self, history: Gram) -> tuple[NDArray[np.int64], Floats, float]:
        """(words, extra, back-off): P(w | h) = back-off P(w | h') + extra, extra being 0 but for these words.

        So any weighted sum over all words after h, the `history`, costs no more than the words that the model
        lists there.
        """
        back_off = self.back_offs.get(history, 1.0)
        if history not in self._residuals:
            words = np.array(self._followers.get(history, ()), np.int64)
            extra = [
                self.probabilities[(*history, word)] - back_off * self.probability((*history[1:], word))
                for word in words.tolist()
            ]
            self._residuals[history] = words, np.array(extra)
        return *self._residuals[history], back_off
