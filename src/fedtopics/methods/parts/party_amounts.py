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
    for name, arrays in sent.items():  # one after the other: they may be read from a disk
        if counts in arrays:
            known[PARTY + name] = arrays[counts].sum(axis=0, dtype=np.float64)
    return known


def of(state: Arrays) -> dict[str, NDArray[Any]]:
    """The amount of text behind each topic, by party."""
    return {name.removeprefix(PARTY): array for name, array in state.items() if name.startswith(PARTY)}
