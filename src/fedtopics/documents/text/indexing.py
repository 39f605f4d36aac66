"""Documents as flat arrays of word ids: made from texts, restricted, selected, joined.

Texts are indexed some at a time, so that memory holds numbers and not strings. Arrays are worked on in
blocks: what is on the disk (`mapped`) never comes into memory as a whole, nor does what is made of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents import mapped
from fedtopics.documents.text.cores import parts
from fedtopics.documents.text.harmless import HALF
from fedtopics.documents.text.numbering import Merged, Splitter
from fedtopics.documents.text.tokens import Tokenizer
from fedtopics.documents.text.words import is_word
from fedtopics.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_Sentences: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]] | tuple[None, None]


class Indexed(NamedTuple):
    """Documents as word ids; the fields are those of `fedtopics.documents.corpus.Corpus`."""

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: tuple[str, ...]
    sentence_offsets: NDArray[np.int64] | None
    document_sentences: NDArray[np.int64] | None


def checked(indexed: Indexed) -> Indexed:
    """The same documents in read-only arrays of the right type; an error names the array that is wrong.

    What is on the disk is not read: `check_numbers` does that when it is needed for the first time.
    """
    words = _read_only("words", indexed.words, np.int32)
    offsets = _read_only("offsets", indexed.offsets, np.int64)
    _check_rising("offsets", offsets, len(words))
    made = Indexed(words, offsets, indexed.vocabulary, *_checked_sentences(indexed, offsets))
    if not mapped.is_mapped(words):
        check_numbers(made)
    return made


def check_numbers(indexed: Indexed) -> None:
    """Refuse words that the vocabulary does not have, and sentences that fall or cross documents."""
    words, limit = indexed.words, len(indexed.vocabulary)
    mapped.verify(words, indexed.sentence_offsets)
    if len(words):
        least, most = mapped.least_and_most(words)
        if not 0 <= least <= most < limit:
            raise InputError(f"expected corpus.words below {limit}, got {least} to {most}")
    sentences, documents = indexed.sentence_offsets, indexed.document_sentences
    if sentences is None or documents is None:
        return
    if not mapped.never_falls(sentences):
        raise InputError(f"expected corpus.sentence_offsets to rise, got {sentences}")
    if (sentences[documents] != indexed.offsets).any():
        raise InputError(
            "expected sentences of one document each, got corpus.sentence_offsets that cross documents"
        )


def _checked_sentences(indexed: Indexed, offsets: NDArray[np.int64]) -> _Sentences:
    if indexed.sentence_offsets is None and indexed.document_sentences is None:
        return None, None
    if indexed.sentence_offsets is None or indexed.document_sentences is None:
        missing = "sentence_offsets" if indexed.sentence_offsets is None else "document_sentences"
        raise InputError(f"expected corpus.sentence_offsets and corpus.document_sentences, got no {missing}")
    sentences = _read_only("sentence_offsets", indexed.sentence_offsets, np.int64)
    documents = _read_only("document_sentences", indexed.document_sentences, np.int64)
    _check_ends("sentence_offsets", sentences, int(offsets[-1]))
    _check_rising("document_sentences", documents, len(sentences) - 1)
    if len(documents) != len(offsets):
        raise InputError(
            "expected corpus.document_sentences to start each document where corpus.offsets does, "
            f"got {len(documents) - 1} documents of {len(offsets) - 1}"
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
    _check_ends(name, bounds, last)
    if (np.diff(bounds) < 0).any():
        raise InputError(f"expected corpus.{name} to rise from 0 to {last}, got {bounds}")


def _check_ends(name: str, bounds: NDArray[np.int64], last: int) -> None:
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != last:
        raise InputError(f"expected corpus.{name} to rise from 0 to {last}, got {bounds}")


def index_texts(
    texts: Iterable[str], tokenizer: Tokenizer, splitter: Splitter | None, *, on_disk: bool = False
) -> Indexed:
    """Every word of the texts, numbered by first appearance, and the sentences if there is a splitter.

    What the tokenizer returns and is no word (`text.words`) is left out. Numbers are written to scratch files
    if `on_disk`.
    """
    words, merged = mapped.Growing(np.int32, on_disk=on_disk), Merged()
    bounds = [_Bounds(on_disk=on_disk) for _ in range(3)]
    try:
        for part in parts(texts, tokenizer, splitter):
            words.append(merged(part))
            for growing, own in zip(bounds, part[1:4], strict=True):
                growing.append(own)
    except UnicodeEncodeError:
        raise InputError(HALF) from None
    for word in merged.vocabulary:
        if not isinstance(word, str):
            raise InputError("expected a tokenizer that returns a list of strings, got others in its list")
    offsets, sentences, documents = (growing.array() for growing in bounds)
    found: _Sentences = (sentences, documents) if splitter else (None, None)
    indexed = Indexed(words.array(), offsets, merged.vocabulary, *found)
    known = tuple(filter(is_word, indexed.vocabulary))
    return indexed if len(known) == len(indexed.vocabulary) else with_vocabulary(indexed, known)


class _Bounds:
    """Offsets of several parts as those of the whole: each part starts where the one before ends."""

    def __init__(self, *, on_disk: bool) -> None:
        self._values, self._end = mapped.Growing(np.int64, on_disk=on_disk), 0
        self._values.append(np.zeros(1, np.int64))

    def append(self, offsets: NDArray[np.int64]) -> None:
        self._values.append(offsets[1:] + self._end)
        self._end += int(offsets[-1])

    def array(self) -> NDArray[np.int64]:
        return self._values.array()


def document_frequency(indexed: Indexed) -> NDArray[np.int64]:
    found = np.zeros(len(indexed.vocabulary), np.int64)
    for block in _counted_blocks(indexed):
        found += np.bincount(block.indices, minlength=len(found))
    return found


def counted(indexed: Indexed) -> "csr_array":
    """How often each document has each word; where the words are on the disk, so are the counts."""
    from scipy.sparse import csr_array

    shape, on_disk = (len(indexed.offsets) - 1, len(indexed.vocabulary)), mapped.is_mapped(indexed.words)
    words, counts = (mapped.Growing(np.int32, on_disk=on_disk) for _ in range(2))
    ends = _Bounds(on_disk=False)
    for block in _counted_blocks(indexed):
        words.append(block.indices)
        counts.append(block.data)
        ends.append(block.indptr.astype(np.int64))
    return csr_array((counts.array(), words.array(), ends.array()), shape=shape)


def _counted_blocks(indexed: Indexed) -> "Iterator[csr_array]":
    from scipy.sparse import csr_array

    for first, last in mapped.blocks(indexed.offsets):
        # Copies, because scipy sums duplicates in place.
        own = indexed.offsets[first : last + 1] - indexed.offsets[first]
        words = indexed.words[indexed.offsets[first] : indexed.offsets[last]].copy()
        shape = (last - first, len(indexed.vocabulary))
        counts = csr_array((np.ones(len(words), np.int32), words, own), shape=shape)
        counts.sum_duplicates()
        yield counts
        mapped.forget(indexed.words)


def with_vocabulary(indexed: Indexed, vocabulary: tuple[str, ...]) -> Indexed:
    """The same documents and sentences over another vocabulary; tokens whose word it lacks are left out."""
    position = {word: place for place, word in enumerate(vocabulary)}
    new_id = np.array([position.get(word, -1) for word in indexed.vocabulary], np.int32)
    words = mapped.Growing(np.int32, on_disk=mapped.is_mapped(indexed.words))
    offsets = np.zeros(len(indexed.offsets), np.int64)
    sentences, documents = indexed.sentence_offsets, indexed.document_sentences
    moved = None if sentences is None else mapped.zeros(len(sentences), np.int64, like=indexed.words)
    for first, last in mapped.blocks(indexed.offsets):
        begin, end = indexed.offsets[[first, last]]
        found = new_id[indexed.words[begin:end]]
        known = found >= 0
        before = np.concatenate([[0], np.cumsum(known)]) + words.size
        offsets[first : last + 1] = before[indexed.offsets[first : last + 1] - begin]
        if moved is not None and sentences is not None and documents is not None:
            own = slice(documents[first], documents[last] + 1)
            moved[own] = before[sentences[own] - begin]
        words.append(found[known])
        mapped.forget(indexed.words)
    return Indexed(words.array(), offsets, vocabulary, moved, documents)


def select(indexed: Indexed, documents: NDArray[np.int64]) -> Indexed:
    """These documents, in the order in which they are named."""
    offsets = _ends(np.diff(indexed.offsets)[documents])
    words = mapped.Growing(np.int32, on_disk=mapped.is_mapped(indexed.words))
    for first, last in mapped.blocks(offsets):
        words.append(indexed.words[_items(indexed.offsets, documents[first:last])])
        mapped.forget(indexed.words)
    sentences, of_documents = indexed.sentence_offsets, indexed.document_sentences
    if sentences is None or of_documents is None:
        return Indexed(words.array(), offsets, indexed.vocabulary, None, None)
    chosen_sentences = _ends(np.diff(of_documents)[documents])
    lengths = mapped.Growing(np.int64, on_disk=mapped.is_mapped(indexed.words))
    lengths.append(np.zeros(1, np.int64))
    for first, last in mapped.blocks(chosen_sentences):
        chosen = _items(of_documents, documents[first:last])
        own = np.cumsum(sentences[chosen + 1] - sentences[chosen])
        lengths.append(own + offsets[first])
    return Indexed(words.array(), offsets, indexed.vocabulary, lengths.array(), chosen_sentences)


def _ends(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets of rows of these lengths, one after another."""
    return np.concatenate([[0], np.cumsum(lengths)])


def _items(offsets: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each item of these rows is."""
    lengths = offsets[rows + 1] - offsets[rows]
    return np.arange(lengths.sum()) + np.repeat(offsets[rows] - _ends(lengths)[:-1], lengths)


def join(pieces: Sequence[Indexed]) -> Indexed:
    """All documents of all pieces, which share one vocabulary; sentences if every piece has them."""
    on_disk = any(mapped.is_mapped(piece.words) for piece in pieces)
    words, offsets = mapped.Growing(np.int32, on_disk=on_disk), _Bounds(on_disk=False)
    sentences, documents = _Bounds(on_disk=on_disk), _Bounds(on_disk=False)
    known = True
    for piece in pieces:
        words.append(piece.words)
        mapped.forget(piece.words)
        offsets.append(piece.offsets)
        if piece.sentence_offsets is None or piece.document_sentences is None:
            known = False
        else:
            sentences.append(piece.sentence_offsets)
            documents.append(piece.document_sentences)
    found: _Sentences = (sentences.array(), documents.array()) if known else (None, None)
    return Indexed(words.array(), offsets.array(), pieces[0].vocabulary, *found)
