"""Counts as whole numbers of steps on the scale of their square roots: small ones fine, large ones coarse.

    root  = round(FINEST (sqrt(count + OFFSET) - sqrt(OFFSET)))
    count = x (x + 2 sqrt(OFFSET)),  x = root / FINEST

A count n stands with an error of about sqrt(n) / FINEST, well below what chance does to it, in few bits, and
most of them do not change from one round to the next. Each number is made by itself, from operations
that are exact to the last bit on every machine: the same counts give the same roots everywhere.
"""

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.protocol.turn import Arrays

FINEST = 56  # steps
OFFSET = 0.15  # about the largest count that may as well be none
MOST = 2 * 10**9  # of a root that is believed: about 1e15 counts
_LARGEST = np.iinfo(np.int32).max


def of(counts: NDArray[Any]) -> NDArray[np.int32]:
    """Whole roots of `counts` of at least 0.

    >>> of(np.array([0.0, 0.01, 1.0, 100.0]))
    array([  0,   1,  38, 539], dtype=int32)
    """
    exact = np.asarray(np.maximum(counts, 0.0), np.float64) + OFFSET
    np.sqrt(exact, out=exact)
    exact -= sqrt(OFFSET)
    exact *= FINEST
    np.rint(exact, out=exact)
    return np.asarray(np.minimum(exact, _LARGEST, out=exact).astype(np.int32))


def to_counts(roots: NDArray[Any]) -> NDArray[np.float64]:
    """The counts of roots, which need not be whole; none below zero.

    >>> to_counts(np.array([0, 38, 539])).round(2)
    array([  0.  ,   0.99, 100.1 ])
    """
    found = np.maximum(roots, 0) / float(FINEST)
    return np.asarray(found * (found + 2 * sqrt(OFFSET)))


def with_counts(arrays: Arrays) -> Arrays:
    """What was sent, with "counts" in place of their "roots" where it has these."""
    if "roots" not in arrays:
        return arrays
    others = {name: array for name, array in arrays.items() if name != "roots"}
    return others | {"counts": to_counts(arrays["roots"])}


def with_roots(arrays: Arrays) -> Arrays:
    """What is to be sent, with "roots" in place of the "counts" where it has these."""
    if "counts" not in arrays:
        return arrays
    others = {name: array for name, array in arrays.items() if name != "counts"}
    return others | {"roots": of(arrays["counts"])}
