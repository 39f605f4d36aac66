"""Who wrote what: a person's documents stay together, so that a method can protect whole persons."""

from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError


class Persons(NamedTuple):
    """The different persons of some documents, in order of their names.

    names   of each person
    of      the person of each document, as a position in `names`
    """

    names: tuple[str, ...]
    of: NDArray[np.int64]


def different(persons: Sequence[str] | None) -> Persons:
    """The persons of documents that name one each; an error where any of them does not."""
    if persons is None:
        raise InputError("expected documents with persons, got none; name a --person-column (person_column)")
    if missing := persons.count(""):
        raise InputError(f"expected a person for every document, got none for {missing} of {len(persons)}")
    names = tuple(sorted(set(persons)))
    number = {name: place for place, name in enumerate(names)}
    return Persons(names, np.array([number[name] for name in persons], np.int64))


def contents(
    vocabulary: Sequence[str], words: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[str, ...]:
    """The words of each document in one string, never empty: who a document is, where nobody is named."""
    spelled = np.array(vocabulary, dtype=object)[words]
    return tuple("d " + " ".join(spelled[begin:end]) for begin, end in pairwise(offsets))


def by_person(persons: Sequence[str] | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(order, offsets): person i wrote the documents order[offsets[i]:offsets[i+1]], in their order.

    >>> order, offsets = by_person(["eve", "ada", "eve"])
    >>> order.tolist(), offsets.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    names, of = different(persons)
    offsets = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.bincount(of, minlength=len(names)), out=offsets[1:])
    return np.argsort(of, kind="stable"), offsets


def held_out(
    persons: Sequence[str] | None, fraction: float, seed: int, *, both_sides: bool = False
) -> NDArray[np.bool_]:
    """Which documents are those of about a `fraction` of the persons.

    A person is held out if a number in [0, 1) made of `seed` and the name is below the fraction: when one
    comes or goes, nobody else changes sides. Where `both_sides` need documents, one person is held out and
    one is not, even if the numbers say otherwise.
    """
    names, of = different(persons)
    key = str(seed).encode()
    digests = [blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8, key=key) for name in names]
    numbers = np.array([int(digest.hexdigest(), 16) / 2**64 for digest in digests])
    if both_sides:
        if not (0 < fraction < 1 and len(names) > 1):
            raise InputError(
                "expected a test fraction above 0 and below 1 that leaves persons on both sides, "
                f"got {fraction} of {len(names)} persons"
            )
        in_order = np.sort(numbers)
        fraction = np.clip(fraction, in_order[1], in_order[-1])
    return np.asarray((numbers < fraction)[of])


def seeded(seed: int) -> np.random.Generator:
    """Random numbers that `seed` decides."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):  # what NumPy says of texts shows them
        raise InputError(f"expected a whole number from 0 up as seed, got {quoted(seed)}") from None


def drawn(n_docs: int, fraction: float, seed: int) -> NDArray[np.bool_]:
    """Which of `n_docs` documents are a `fraction` of them, drawn by `seed`: where nobody is named."""
    n_test = round(fraction * n_docs) if 0 < fraction < 1 else 0
    if not 0 < n_test < n_docs:
        raise InputError(
            "expected a test fraction above 0 and below 1 that leaves documents on both sides, "
            f"got {fraction} of {n_docs} documents"
        )
    is_test = np.zeros(n_docs, bool)
    is_test[seeded(seed).permutation(n_docs)[:n_test]] = True
    return is_test
