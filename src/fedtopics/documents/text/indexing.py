"""Documents as flat arrays of word ids: made from texts, restricted, selected, joined.

Texts are indexed one at a time, so that memory holds numbers and not strings.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents.text.tokens import Tokenizer
from fedtopics.documents.text.words import is_word
from fedtopics.errors import InputError

_Sentences: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]] | tuple[None, None]


class Indexed(NamedTuple):
    """Documents as word ids; the fields are those of `fedtopics.documents.corpus.Corpus`."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    sentence_offsets: NDArray[np.int64] | None
    document_sentences: NDArray[np.int64] | None


def checked(indexed: Indexed) -> Indexed:
    """The same documents in read-only arrays of the right type; an error names the array that is wrong."""
    words = _read_only("words", indexed.words, np.int32)
    if len(words) and not 0 <= words.min() <= words.max() < len(indexed.vocabulary):
        limit = len(indexed.vocabulary)
        raise InputError(f"expected corpus.words below {limit}, got {words.min()} to {words.max()}")
    offsets = _read_only("offsets", indexed.offsets, np.int64)
    _check_rising("offsets", offsets, len(words))
    return Indexed(words, offsets, indexed.vocabulary, *_checked_sentences(indexed, offsets))


def _checked_sentences(indexed: Indexed, offsets: NDArray[np.int64]) -> _Sentences:
    if indexed.sentence_offsets is None and indexed.document_sentences is None:
        return None, None
    if indexed.sentence_offsets is None or indexed.document_sentences is None:
        missing = "sentence_offsets" if indexed.sentence_offsets is None else "document_sentences"
        raise InputError(f"expected corpus.sentence_offsets and corpus.document_sentences, got no {missing}")
    sentences = _read_only("sentence_offsets", indexed.sentence_offsets, np.int64)
    documents = _read_only("document_sentences", indexed.document_sentences, np.int64)
    _check_rising("sentence_offsets", sentences, int(offsets[-1]))
    _check_rising("document_sentences", documents, len(sentences) - 1)
    if len(documents) != len(offsets) or (sentences[documents] != offsets).any():
        raise InputError(
            "expected corpus.document_sentences to start each document where corpus.offsets does, "
            f"got {len(documents) - 1} documents of {len(offsets) - 1}, or sentences that cross documents"
        )
    return sentences, documents


def _read_only(name: str, values: ArrayLike, kind: type[np.signedinteger[Any]]) -> NDArray[Any]:
    given = np.asarray(values)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise InputError(f"expected corpus.{name} as a row of whole numbers, got {given.dtype} {given.shape}")
    fits = np.can_cast(given.dtype, kind) or not given.size
    if not fits and not np.iinfo(kind).min <= given.min() <= given.max() <= np.iinfo(kind).max:
        raise InputError(f"expected corpus.{name} to fit {np.dtype(kind)}, got up to {given.max()}")
    view = np.ascontiguousarray(given, kind).view()
    view.flags.writeable = False
    return view


def _check_rising(name: str, bounds: NDArray[np.int64], last: int) -> None:
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != last or (np.diff(bounds) < 0).any():
        raise InputError(f"expected corpus.{name} to rise from 0 to {last}, got {bounds}")


class _Numbering(dict[str, int]):
    """Gives a word it has not met the next free number."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def index_texts(
    texts: Iterable[str], tokenizer: Tokenizer, sentence_splitter: Callable[[str], list[str]] | None
) -> Indexed:
    """Every word of the texts, numbered by first appearance, and the sentences if there is a splitter.

    A sentence without a word is kept, as how many there are must not tell which words they have; the space
    between paragraphs is none. What the tokenizer returns and is no word (`text.words`) is left out.
    """
    number = _Numbering()
    words, offsets = array("i"), array("q", [0])
    sentence_offsets, document_sentences = array("q", [0]), array("q", [0])
    for text in texts:
        for sentence in filter(str.strip, sentence_splitter(text) if sentence_splitter else (text,)):
            words.extend(map(number.__getitem__, tokenizer(sentence)))
            sentence_offsets.append(len(words))
        offsets.append(len(words))
        document_sentences.append(len(sentence_offsets) - 1)
    for word in number:
        if not isinstance(word, str):
            kind = type(word).__name__
            raise InputError(f"expected a tokenizer that returns a list of strings, got {kind} in its list")
    sentences: _Sentences = (None, None)
    if sentence_splitter:
        sentences = np.array(sentence_offsets, np.int64), np.array(document_sentences, np.int64)
    indexed = Indexed(np.array(words, np.int32), np.array(offsets, np.int64), tuple(number), *sentences)
    known = tuple(filter(is_word, number))
    return indexed if len(known) == len(number) else with_vocabulary(indexed, known)


def document_frequency(indexed: Indexed) -> NDArray[np.int64]:
    from scipy.sparse import csr_array

    ones = np.ones(len(indexed.words), np.int8)
    shape = (len(indexed.offsets) - 1, len(indexed.vocabulary))
    # Copies, because scipy sums duplicates in place.
    occurs = csr_array((ones, indexed.words.copy(), indexed.offsets.copy()), shape=shape)
    occurs.sum_duplicates()
    return np.bincount(occurs.indices, minlength=shape[1])


def with_vocabulary(indexed: Indexed, vocabulary: tuple[str, ...]) -> Indexed:
    """The same documents and sentences over another vocabulary; tokens whose word it lacks are left out."""
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
        None if sentences is None else before[sentences],
        indexed.document_sentences,
    )


def select(indexed: Indexed, documents: NDArray[np.int64]) -> Indexed:
    offsets, tokens = _gathered(indexed.offsets, documents)
    sentence_offsets, document_sentences = indexed.sentence_offsets, indexed.document_sentences
    if sentence_offsets is not None and document_sentences is not None:
        document_sentences, sentences = _gathered(document_sentences, documents)
        sentence_offsets = np.concatenate([[0], np.cumsum(np.diff(sentence_offsets)[sentences])])
    return Indexed(indexed.words[tokens], offsets, indexed.vocabulary, sentence_offsets, document_sentences)


def _gathered(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Offsets of these rows when they stand one after another, and where each of their items was."""
    lengths = np.diff(offsets)[rows]
    gathered = np.concatenate([[0], np.cumsum(lengths)])
    return gathered, np.arange(gathered[-1]) + np.repeat(offsets[rows] - gathered[:-1], lengths)


def join(parts: Sequence[Indexed]) -> Indexed:
    """All documents of all parts, which share one vocabulary; sentences if every part has them."""
    sentences = [part.sentence_offsets for part in parts if part.sentence_offsets is not None]
    documents = [part.document_sentences for part in parts if part.document_sentences is not None]
    known = len(sentences) == len(parts)
    return Indexed(
        np.concatenate([part.words for part in parts]),
        _moved([part.offsets for part in parts]),
        parts[0].vocabulary,
        _moved(sentences) if known else None,
        _moved(documents) if known else None,
    )


def _moved(offsets: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Offsets of several parts as those of the whole: each part starts where the one before ends."""
    starts = np.cumsum([0, *(own[-1] for own in offsets)])
    return np.concatenate([[0], *(own[1:] + start for own, start in zip(offsets, starts, strict=False))])
