"""Topics of several models side by side: for each pair of models which topics are the same, changed or lost.

Topics are matched one to one by `fedtopics.model.matching` (the best assignment by Bhattacharyya similarity
of what is above the smoothing). A topic is lost where the other model has none that is at least half like it,
and changed where the one it has is less like it than `SAME`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.model import TopicModel
from fedtopics.model.matching import Matching
from fedtopics.report.topics_shown import cards, similarity

SAME = 0.8  # similarity from which on a topic is called the same
MOST_MODELS = 8
N_WORDS = 8


def aligned_topics(models: Mapping[str, TopicModel]) -> dict[str, Any] | None:
    """Plain data for the page: models with their topics, and the match of every topic in every other model.

    None where there are not two models over one vocabulary.
    """
    first = next(iter(models.values()), None)
    alike = {name: model for name, model in models.items() if first and model.vocabulary == first.vocabulary}
    shown = dict(list(alike.items())[:MOST_MODELS])
    if len(shown) < 2:
        return None
    return {
        "same": SAME,
        "left_out": len(models) - len(shown),
        "models": [{"name": name, "topics": _topics(model)} for name, model in shown.items()],
        "matches": [[_matches(one, other) for other in shown.values()] for one in shown.values()],
    }


def _topics(model: TopicModel) -> list[dict[str, Any]]:
    """Every topic by its number: name, share and most probable words."""
    made = sorted(cards(model, similarity(model)), key=lambda card: card.number)
    return [{"name": card.name, "share": card.share, "words": list(card.words[:N_WORDS])} for card in made]


def _matches(one: TopicModel, other: TopicModel) -> list[list[float] | None] | None:
    """For each topic of `one` its match in `other` and how alike they are, or None; None for itself."""
    if one is other:
        return None
    matching = Matching()
    alike: NDArray[np.float64] = matching.similarity(one.topic_word, other.topic_word)
    found: list[list[float] | None] = [None] * one.n_topics
    for first, second in matching.pairs(one.topic_word, other.topic_word):
        found[first] = [second - one.n_topics, round(float(alike[first, second - one.n_topics]), 3)]
    return found
