"""An n-gram model adapted to what is being talked about: P(w | h, C), h the words before, C the context.

The topics of the context give every word a probability, P_T(w|C) = sum_z P(w|z) P(z|C). Two ways to use it:

    interpolation   P(w|h,C) = s P_T(w|C) + (1 - s) P_LM(w|h)                        FTM Eq. 19, iFTM Eq. 31
    rescaling       P(w|h,C) = (P_T(w|C) / P_LM(w))^s P_LM(w|h) / Z(h, C)            unigram rescaling [1]

The strength s is lambda in the papers; at 0 both are the n-gram model. Rescaling keeps what the n-gram model
knows of grammar, which interpolation dilutes. Words that the topic model does not know (function words were
left out of it) keep their share: P_T(w|C) is spread over the words both know as the topics say, with the mass
that P_LM(w) gives these words, and is P_LM(w) for all others. Z is exact: it is computed along the back-off.

[1] D. Gildea, T. Hofmann. Topic-based language models using EM. Eurospeech 1999.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fedtopics.applications.speech.ngrams import Floats, Gram, NGramModel
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

WAYS = ("interpolation", "rescaling")


@dataclass(frozen=True, eq=False)
class Adaptation:
    """The topic model `topics` tied to the n-gram model `language`.

    grams      words by their numbers in the n-gram model: the probability of the last after the others
    given      P_T(w|C), as `word_probabilities` gives it
    strength   of the topics, from 0 (none) to 1
    """

    language: NGramModel
    topics: TopicModel

    def __post_init__(self) -> None:
        if not len(self._both[0]):
            raise InputError(
                "expected topics and n-grams with words in common, got none; is each in lower case?"
            )

    @cached_property
    def _both(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Numbers of the words that both know: in the n-gram model, in the topic model."""
        columns = {word: column for column, word in enumerate(self.topics.vocabulary)}
        pairs = [(n, columns[word]) for n, word in enumerate(self.language.vocabulary) if word in columns]
        numbers = np.array(pairs, np.int64).reshape(-1, 2)
        return numbers[:, 0], numbers[:, 1]

    @cached_property
    def _shared_topics(self) -> Floats:
        """The topics over the words that both know, shape (n_topics, n_shared)."""
        return np.ascontiguousarray(self.topics.topic_word[:, self._both[1]])

    def mixtures(self, contexts: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """P(z|C) of each of the `contexts`, given by their words."""
        return self.topics.transform([" ".join(words) for words in contexts])

    def word_probabilities(self, mixture: NDArray[np.float32]) -> Floats:
        """P_T(w|C) of each word of the n-gram model; `mixture` is P(z|C)."""
        known, _ = self._both
        by_topics = mixture.astype(np.float64) @ self._shared_topics
        found = self.language.unigram.copy()
        found[known] = by_topics * found[known].sum() / by_topics.sum()
        return found

    def interpolated(self, grams: Sequence[Gram], given: Floats, strength: float) -> Floats:
        """P(w|h,C) by interpolation."""
        plain = np.array([self.language.probability(gram) for gram in grams])
        last = np.array([gram[-1] for gram in grams])
        return strength * np.where(last < 0, plain, given[last]) + (1 - strength) * plain

    def rescaled(self, grams: Sequence[Gram], given: Floats, strength: float) -> Floats:
        """P(w|h,C) by rescaling."""
        unigram = self.language.unigram
        factors = np.divide(given, unigram, out=np.ones(len(unigram)), where=unigram > 0) ** strength
        sums: dict[Gram, float] = {(): float(factors @ unigram)}
        return np.array(
            [
                self.language.probability(gram)
                * (factors[gram[-1]] if gram[-1] >= 0 else 1.0)
                / self._sum(gram[:-1], factors, sums)
                for gram in grams
            ]
        )

    def _sum(self, history: Gram, factors: Floats, sums: dict[Gram, float]) -> float:
        """Z(h, C) = sum_w factor_w P_LM(w|h), remembered for every history."""
        if history not in sums:
            words, extra, back_off = self.language.residual(history)
            rest = back_off * self._sum(history[1:], factors, sums)
            sums[history] = float(factors[words] @ extra) + rest
        return sums[history]

    def probabilities(self, grams: Sequence[Gram], given: Floats, way: str, strength: float) -> Floats:
        """P(w|h,C) by `way`: "interpolation" or "rescaling"."""
        if way not in WAYS:
            raise InputError(f"expected {' or '.join(WAYS)}, got {quoted(way)}")
        if not 0 <= strength <= 1:
            raise InputError(f"expected a strength from 0 to 1, got {strength}")
        return (self.interpolated if way == "interpolation" else self.rescaled)(grams, given, strength)
