"""Combining what parties sent, without those whose message the method cannot use: none of them ends a run."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.coordinator.spool import Sent
from fedtopics.network.plan.terms import Terms
from fedtopics.protocol import told
from fedtopics.protocol.engine import Rounds
from fedtopics.protocol.method import Method
from fedtopics.protocol.summing import Total
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays, Turn


def combine(
    method: Rounds,
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

    def tried(left: Mapping[str, Arrays]) -> Arrays | None:
        """The next state; None where the method fails, or makes numbers that are none or nobody believes."""
        try:
            with np.errstate(all="ignore"):
                after = method.combine(state, left, turn)  # type: ignore[arg-type]
                finite = all(np.isfinite(array).all() for array in after.values() if array.dtype.kind == "f")
                return after if finite and believed(after) else None
        except Exception:  # whatever a message brings about: the run goes on without it
            return None

    left = _of(sent, tuple(sent))
    after = tried(left)
    if after is None:
        left = _of(sent, tuple(name for name in sent if tried({name: sent[name]}) is not None))
        after = tried(left) if 0 < len(left) < len(sent) else None
    if after is None:
        after, left = _without_the_largest(left, tried)
    return (state if after is None else after), tuple(name for name in sent if name not in left)


def tell_all(rounds: Rounds, state: Arrays, parties: Sequence[str]) -> dict[str, Arrays]:
    """What each party is told; the very same arrays where a method tells all of them the same."""
    if rounds.tells_alike and parties:
        return dict.fromkeys(parties, rounds.tell(state, parties[0]))
    return {name: rounds.tell(state, name) for name in parties}


def _of(sent: Mapping[str, Arrays], parties: tuple[str, ...]) -> Mapping[str, Arrays]:
    """What these parties sent, read one after the other where it is on the disk."""
    return sent.of(parties) if isinstance(sent, Sent) else {name: sent[name] for name in parties}


def combine_total(
    method: Method, state: Arrays, total: Total, turn: Turn, believed: Callable[[Arrays], bool]
) -> Arrays:
    """The next state from a total; one that makes no sense ends the run, as nobody sees whose fault it is."""
    try:
        with np.errstate(all="ignore"):
            after = method.combine_total(state, total, turn)
        sound = all(np.isfinite(array).all() for array in after.values() if array.dtype.kind == "f")
        sound = sound and believed(after)
    except Exception as error:  # whatever a message brings about
        raise InputError(f"the total of round {turn.round} makes no sense ({error})") from error
    if not sound:
        raise InputError(f"the total of round {turn.round} makes no sense; a party has sent something else")
    return after


def believable(rounds: Rounds, terms: Terms, n_words: int) -> Callable[[Arrays], bool]:
    """A check of states that raises unless every party would believe what it is told."""
    bits = terms.significant_bits

    def believed(state: Arrays) -> bool:
        checked: tuple[Arrays, list[Form]] | None = None
        for party, arrays in tell_all(rounds, state, terms.parties).items():
            forms = rounds.may_be_told(n_words, party)
            if checked is not None and arrays is checked[0] and forms == checked[1]:
                continue
            checked = arrays, forms
            shown = arrays if bits is None else {name: wire.rounded(arrays[name], bits) for name in arrays}
            told.check(shown, forms, bits)
        return True

    return believed


def _without_the_largest(
    sent: Mapping[str, Arrays], tried: Callable[[Mapping[str, Arrays]], Arrays | None]
) -> tuple[Arrays | None, Mapping[str, Arrays]]:
    """The next state without as few parties as need be, and what the others sent."""
    largest = {name: [float(np.abs(a).max(initial=0)) for a in sent[name].values()] for name in sent}
    order = sorted(sent, key=lambda name: -max(largest[name], default=0.0))
    one_less = [order[place : place + 1] for place in range(len(order))]
    fewer_and_fewer = [order[:number] for number in range(2, len(order))]
    for without in one_less + fewer_and_fewer:
        left = _of(sent, tuple(name for name in sent if name not in without))
        after = tried(left) if left else None
        if after is not None:
            return after, left
    return None, {}
