"""How much one document and one person may contribute: public bounds, and the cut that keeps them.

Word relations are between documents as a mechanism is given them: tokenized and of the public vocabulary.
Documents longer than `max_length` keep their first `max_length` tokens, so a word that is inserted can push
another one over the edge: where there is such a bound, a word added or removed costs as much as one replaced.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.mapped import least_and_most
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.cost import Claim, Cost, Loss, NoiseSource
from fedtopics.privacy.price.events import Event

MECHANISM = None  # a part of mechanisms

WordIds: TypeAlias = NDArray[np.int32]
Offsets: TypeAlias = NDArray[np.int64]
Changed: TypeAlias = Callable[[int], tuple[Event, int]]  # from a number of words to an event and its count
logger = logging.getLogger(__name__)
KEYS = 2**62  # two tokens of a document of 1000 draw the same key once in 10^13 documents


@dataclass(frozen=True)
class Bounds:
    """Public limits, never read from private data: words of a document (`max_length`), documents of a
    person (`max_documents`). None: not promised, so that level is not priced.
    """

    max_length: int | None = None
    max_documents: int | None = None

    def __post_init__(self) -> None:
        for name, value in (
            ("document length", self.max_length),
            ("documents of a person", self.max_documents),
        ):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise InputError(
                    f"public maximum of {name} must be a whole number above 0, got {quoted(value)}"
                )

    def price(
        self, noise: NoiseSource, add_remove: Changed, replace: Changed, claims: tuple[Claim, ...] = ()
    ) -> Cost:
        """Cost at every level from the events of adding or removing n words, and of replacing n.

        For mechanisms that cut documents at `max_length` and hide how long they are.
        """
        length, n_documents = self.max_length, self.max_documents
        losses = [
            Loss("word add/remove", *(add_remove if length is None else replace)(1)),
            Loss("word replace", *replace(1)),
        ]
        if length is not None:
            losses.append(Loss("document add/remove", *add_remove(length)))
            losses.append(Loss("document replace", *replace(length)))
            if n_documents is not None:
                losses.append(Loss("person add/remove", *add_remove(length * n_documents)))
                losses.append(Loss("person replace", *replace(length * n_documents)))
        return Cost(tuple(losses), claims, noise=noise)


UNBOUNDED = Bounds()


def words_only(cost: Cost) -> Cost:
    """The cost of a release that did not see where documents end, and so could not cut them: words alone."""
    losses = tuple(loss for loss in cost.losses if loss.relation.startswith("word"))
    return with_changes(cost, losses=losses)


def report_price(event: Event, noise: NoiseSource, claims: tuple[Claim, ...] = (), count: int = 1) -> Cost:
    """Cost of one report for each word, in order: their number shows, so only a replaced word has a bound."""
    return Cost((Loss("word replace", event, count),), claims, noise=noise)


def check_words(words: NDArray[Any], n_words: int) -> WordIds:
    """The `words` as int32, or an error where they are not ids of a vocabulary of `n_words`."""
    words = np.asarray(words)
    if words.ndim != 1 or (words.size and not np.issubdtype(words.dtype, np.integer)):
        raise InputError(f"words must be one array of integers, got {words.dtype} of shape {words.shape}")
    least, most = least_and_most(words) if words.size else (0, 0)
    if words.size and not 0 <= least <= most < n_words:
        raise InputError(
            f"word ids must lie in [0, {n_words}), got [{least}, {most}]; "
            "drop words that are not in the public vocabulary first"
        )
    return np.ascontiguousarray(words, dtype=np.int32)


def check_offsets(offsets: NDArray[Any], n_tokens: int) -> Offsets:
    """The offsets as int64, or an error where they do not divide n_tokens tokens into rows."""
    offsets = np.asarray(offsets)
    good = offsets.ndim == 1 and offsets.size > 0 and np.issubdtype(offsets.dtype, np.integer)
    if not good or offsets[0] != 0 or offsets[-1] != n_tokens or np.any(np.diff(offsets) < 0):
        raise InputError(f"offsets must rise from 0 to the number of tokens {n_tokens}, got {offsets!r:.80}")
    return np.ascontiguousarray(offsets, dtype=np.int64)


def check_documents(words: NDArray[Any], offsets: NDArray[Any], n_words: int) -> tuple[WordIds, Offsets]:
    """Both, as above."""
    words = check_words(words, n_words)
    return words, check_offsets(offsets, len(words))


def check_size(name: str, value: int, minimum: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < minimum:
        raise InputError(f"{name} must be a whole number of at least {minimum}, got {quoted(value)}")


def shuffled(words: WordIds, offsets: Offsets, noise: Noise) -> WordIds:
    """The words of each document in random order."""
    docs = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.asarray(words[np.lexsort((noise.below(KEYS, len(words)), docs))])


def cut(
    words: WordIds, offsets: Offsets, max_length: int | None, *, warn: bool = True
) -> tuple[WordIds, Offsets]:
    """The first max_length tokens of each row. How many were cut is logged here and told to nobody else."""
    lengths = np.diff(offsets)
    if max_length is None or lengths.max(initial=0) <= max_length:
        return words, offsets
    if warn:
        logger.warning(
            "%d of %d documents are longer than the public maximum and keep their first %d words",
            np.sum(lengths > max_length),
            len(lengths),
            max_length,
        )
    place = np.arange(len(words)) - np.repeat(offsets[:-1], lengths)
    kept = np.concatenate([[0], np.cumsum(np.minimum(lengths, max_length))])
    return words[place < max_length], kept.astype(np.int64)


def cut_units(
    words: WordIds, offsets: Offsets, units: Offsets, max_length: int | None
) -> tuple[WordIds, Offsets]:
    """The first max_length tokens of each document, divided into the same number of units as before."""
    if not np.isin(offsets, units).all():
        raise InputError("units must not cross documents; every document must start a unit")
    kept, _ = cut(words, offsets, max_length)
    if len(kept) == len(words):
        return words, units
    place = np.arange(len(words)) - np.repeat(offsets[:-1], np.diff(offsets))
    return kept, np.concatenate([[0], np.cumsum(place < (max_length or 0))])[units].astype(np.int64)
