"""Sums over parties: all that the server of some methods needs, so that a secure sum can carry it.

    plain      sums of 64 bits, parties in the order of their names
    in steps   each number of an array as a whole number of steps of 2^-bits (`Method.sums`), added modulo
               2^64: the same bits in any order, with masks that cancel or without

What is added in steps lies within 2^62 / parties, in steps, on either side of zero: no sum wraps around.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.together import Together
from fedtopics.protocol.turn import Arrays

NoiseOf: TypeAlias = Literal["each", "together"]
LARGEST = 2.0**62  # steps, of all parties together
MOST_REPEATS = 100


class Total(NamedTuple):
    """The sum of what some `parties` have sent, array by array."""

    arrays: Arrays
    parties: tuple[str, ...]


@dataclass(frozen=True)
class Summing:
    """How parties are added up where the coordinator is to see totals alone.

    threshold   parties that may work together with the coordinator
    noise       "each": every party adds all the noise of its price; "together": a share of it, so that what
                is left without `threshold` of the parties of a sum is the noise of the price
    repeats     rounds that may be lost, where a party falls silent after others have sent, and played again
    """

    threshold: int
    noise: str = "each"
    repeats: int = 0

    def __post_init__(self) -> None:
        if self.noise not in get_args(NoiseOf):
            raise InputError(f"noise must be each or together, got {quoted(self.noise)}")
        if self.threshold < 0:
            raise InputError(f"threshold must be at least 0, got {self.threshold}")
        if not 0 <= self.repeats <= MOST_REPEATS:
            raise InputError(f"repeats must lie between 0 and {MOST_REPEATS}, got {self.repeats}")

    def least(self, n_parties: int) -> int:
        """The fewest of `n_parties` in a sum; an error where one would stand alone before the others."""
        if self.threshold > n_parties - 2:
            raise InputError(
                f"threshold must be at most {n_parties - 2}, two less than the {n_parties} parties, "
                f"got {self.threshold}: a sum of one party hides nothing"
            )
        return self.threshold + 2

    def together(self, n_parties: int, n_least: int | None = None) -> Together | None:
        """How `n_parties` draw noise of whom at least `n_least` (all) are in a sum; None: each its own."""
        self.least(n_parties)
        if self.noise == "each":
            return None
        return Together(n_parties, self.threshold, n_parties if n_least is None else n_least)

    def in_words(self, n_parties: int, n_least: int | None = None) -> str:
        """What the coordinator sees of `n_parties`, of whom at least `n_least` (all) are in a sum.

        >>> Summing(1).in_words(4).partition(";")[0]
        'the coordinator sees only totals of at least 4 parties'
        """
        least = n_parties if n_least is None else n_least
        helped = "another one" if least > 2 else "the other"
        found = ""
        if least < n_parties and self.noise == "each":
            found = "; totals with and without a party show what that one sent, with all its noise"
        return (
            f"the coordinator sees only totals of at least {least} parties; it would take {least - 1} of "
            f"them together with the coordinator to see {helped}{found}; {self._noise_in_words()}"
        )

    def _noise_in_words(self) -> str:
        if self.noise == "each":
            return "every party adds all the noise of its price"
        some = {0: "no party helps", 1: "at most one party helps"}
        helping = some.get(self.threshold, f"at most {self.threshold} parties help")
        return f"noise is drawn together, enough of it where {helping} the coordinator"

    def to_dict(self, n_parties: int, n_least: int | None = None) -> dict[str, Any]:
        """For the record of a run of `n_parties`, of whom at least `n_least` are in a sum."""
        return asdict(self) | {"n_parties": n_parties, "seen": self.in_words(n_parties, n_least)}


@dataclass(frozen=True)
class Each(Mapping[str, Arrays]):
    """What parties `sent`, with each made into another form when it is looked at: one is held at a time."""

    sent: Mapping[str, Arrays]
    form: Callable[[Arrays], Arrays]

    def __getitem__(self, party: str) -> Arrays:
        return self.form(self.sent[party])

    def __iter__(self) -> Iterator[str]:
        return iter(self.sent)

    def __len__(self) -> int:
        return len(self.sent)


def added(sent: Mapping[str, Arrays]) -> Total:
    """The plain sum of what parties sent, by name; those that sent nothing are not among them.

    >>> added({"b": {"n": np.array([1, 2])}, "a": {"n": np.array([3, 4])}, "c": {}})
    Total(arrays={'n': array([4, 6])}, parties=('a', 'b'))
    """
    total, parties = dict[str, NDArray[Any]](), list[str]()
    for name in sorted(sent):
        arrays = sent[name]
        if not arrays:
            continue
        parties.append(name)
        if total and total.keys() != arrays.keys():
            raise InputError(f"expected {', '.join(total)} of every party, got other arrays of {name}")
        for key, array in arrays.items():
            wide = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
            total[key] = np.asarray(total[key] + wide) if key in total else wide
    return Total(total, tuple(parties))


def in_steps(arrays: Arrays, bits: Mapping[str, int], n_parties: int) -> Arrays:
    """Arrays as unsigned integers modulo 2^64, in steps; a number beyond the bound of so many is refused.

    >>> in_steps({"n": np.array([0.5, -1.0])}, {"n": 1}, n_parties=2)["n"].astype(np.int64)
    array([ 1, -2])
    """
    if not arrays.keys() <= bits.keys():
        raise InputError(f"expected arrays that can be added ({', '.join(bits)}), got {', '.join(arrays)}")
    return {name: _steps(name, array, bits[name], n_parties) for name, array in arrays.items()}


def _steps(name: str, array: NDArray[Any], bits: int, n_parties: int) -> NDArray[np.uint64]:
    whole = array.dtype.kind in "iu" and bits == 0
    steps = array if whole else np.rint(array.astype(np.float64) * 2.0**bits)
    most = LARGEST / n_parties
    if array.size and not (-most <= steps.min() and steps.max() <= most):  # NaN is refused, too
        raise InputError(f"expected numbers within {most / 2.0**bits:g} in {name}, got larger ones or none")
    return np.asarray(steps.astype(np.int64).view(np.uint64))


def out_of_steps(total: Arrays, bits: Mapping[str, int]) -> Arrays:
    """The numbers of a sum that was made in steps: 64-bit floats, or integers where steps are whole.

    >>> out_of_steps({"n": np.array([3], np.uint64)}, {"n": 1})
    {'n': array([1.5])}
    """
    signed = {name: array.view(np.int64) for name, array in total.items()}
    return {name: array * 2.0 ** -bits[name] if bits[name] else array for name, array in signed.items()}


def added_in_steps(sent: Mapping[str, Arrays], bits: Mapping[str, int], n_parties: int) -> Total:
    """The sum of what parties sent as a secure sum makes it, bit for bit."""
    steps = {name: in_steps(arrays, bits, n_parties) for name, arrays in sent.items() if arrays}
    total = added({name: _signed(arrays) for name, arrays in steps.items()})
    return total._replace(arrays=out_of_steps(total.arrays, bits))


def _signed(arrays: Arrays) -> Arrays:
    return {name: array.view(np.int64) for name, array in arrays.items()}
