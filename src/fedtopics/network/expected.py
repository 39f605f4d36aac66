"""What a party may send in a round: names, types and shapes, learned from the method on invented ones.

The coordinator lets the method contribute for a party with one invented document and for one with three,
and compares: what both have in common every party's message must have; a dimension in which they
differ depends on the documents and may have any size. Numbers must be finite, of a size that sums cannot
overflow, and not negative unless the method says that they may be (`Method.may_be_negative`). Where rounds
declare what is sent (`Method.may_be_sent`), nothing needs to be learned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.wire import WireError
from fedtopics.protocol import told as forms
from fedtopics.protocol.coding import NOTHING, Known
from fedtopics.protocol.method import Method
from fedtopics.protocol.told import Form
from fedtopics.protocol.turn import Arrays, Party, Turn

LENGTH = 32  # of an invented document: enough for methods that take documents in pieces
LARGEST = 1e12  # far above any count, and of 100 parties together far below what a party believes
NUMBER_BYTES = 8  # of a number in such arrays as a server works with it, in however few it came
FIRST_BYTES, FOLD, MOST_BYTES = 2**24, 200, 2**29  # of arrays whose size depends on documents


@dataclass(frozen=True)
class Expected:
    """One array of a message; a dimension None may have any size."""

    type: str
    shape: tuple[int | None, ...]
    may_be_negative: bool = False


def read_declared(body: bytes, form: Form, known: Known = NOTHING) -> Arrays:
    """The arrays of a message, if they have the form; counted before they are made."""
    arrays = wire.unpack(body, limit=forms.most_bytes([form]), known=known)
    forms.check(arrays, [form])
    return arrays


def expected(
    method: Method,
    party: str,
    told: Arrays,
    vocabulary: Sequence[str],
    number: int,
    *,
    returning: bool = False,
) -> dict[str, Expected]:
    """What `party` may send in round `number` after it was told `told`; one that is `returning` remembers."""
    turn = Turn(0, "party", number, party)
    small, large = (
        _contribution(method, Party(party, _invented(tuple(vocabulary), n_docs), {}), told, turn, returning)
        for n_docs in (1, 3)
    )
    return {
        name: Expected(
            array.dtype.name, _common(array.shape, large[name].shape), name in method.may_be_negative
        )
        for name, array in small.items()
    }


@dataclass
class Learned:
    """What parties of a method may send, learned once for all rounds that are alike."""

    method: Method
    _known: dict[object, Mapping[str, Expected]] = field(default_factory=dict, init=False)

    def of(
        self, party: str, told: Arrays, words: Sequence[str], number: int, returning: bool, alike: bool
    ) -> Mapping[str, Expected]:
        """What a party may send; after two rounds, those in which it is told the same shapes are `alike`."""
        which = min(number, 2) if alike else number
        kind = (party, returning, which, *((key, array.shape) for key, array in told.items()))
        if kind not in self._known:
            self._known[kind] = expected(self.method, party, told, words, number, returning=returning)
        return self._known[kind]


def most_bytes(wanted: Mapping[str, Expected], n_arrived: int, n_held: int = 0) -> int:
    """The size of the arrays that are expected; where documents decide it, some for the bytes that arrived.

    Zeros compress 30,000-fold, reports with noise in them hardly at all.
    """
    if _open(wanted):
        return min(FIRST_BYTES + FOLD * n_arrived + n_held, MOST_BYTES)
    sizes = [prod(dimension or 0 for dimension in what.shape) for what in wanted.values()]
    return sum(size * np.dtype(what.type).itemsize for size, what in zip(sizes, wanted.values(), strict=True))


def read(body: bytes, wanted: Mapping[str, Expected], known: Known = NOTHING) -> Arrays:
    """The arrays of a message, if they are what is expected; counted before they are made.

    What is coded by a message that is `known` may be as large as that was.
    """
    held = NUMBER_BYTES * sum(array.size for array in known.arrays.values())
    limit = most_bytes(wanted, len(body), held if wire.is_relative(body) else 0)
    number_bytes = NUMBER_BYTES if _open(wanted) else 1
    arrays = wire.unpack(body, limit=limit, number_bytes=number_bytes, known=known)
    check(arrays, wanted)
    return arrays


def check(arrays: Arrays, wanted: Mapping[str, Expected]) -> None:
    """Raise `WireError` unless the arrays are what is expected; the message holds no number of the party."""
    if set(arrays) != set(wanted):
        names = ", ".join(sorted(wanted)) or "no arrays"
        raise WireError(f"expected {names}, got {len(arrays)} arrays with other names")
    for name, what in wanted.items():
        array = arrays[name]
        if array.dtype.name != what.type:
            raise WireError(f"expected {what.type} in {name}, got {array.dtype.name}")
        if len(array.shape) != len(what.shape) or _common(array.shape, what.shape) != what.shape:
            raise WireError(f"expected shape {what.shape} of {name}, got {array.shape}")
        _check_numbers(name, array, what)


def _open(wanted: Mapping[str, Expected]) -> bool:
    """Whether documents decide the size of the message."""
    return any(None in what.shape for what in wanted.values())


def _check_numbers(name: str, array: NDArray[Any], what: Expected) -> None:
    if not array.size or array.dtype.kind == "b":
        return
    least, most = array.min(), array.max()  # NaN where there is one
    if not (np.isfinite(least) and np.isfinite(most)):
        raise WireError(f"expected finite numbers in {name}, got NaN or infinity")
    if max(abs(float(least)), abs(float(most))) > LARGEST:
        raise WireError(f"expected numbers up to {LARGEST:g} in {name}, got larger ones")
    if array.dtype.kind == "f" and float(array.sum(dtype=np.float64)) > LARGEST:
        raise WireError(f"expected a sum up to {LARGEST:g} in {name}, got a larger one")
    if least < 0 and not what.may_be_negative:
        raise WireError(f"expected no negative number in {name}, got some")


def _contribution(method: Method, party: Party, told: Arrays, turn: Turn, returning: bool) -> Arrays:
    """What the invented party sends, without a memory or with one."""
    first, memory = method.contribute(party, told, turn)
    if not returning:
        return first.value
    try:
        return method.contribute(replace(party, memory=memory), told, turn)[0].value
    except InputError:  # what it is told does not hold the invented documents: it sends what it sent before
        return first.value


def _common(one: tuple[int | None, ...], other: tuple[int | None, ...]) -> tuple[int | None, ...]:
    if len(one) != len(other):
        return ()
    return tuple(a if a == b else None for a, b in zip(one, other, strict=True))


def _invented(vocabulary: tuple[str, ...], n_docs: int) -> Corpus:
    """Documents of some words each, in one sentence, each of another person."""
    words = np.tile(np.array([0, len(vocabulary) - 1], np.int32), n_docs * LENGTH // 2)
    places = np.arange(0, n_docs * LENGTH + 1, LENGTH)
    return Corpus(
        words,
        places,
        vocabulary,
        sentence_offsets=places,
        document_sentences=np.arange(n_docs + 1),
        persons=tuple(map(str, range(n_docs))),
    )
