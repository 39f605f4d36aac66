"""Combining what parties sent, without those whose message the method cannot use: none of them ends a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fedtopics.federation.protocol import Arrays, Method, Turn


def combine(
    method: Method, state: Arrays, sent: Mapping[str, Arrays], turn: Turn
) -> tuple[Arrays, tuple[str, ...]]:
    """The next state, and the parties that had to be left out of it.

    Messages have the right shapes and finite numbers by now, yet may make no sense (topics of probability
    zero, a negative share). Where combining all of them fails, each is tried alone, and those that fail are
    left out.
    """
    after = _tried(method, state, sent, turn)
    if after is not None:
        return after, ()
    useful = {
        name: arrays
        for name, arrays in sent.items()
        if _tried(method, state, {name: arrays}, turn) is not None
    }
    after = _tried(method, state, useful, turn) if len(useful) < len(sent) else None
    if after is None:
        return state, tuple(sent)
    return after, tuple(name for name in sent if name not in useful)


def _tried(method: Method, state: Arrays, sent: Mapping[str, Arrays], turn: Turn) -> Arrays | None:
    """The next state; None where the method fails, or makes numbers that are none."""
    try:
        with np.errstate(all="ignore"):
            after = method.combine(state, dict(sent), turn)
    except Exception:  # whatever a message brings about: the run goes on without it
        return None
    finite = all(np.isfinite(array).all() for array in after.values() if array.dtype.kind == "f")
    return after if finite else None
