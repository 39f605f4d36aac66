"""What the explorer of a page works on: topics with places and neighbors, parties, packed words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fedtopics.model import TopicModel
from fedtopics.report.packed_topics import packed_order, packed_topics
from fedtopics.report.parties_shown import ShownParty, leading
from fedtopics.report.topic_map import places
from fedtopics.report.topics_shown import Card, Floats


def explorer(
    model: TopicModel, cards: Sequence[Card], alike: Floats, parties: list[ShownParty]
) -> dict[str, Any]:
    """Plain data for the script of the page; topics are in the order of `cards`, the largest first."""
    at, first, together = places(alike), leading(parties), _together(model)
    topics = [
        {
            "number": card.number,
            "name": card.name,
            "label": list(card.short),
            "share": card.share,
            "empty": not card.words,
            "together": together[card.number],
            "place": [round(float(value), 4) for value in at[card.number]],
            "near": [[other, round(100 * alike)] for other, alike in card.neighbors],
            "party": first[card.number] if first else None,
            "alpha": float(f"{model.alpha[card.number]:.4g}"),
        }
        for card in cards
    ]
    return {
        "topics": topics,
        "parties": [
            {"name": party.name, "shares": [float(f"{share:.3g}") for share in party.shares]}
            for party in parties
        ],
        "packed": packed_topics(model),
        "language": model.language,
    }


def _together(model: TopicModel) -> list[list[int]]:
    """Of each topic the words that are shown first as they stand together, by their places on the page."""
    if model.company is None:
        return [[]] * model.n_topics
    return np.argsort(packed_order(model))[model.company].tolist()  # type: ignore[no-any-return]
