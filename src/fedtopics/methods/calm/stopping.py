"""When to stop: where histograms that take no part in training become no more likely."""

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.protocol.turn import Arrays

logger = logging.getLogger(__name__)
SCORED = 10  # rounds from one score of the histograms held out to the next
STILL = 0.02  # least gain in log-likelihood of a histogram held out, from one score to the next


def is_due(number: int) -> bool:
    """Whether histograms held out are scored in this round."""
    return number > 0 and number % SCORED == 0


def apart(n_docs: int, share: float) -> NDArray[np.bool_]:
    """The histograms held out, by their place alone: which they are is public."""
    place = np.arange(n_docs)
    return np.asarray(np.floor((place + 1) * share) > np.floor(place * share))


def noted(state: Arrays, score: NDArray[Any] | None, number: int) -> Arrays:
    """The score per histogram of this round where one is due, and the end where it rises no more."""
    if score is None or not is_due(number):
        return {"reached": state["reached"]} if "reached" in state else {}
    likelihood, n_docs = score
    reached = np.array(likelihood / max(n_docs, 1))
    if "reached" in state and reached - state["reached"] < STILL:
        logger.info("stopped after round %d: held-out likelihood rises no more", number)
        return {"reached": reached, "stopped": np.array(number)}
    return {"reached": reached}
