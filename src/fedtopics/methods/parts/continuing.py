"""Going on from a model: its counts stay, those of new documents are added, and topics keep their numbers.

Earlier counts are what the model was released with (its topics, their shares, the tokens behind them), so
they cost nothing again; new documents pay for themselves.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.protocol.turn import Arrays

EARLIER = "earlier"


def earlier(model: TopicModel, n_topics: int) -> Arrays:
    """Counts (n_words, n_topics) behind a `model`; topics that it does not have are new and begin empty."""
    if n_topics < model.n_topics:
        raise InputError(
            f"expected at least the {model.n_topics} topics of the model to go on from, got {n_topics}; "
            "take as many, or reduce_topics of the model first"
        )
    counts = np.zeros((model.n_words, n_topics))
    counts[:, : model.n_topics] = model.counts.T
    return {EARLIER: counts}


def begun(state: Arrays, counts: NDArray[Any]) -> NDArray[Any]:
    """Counts to begin with: those of the earlier model, and random `counts` in topics that are new."""
    if EARLIER not in state:
        return counts
    found = np.array(state[EARLIER])
    empty = found.sum(axis=0) == 0
    found[:, empty] = counts[:, empty]
    return found


def with_earlier(state: Arrays, combined: Callable[[Arrays], Arrays]) -> Arrays:
    """What `combined` makes of the state of new documents alone, with the earlier counts added again."""
    if EARLIER not in state:
        return combined(state)
    found = combined(state | {"counts": state["counts"] - state[EARLIER]})
    return found | {"counts": found["counts"] + state[EARLIER]}
