"""How documents are cut, and in which order what comes of the parts is added.

A shard is the documents first:last. The cut follows from public facts alone, the number of documents and that
of shards: where it followed from lengths, a word more would move it, and with it what is made of the noisy
histograms of other documents. It never follows from the workers, so their number changes no bit.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.protocol.turn import Arrays

T = TypeVar("T")
DOCUMENTS = 2000  # of a shard at least, where nothing is said
MANY = 64  # shards at most, where nothing is said: enough for some dozen workers


class Range(NamedTuple):
    """The documents `first`:`last`."""

    first: int
    last: int


def usual_number(n_docs: int) -> int:
    """Shards of so many documents, where nothing is said: a power of two, which is easily shared out.

    >>> usual_number(300), usual_number(20_500), usual_number(10**6)
    (1, 8, 64)
    """
    return min(MANY, _power_of_two(n_docs // DOCUMENTS))


def ranges(n_docs: int, n_shards: int | None = None, units: NDArray[np.int64] | None = None) -> list[Range]:
    """The shards of `n_docs` documents: equally many in each, none empty; `units` begin at these places.

    >>> ranges(5, 2), ranges(5, 2, units=np.array([0, 4, 5]))
    ([Range(first=0, last=2), Range(first=2, last=5)], [Range(first=0, last=4), Range(first=4, last=5)])
    """
    bounds = np.arange(n_docs + 1) if units is None else units
    n_units = len(bounds) - 1
    wanted = usual_number(n_docs) if n_shards is None else n_shards
    places = [n_units * number // min(wanted, max(n_units, 1)) for number in range(min(wanted, n_units) + 1)]
    return [Range(int(bounds[a]), int(bounds[b])) for a, b in pairwise(places)] or [Range(0, n_docs)]


def in_tree(parts: Sequence[T], add: Callable[[T, T], T]) -> T:
    """The sum of all parts: neighbors first, then neighbors of those sums, whoever adds them when.

    >>> in_tree(["a", "b", "c", "d", "e"], lambda one, other: f"({one}{other})")
    '(((ab)(cd))e)'
    """
    level = list(parts)
    while len(level) > 1:
        pairs = [add(level[place], level[place + 1]) for place in range(0, len(level) - 1, 2)]
        level = pairs + ([level[-1]] if len(level) % 2 else [])
    return level[0]


def subtrees(parts: Sequence[T], most: int) -> list[Sequence[T]]:
    """The parts in at most so many neighborhoods, each a subtree of `in_tree`: how many changes no sum.

    >>> subtrees("abcde", 3)
    ['ab', 'cd', 'e']
    """
    size = _power_of_two(2 * -(-len(parts) // most) - 1)
    return [parts[place : place + size] for place in range(0, len(parts), size)]


def _power_of_two(number: int) -> int:
    """The largest up to the number; 1 where there is none."""
    return 1 << max(number.bit_length() - 1, 0)


def wide(arrays: Arrays) -> Arrays:
    """Numbers in 64 bits, as they are added."""
    return {
        name: array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
        for name, array in arrays.items()
    }


def added(one: Arrays, other: Arrays) -> Arrays:
    """The sum of two answers, array by array."""
    if one.keys() != other.keys() or any(one[name].shape != other[name].shape for name in one):
        raise InputError("expected the same arrays of every shard, got others; nothing was released")
    return {name: np.asarray(one[name] + other[name]) for name in one}


def as_sent(total: Arrays, kinds: dict[str, str]) -> Arrays:
    """A sum as one party sends it, in arrays of these kinds; numbers that do not fit them are refused."""
    sent = {name: array.astype(kinds[name]) for name, array in total.items()}
    for name, array in total.items():
        if array.dtype.kind != "f" and (sent[name] != array).any():
            raise InputError(f"expected sums that fit {kinds[name]} in {name}, got larger ones")
    return sent
