"""What a party may be told: names, types, shapes and limits of numbers, as its method declares them.

A party believes a coordinator no more than a coordinator believes a party (`expected.py`). Whatever the
method's own server cannot have said is refused before a document is looked at and before noise is drawn: so a
question can neither make a party fail for a reason that its documents decide, nor keep it busy for hours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.words import words_of
from fedtopics.errors import InputError
from fedtopics.protocol.turn import Arrays

LONGEST = 1e6  # mean tokens of a document: an E step takes time in proportion to it
SLACK = 1e-4  # of a sum that is one, in single precision


@dataclass(frozen=True)
class Numbers:
    """An array as a party may be told it; a dimension that is a range may have any of these sizes."""

    type: str
    shape: tuple[int | range, ...] = ()
    least: float = 0.0
    most: float = 1e15  # far above any count
    sums_to_one: int | None = None  # along this axis
    distinct: bool = False
    words: int = 0  # not numbers but a list of at most so many words, as `word_array` makes it


Form: TypeAlias = Mapping[str, Numbers]


class ToldError(InputError):
    """The coordinator tells what the server of this method never says."""


def topics_with_sizes(n_words: int, n_topics: int, beta: float) -> dict[str, Numbers]:
    """What `channel_em.maximize` makes: phi (n_words, n_topics) and topic sizes, with their prior."""
    return {
        "phi": Numbers("float32", (n_words, n_topics), float(np.finfo(np.float32).tiny), 1.0, sums_to_one=0),
        "sizes": Numbers("float32", (n_topics,), least=0.5 * beta * n_words),
    }


def mean_length() -> Numbers:
    """The mean length of documents, as estimated from what was released."""
    return Numbers("float64", (), most=LONGEST)


def most_bytes(forms: Sequence[Form]) -> int:
    """The size of the largest message of these forms."""

    def size(what: Numbers) -> int:
        return prod(_sizes(dimension)[-1] for dimension in what.shape) * np.dtype(what.type).itemsize

    return max(sum(map(size, form.values())) for form in forms)


def check(told: Arrays, forms: Sequence[Form], significant_bits: int | None = None) -> None:
    """Raise `ToldError` unless the arrays have one of the forms; rounding may move a sum that is one."""
    form = next((form for form in forms if set(form) == set(told)), None)
    if form is None:
        known = " or ".join(", ".join(sorted(form)) or "nothing" for form in forms)
        raise ToldError(f"expected to be told {known}, got {len(told)} arrays with other names")
    slack = SLACK + (0.0 if significant_bits is None else 2.0**-significant_bits)
    for name, what in form.items():
        _check_array(name, told[name], what, slack)


def _check_array(name: str, array: NDArray[Any], what: Numbers, slack: float) -> None:
    if array.dtype.name != what.type:
        raise ToldError(f"expected {what.type} in {name}, got {array.dtype.name}")
    sizes = [_sizes(dimension) for dimension in what.shape]
    if array.ndim != len(sizes) or any(n not in fit for n, fit in zip(array.shape, sizes, strict=True)):
        raise ToldError(f"expected shape {what.shape} of {name}, got {array.shape}")
    if what.words:
        try:
            words_of(array, what.words)
        except InputError as error:
            raise ToldError(f"{error} ({name})") from None
    if not array.size:
        return
    least, most = float(array.min()), float(array.max())  # NaN where there is one
    if not (what.least <= least and most <= what.most):
        raise ToldError(
            f"expected numbers from {what.least:g} to {what.most:g} in {name}, got {least:g} to {most:g}"
        )
    if what.distinct and len(np.unique(array)) != array.size:
        raise ToldError(f"expected every number once in {name}, got some that come again")
    if what.sums_to_one is not None:
        sums = array.sum(axis=what.sums_to_one, dtype=np.float64)
        if np.abs(sums - 1).max() > slack:
            raise ToldError(f"expected sums of 1 in {name}, got {sums.min():g} to {sums.max():g}")


def _sizes(dimension: int | range) -> range:
    return dimension if isinstance(dimension, range) else range(dimension, dimension + 1)
