"""Counts of parties that are away, from totals alone: what the total lost when they left.

    E   counts of all parties that have ever been there      T   total of those that are there now
    the same parties as before   H stays                     then E <- T + H
    others                       H <- max(E - T, 0), every word's row scaled to the sum of E - T
    all                          H <- 0

Expected counts change little from round to round, so what is missing is close to what was sent last. It is
made of totals, which the server has anyway.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.words import word_array, words_of
from fedtopics.protocol.turn import Arrays

HELD, PRESENT, KNOWN = "held", "present", "known"


def with_absent(state: Arrays, counts: NDArray[Any], parties: tuple[str, ...]) -> Arrays:
    """Counts (n_words, n_topics) of all parties, and what is noted of those that are away."""
    before, known = (_names(state, name) for name in (PRESENT, KNOWN))
    everybody = tuple(sorted({*known, *parties}))
    held = state.get(HELD, np.zeros((1, 1)))
    if set(parties) == set(everybody) or "counts" not in state or not before:
        held = np.zeros((1, 1))
    elif parties != before:
        held = _missing(state["counts"] - counts)
    noted = {HELD: held, PRESENT: word_array(parties), KNOWN: word_array(everybody)}
    return {"counts": counts + held, **noted}


def _missing(lost: NDArray[np.float64]) -> NDArray[np.float64]:
    kept = np.maximum(lost, 0)
    wanted, found = np.maximum(lost.sum(axis=1), 0), kept.sum(axis=1)
    return np.asarray(kept * (wanted / np.maximum(found, 1e-300))[:, None])


def _names(state: Arrays, name: str) -> tuple[str, ...]:
    return words_of(state[name]) if name in state else ()
