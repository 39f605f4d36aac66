"""The best of N hypotheses under a language model adapted to the topics of the talk around them.

A recognizer's first pass gives each utterance some hypotheses with scores. The second adds what an adapted
language model thinks:

    score'(h) = score(h) + weight (log P(h | C) - included log P_LM(h))

`included` is 1 where the first pass has used the same n-gram model, so that strength 0 gives its order back
at any weight, and 0 where its scores know nothing of it. The context C is what the first pass made of the
other utterances of the same session, the utterance itself left out (it would vote for its own first guess).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fedtopics.applications.bootstrap import Floats, Score, resampled
from fedtopics.applications.speech.adaptation import Adaptation
from fedtopics.applications.speech.ngrams import NGramModel
from fedtopics.errors import InputError

FLOOR = 1e-12


@dataclass(frozen=True)
class Hypothesis:
    """`words` that may have been said; `score`, the logarithm of how well they fit the first pass."""

    words: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class Utterance:
    """One piece of speech.

    name         tells it from others
    session      the talk it belongs to: utterances of one are each other's context
    reference    what was really said; empty where unknown
    hypotheses   what the recognizer may have heard
    """

    name: str
    session: str
    reference: tuple[str, ...]
    hypotheses: tuple[Hypothesis, ...]

    @property
    def first(self) -> Hypothesis:
        return max(self.hypotheses, key=lambda hypothesis: hypothesis.score)


@dataclass(frozen=True)
class Setting:
    """How the topics are used.

    way        "interpolation" or "rescaling" (see `adaptation`)
    strength   of the topics, from 0 (none) to 1
    weight     of the language model beside the scores of the first pass
    """

    way: str = "interpolation"
    strength: float = 0.0
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.weight < np.inf:
            raise InputError(f"the language model's weight must be finite and at least 0, got {self.weight}")


def contexts(utterances: Sequence[Utterance]) -> list[list[str]]:
    """First guesses of the other utterances of the same session, one list of words for each utterance."""
    sessions: dict[str, list[Utterance]] = {}
    for utterance in utterances:
        sessions.setdefault(utterance.session, []).append(utterance)
    return [
        [word for other in sessions[u.session] if other is not u for word in other.first.words]
        for u in utterances
    ]


def plain_scores(utterances: Sequence[Utterance], language: NGramModel) -> list[Floats]:
    """log P_LM of every hypothesis of every utterance."""

    def score(hypothesis: Hypothesis) -> float:
        chances = [language.probability(gram) for gram in language.grams(hypothesis.words)]
        return sum(float(np.log(max(chance, FLOOR))) for chance in chances)

    return [np.array([score(h) for h in utterance.hypotheses]) for utterance in utterances]


def adapted_scores(
    utterances: Sequence[Utterance], adaptation: Adaptation, way: str, strength: float
) -> list[Floats]:
    """log P(h | C) of every hypothesis of every utterance; 0 where there is only one to choose from."""
    return scores_by_setting(utterances, adaptation, [(way, strength)])[way, strength]


def scores_by_setting(
    utterances: Sequence[Utterance], adaptation: Adaptation, settings: Iterable[tuple[str, float]]
) -> dict[tuple[str, float], list[Floats]]:
    """`adapted_scores` for several ways and strengths; what they share is computed once."""
    found: dict[tuple[str, float], list[Floats]] = {setting: [] for setting in settings}
    for utterance, mixture in zip(utterances, adaptation.mixtures(contexts(utterances)), strict=True):
        if len(utterance.hypotheses) == 1:
            for scores in found.values():
                scores.append(np.zeros(1))
            continue
        given = adaptation.word_probabilities(mixture)
        grams = [adaptation.language.grams(h.words) for h in utterance.hypotheses]
        ends = np.cumsum([0, *map(len, grams)])[:-1]
        every = [gram for each in grams for gram in each]
        for (way, strength), scores in found.items():
            chances = adaptation.probabilities(every, given, way, strength)
            scores.append(np.add.reduceat(np.log(np.maximum(chances, FLOOR)), ends))
    return found


def choose(
    utterances: Sequence[Utterance], language_scores: Sequence[Floats], weight: float
) -> list[Hypothesis]:
    """The hypothesis with the best sum of both scores, for each utterance; equals go to the first."""
    chosen = []
    for utterance, extra in zip(utterances, language_scores, strict=True):
        first_pass = np.array([hypothesis.score for hypothesis in utterance.hypotheses])
        chosen.append(utterance.hypotheses[int(np.argmax(first_pass + weight * extra))])
    return chosen


def rescored(
    utterances: Sequence[Utterance], adaptation: Adaptation, setting: Setting, *, included: bool
) -> list[Hypothesis]:
    """The hypothesis that this `setting` of an `adaptation` prefers, for each of the `utterances`.

    included   whether the scores of the first pass contain those of the n-gram model
    """
    scores = adapted_scores(utterances, adaptation, setting.way, setting.strength)
    if included:
        plain = plain_scores(utterances, adaptation.language)
        scores = [adapted - known for adapted, known in zip(scores, plain, strict=True)]
    return choose(utterances, scores, setting.weight)


def errors(utterances: Sequence[Utterance], chosen: Sequence[Hypothesis]) -> NDArray[np.float64]:
    """(n_utterances, 2): wrong, missing and added words of each choice, and the words of the reference."""
    found = []
    for utterance, hypothesis in zip(utterances, chosen, strict=True):
        if not utterance.reference:
            raise InputError(f"expected a reference to count errors, got none for {utterance.name!r}")
        found.append((_wrong(utterance.reference, hypothesis.words), len(utterance.reference)))
    return np.array(found, np.float64)


@lru_cache(maxsize=1 << 16)  # whoever tries settings asks for the same pairs again and again
def _wrong(reference: tuple[str, ...], words: tuple[str, ...]) -> int:
    try:
        import jiwer
    except ImportError:
        raise InputError("word error rates need jiwer; pip install 'fedtopics[speech]'") from None
    counts = jiwer.process_words(" ".join(reference), " ".join(words))
    return int(counts.substitutions + counts.deletions + counts.insertions)


def word_error_rate(utterances: Sequence[Utterance], counts: NDArray[np.float64]) -> Score:
    """Errors per word of the references; whole sessions are resampled, for their utterances hang together.

    Where there is one session alone, its utterances are.
    """
    sessions, member = np.unique([u.session for u in utterances], return_inverse=True)
    if len(sessions) == 1:
        sessions, member = np.unique([u.name for u in utterances], return_inverse=True)
    [score] = resampled(
        lambda weights: np.array([counts[:, 0] @ weights[member] / (counts[:, 1] @ weights[member])]),
        len(sessions),
    )
    return score
