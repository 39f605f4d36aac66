"""Whether topics are of any use: they must beat word frequencies, and their words must beat chance.

A model is compared with what costs nothing: the frequencies of words, without topics; and random words that
are as frequent as the topics' own. Frequent words stand together often, and rare ones seldom, whatever topics
are: a coherence says something only beside that of chance.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

NEAR = 10  # places in the order of frequency, on either side, from which a random word is drawn
N_TOPICS = 100  # random topics at least, so that their mean hardly moves
ERRORS = 2.0  # standard errors of a mean over the topics that chance may give
UNSCORED = (
    "no score says whether these topics are better than word frequencies; `fedtopics evaluate` does, on "
    "documents that they have not seen (a party may take its own, at no price)"
)


def random_topics(topics: Sequence[Sequence[int]], frequency: np.ndarray, seed: int = 0) -> list[list[int]]:
    """Topics of random words about as frequent as those of `topics`: words as ids, no word twice in one.

    >>> random_topics([[0, 1]], np.array([9, 8, 1, 0]), seed=1)[0] != [0, 1]
    True
    """
    order = np.argsort(-np.asarray(frequency), kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    generator = np.random.default_rng(seed)
    times = -(-N_TOPICS // max(1, len(topics)))
    return [_like(topic, order, place, generator) for topic in topics for _ in range(times)]


def _like(
    topic: Sequence[int], order: np.ndarray, place: np.ndarray, generator: np.random.Generator
) -> list[int]:
    chosen: list[int] = []
    for word in topic:
        reach = NEAR
        while True:
            low, high = max(0, place[word] - reach), min(len(order), place[word] + reach + 1)
            free = [int(each) for each in order[low:high] if each != word and each not in chosen]
            if free or high - low == len(order):
                break
            reach *= 2
        chosen.append(int(generator.choice(free)) if free else int(word))
    return chosen


def by_chance(coherences: NDArray[np.float64], n_topics: int) -> float:
    """What a mean over `n_topics` seldom exceeds where topics are random: from many random ones."""
    return float(coherences.mean() + ERRORS * coherences.std() / np.sqrt(n_topics))


def warnings(scores: Mapping[str, float | None]) -> list[str]:
    """What to say, loudly, of topics with these `scores`; nothing where they are of use.

    >>> said = warnings({"perplexity": 2262.0, "perplexity_unigram": 1563.0})[0]
    >>> said.partition(" (")[0]
    'these topics are no better than word frequencies'
    >>> said.partition("; ")[2]
    'take fewer words, fewer topics or more text, or with noise a larger epsilon'
    """
    found = []
    reached, without = scores.get("perplexity"), scores.get("perplexity_unigram")
    least = scores.get("perplexity_low", reached)  # where noise hides it
    if least is not None and reached is not None and without is not None and least >= without:
        found.append(
            f"these topics are no better than {no_topics(scores)} (perplexity {reached:,.0f}, without topics "
            f"{without:,.0f}): do not use them; take fewer words, fewer topics or more text, or with noise a "
            "larger epsilon"
        )
    own, chance = scores.get("coherence_npmi"), scores.get("coherence_npmi_chance")
    if own is not None and chance is not None and own <= chance:
        found.append(
            f"the words of a topic belong together no more than random words that are as frequent (NPMI "
            f"{own:.3f}, by chance up to {chance:.3f}): the topics mean nothing"
        )
    return found


def unsure(scores: Mapping[str, float | None]) -> list[str]:
    """What to say where there is no score, or noise on the `scores` hides whether topics are of use.

    >>> found = {"perplexity": 25.0, "perplexity_unigram": 22.0}
    >>> unsure(found | {"perplexity_low": 10.0, "perplexity_high": 53.0})[0].partition(";")[0]
    'noise on the scores hides whether these topics are better than the mean of them all'
    """
    if scores.get("perplexity") is None:
        return [UNSCORED]
    least, most = scores.get("perplexity_low"), scores.get("perplexity_high")
    without = scores.get("perplexity_unigram")
    if least is None or most is None or without is None or not least < without <= most:
        return []
    return [
        f"noise on the scores hides whether these topics are better than {no_topics(scores)}; perplexity "
        f"{least:,.0f} to {most:,.0f}, without topics {without:,.0f}"
    ]


def no_topics(scores: Mapping[str, float | None]) -> str:
    """What topics are compared with: noisy sums have no other frequencies of words than the model's own."""
    return "the mean of them all" if "perplexity_high" in scores else "word frequencies"
