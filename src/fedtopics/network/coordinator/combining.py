"""Combining what parties sent, without those whose message the method cannot use: none of them ends a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fedtopics.network import wire
from fedtopics.network.plan.terms import Terms
from fedtopics.protocol import told
from fedtopics.protocol.method import Method
from fedtopics.protocol.turn import Arrays, Turn


def combine(
    method: Method,
    state: Arrays,
    sent: Mapping[str, Arrays],
    turn: Turn,
    believed: Callable[[Arrays], bool] = lambda after: True,
) -> tuple[Arrays, tuple[str, ...]]:
    """The next state, and the parties that had to be left out of it.

    Messages have the right shapes and finite numbers by now, yet may make no sense (topics of probability
    zero, a negative share) or a state of which parties would not believe what they are told. Where combining
    all of them fails, each is tried alone, and those that fail are left out. Where that is not enough, one
    is left out whose absence helps, else one after the other: always those with the largest numbers first.
    """
    left = dict(sent)
    after = _tried(method, state, left, turn, believed)
    if after is None:
        alone = {name: _tried(method, state, {name: left[name]}, turn, believed) for name in left}
        left = {name: arrays for name, arrays in left.items() if alone[name] is not None}
        after = _tried(method, state, left, turn, believed) if 0 < len(left) < len(sent) else None
    if after is None:
        after, left = _without_the_largest(method, state, left, turn, believed)
    return (state if after is None else after), tuple(name for name in sent if name not in left)


def believable(terms: Terms, n_words: int) -> Callable[[Arrays], bool]:
    """A check of states that raises unless every party would believe what it is told."""

    def believed(state: Arrays) -> bool:
        for party in terms.parties:
            arrays = terms.method.tell(state, party)
            if terms.significant_bits is not None:
                arrays = {name: wire.rounded(array, terms.significant_bits) for name, array in arrays.items()}
            told.check(arrays, terms.method.may_be_told(n_words, party), terms.significant_bits)
        return True

    return believed


def _without_the_largest(
    method: Method,
    state: Arrays,
    sent: Mapping[str, Arrays],
    turn: Turn,
    believed: Callable[[Arrays], bool],
) -> tuple[Arrays | None, dict[str, Arrays]]:
    """The next state without as few parties as need be, and what the others sent."""
    order = sorted(sent, key=lambda name: -_largest(sent[name]))
    one_less = [order[place : place + 1] for place in range(len(order))]
    fewer_and_fewer = [order[:number] for number in range(2, len(order))]
    for without in one_less + fewer_and_fewer:
        left = {name: arrays for name, arrays in sent.items() if name not in without}
        after = _tried(method, state, left, turn, believed) if left else None
        if after is not None:
            return after, left
    return None, {}


def _largest(arrays: Arrays) -> float:
    return max((float(np.abs(array).max(initial=0)) for array in arrays.values()), default=0.0)


def _tried(
    method: Method,
    state: Arrays,
    sent: Mapping[str, Arrays],
    turn: Turn,
    believed: Callable[[Arrays], bool],
) -> Arrays | None:
    """The next state; None where the method fails, or makes numbers that are none or nobody believes."""
    try:
        with np.errstate(all="ignore"):
            after = method.combine(state, dict(sent), turn)
            finite = all(np.isfinite(array).all() for array in after.values() if array.dtype.kind == "f")
            return after if finite and believed(after) else None
    except Exception:  # whatever a message brings about: the run goes on without it
        return None
