"""Documents as flat arrays of word ids: made from texts, restricted, selected, joined.

Texts are indexed one at a time, so that memory holds numbers and not strings.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.errors import InputError
from fedtopics.text.tokens import Tokenizer


class Indexed(NamedTuple):
    """Documents as word ids; the fields are those of `fedtopics.corpus.Corpus`."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    sentence_offsets: NDArray[np.int64] | None


def checked(indexed: Indexed) -> Indexed:
    """The same documents in read-only arrays of the right type; an error names the array that is wrong."""
    words = _read_only("words", indexed.words, np.int32)
    if len(words) and not 0 <= words.min() <= words.max() < len(indexed.vocabulary):
        limit = len(indexed.vocabulary)
        raise InputError(f"expected corpus.words below {limit}, got {words.min()} to {words.max()}")
    offsets = _read_only("offsets", indexed.offsets, np.int64)
    sentences = indexed.sentence_offsets
    if sentences is not None:
        sentences = _read_only("sentence_offsets", sentences, np.int64)
    for name, bounds in (("offsets", offsets), ("sentence_offsets", sentences)):
        if bounds is not None and not _rises(bounds, len(words)):
            raise InputError(f"expected corpus.{name} to rise from 0 to {len(words)}, got {bounds}")
    return Indexed(words, offsets, indexed.vocabulary, sentences)


def _read_only(name: str, values: ArrayLike, kind: type[np.signedinteger[Any]]) -> NDArray[Any]:
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InputError(
            f"expected corpus.{name} as one row of whole numbers, got {given.dtype} {given.shape}"
        )
    if given.size and not np.iinfo(kind).min <= given.min() <= given.max() <= np.iinfo(kind).max:
        raise InputError(f"expected corpus.{name} to fit {np.dtype(kind)}, got up to {given.max()}")
    view = np.ascontiguousarray(given, kind).view()
    view.flags.writeable = False
    return view


def _rises(bounds: NDArray[np.int64], last: int) -> bool:
    return len(bounds) > 0 and bounds[0] == 0 and bounds[-1] == last and bool((np.diff(bounds) >= 0).all())


class _Numbering(dict[str, int]):
    """Gives a word it has not met the next free number."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def index_texts(
    texts: Iterable[str], tokenizer: Tokenizer, sentence_splitter: Callable[[str], list[str]] | None
) -> Indexed:
    """Every word of the texts, numbered by first appearance, and the sentences if there is a splitter."""
    number = _Numbering()
    words, offsets, sentence_offsets = array("i"), array("q", [0]), array("q", [0])
    for text in texts:
        for sentence in sentence_splitter(text) if sentence_splitter else (text,):
            words.extend(map(number.__getitem__, tokenizer(sentence)))
            sentence_offsets.append(len(words))
        offsets.append(len(words))
    for word in number:
        if not isinstance(word, str):
            raise InputError(f"expected a tokenizer that returns a list of strings, got {word!r} in its list")
    boundaries = np.unique(np.array(sentence_offsets, np.int64)) if sentence_splitter else None
    return Indexed(np.array(words, np.int32), np.array(offsets, np.int64), tuple(number), boundaries)


def document_frequency(indexed: Indexed) -> NDArray[np.int64]:
    """Number of documents each word occurs in."""
    from scipy.sparse import csr_array

    ones = np.ones(len(indexed.words), np.int8)
    shape = (len(indexed.offsets) - 1, len(indexed.vocabulary))
    # Copies, because scipy sums duplicates in place.
    occurs = csr_array((ones, indexed.words.copy(), indexed.offsets.copy()), shape=shape)
    occurs.sum_duplicates()
    return np.bincount(occurs.indices, minlength=shape[1])


def with_vocabulary(indexed: Indexed, vocabulary: tuple[str, ...]) -> Indexed:
    """The same documents over another vocabulary; tokens whose word it lacks are left out."""
    position = {word: place for place, word in enumerate(vocabulary)}
    new_id = np.array([position.get(word, -1) for word in indexed.vocabulary], np.int32)
    words = new_id[indexed.words]
    known = words >= 0
    before = np.concatenate([[0], np.cumsum(known)])
    sentences = indexed.sentence_offsets
    return Indexed(
        words[known],
        before[indexed.offsets],
        vocabulary,
        None if sentences is None else np.unique(before[sentences]),
    )


def select(indexed: Indexed, documents: NDArray[np.int64]) -> Indexed:
    """The documents at these positions, in this order."""
    lengths = np.diff(indexed.offsets)[documents]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tokens = np.arange(offsets[-1]) + np.repeat(indexed.offsets[documents] - offsets[:-1], lengths)
    sentences = indexed.sentence_offsets
    if sentences is not None:
        starts = np.zeros(len(indexed.words), bool)
        starts[sentences[:-1]] = True
        sentences = np.append(np.flatnonzero(starts[tokens]), len(tokens))
    return Indexed(indexed.words[tokens], offsets, indexed.vocabulary, sentences)


def join(parts: Sequence[Indexed]) -> Indexed:
    """All documents of all parts, which share one vocabulary; sentences if every part has them."""
    starts = np.cumsum([0, *(len(part.words) for part in parts)])
    sentences = [part.sentence_offsets for part in parts if part.sentence_offsets is not None]
    return Indexed(
        np.concatenate([part.words for part in parts]),
        _moved([part.offsets for part in parts], starts),
        parts[0].vocabulary,
        _moved(sentences, starts) if len(sentences) == len(parts) else None,
    )


def _moved(offsets: Sequence[NDArray[np.int64]], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], *(own[1:] + start for own, start in zip(offsets, starts, strict=False))])
