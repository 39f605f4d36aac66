"""How much text of each party is behind each topic, from what it sent last: for people, not for training.

A server that sees totals alone knows nothing of it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.protocol.turn import Arrays

PARTY = "party/"


def noted(state: Arrays, sent: Mapping[str, Arrays], counts: str) -> Arrays:
    """What is known of each party after a round in which some sent `counts` (n_words, n_topics)."""
    known = {name: array for name, array in state.items() if name.startswith(PARTY)}
    heard = {name: arrays[counts] for name, arrays in sent.items() if counts in arrays}
    return known | {PARTY + name: array.sum(axis=0, dtype=np.float64) for name, array in heard.items()}


def of(state: Arrays) -> dict[str, NDArray[Any]]:
    """The amount of text behind each topic, by party."""
    return {name.removeprefix(PARTY): array for name, array in state.items() if name.startswith(PARTY)}
