"""A universe small enough to list: corpora of a document or two over a few words, and who neighbors whom.

A corpus is a tuple of documents, a document a tuple of word ids (of two units, where a mechanism takes units;
of numbers, where it takes vectors). Documents have up to three words, or two where there are more than two to
choose from, so that a public maximum of one or two is exceeded.
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np

from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds
from fedtopics.privacy.mechanisms.mechanism import Takes
from fedtopics.privacy.price.cost import Relation

Corpus: TypeAlias = tuple[Any, ...]
Pairs: TypeAlias = dict[Relation, list[tuple[Corpus, Corpus]]]
VECTORS = ((0.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.6, 0.6), (5.0, -4.0), (-0.3, 0.2))


def neighbors(takes: Takes, n_words: int, bounds: Bounds | None = None) -> Pairs:
    """Pairs of neighboring corpora for every relation; `bounds` says how many documents a person may have."""
    n_own = (bounds or UNBOUNDED).max_documents or 1
    documents = _documents(takes, n_words)
    nothing = _nothing(takes)
    anything: list[tuple[Corpus, Corpus]] = [((a,), (b,)) for a in documents for b in documents if a < b]
    emptied: list[tuple[Corpus, Corpus]] = [((a,), (nothing,)) for a in documents if a != nothing]
    few = documents[:: max(1, len(documents) // 4)]
    own: list[tuple[Corpus, Corpus]] = [
        (tuple(corpus), (nothing,) * n_own) for corpus in product(few, repeat=min(n_own, 2))
    ]
    own = [(corpus + (nothing,) * (n_own - len(corpus)), empty) for corpus, empty in own if corpus != empty]
    if takes == "vectors":
        added, replaced = anything, anything  # a word may change the vector of its document in any way
    else:
        pairs = [(a, b) for a in documents for b in documents if a < b or len(_words(a)) < len(_words(b))]
        added = [((a,), (b,)) for a, b in pairs if _is_added(a, b)]
        replaced = [((a,), (b,)) for a, b in pairs if _is_replaced(a, b)]
    return {
        "word add/remove": added,
        "word replace": replaced,
        "document add/remove": emptied,
        "document replace": anything,
        "person add/remove": own,
        "person replace": [(a[0], b[0]) for a, b in combinations(own, 2)] + own,
        "party": anything,
    }


def data_of(takes: Takes, corpora: Sequence[Corpus]) -> tuple[Any, ...]:
    """The documents of all these corpora, as a mechanism takes them."""
    documents = [document for corpus in corpora for document in corpus]
    if takes == "vectors":
        return (np.array(documents, dtype=np.float64).reshape(-1, 2),)
    words = np.array([word for document in documents for word in _words(document)], dtype=np.int32)
    if takes == "words":
        return (words,)
    offsets = _offsets([len(_words(document)) for document in documents])
    if takes == "documents":
        return words, offsets
    return words, offsets, _offsets([len(unit) for document in documents for unit in document])


def _documents(takes: Takes, n_words: int) -> list[Any]:
    def texts(longest: int) -> list[tuple[int, ...]]:
        return [text for size in range(longest + 1) for text in product(range(n_words), repeat=size)]

    if takes == "vectors":
        return list(VECTORS)
    if takes == "units":
        return list(product(texts(2), texts(1)))
    return texts(3 if n_words == 2 else 2)


def _nothing(takes: Takes) -> Any:
    return (0.0, 0.0) if takes == "vectors" else ((), ()) if takes == "units" else ()


def _words(document: Any) -> tuple[int, ...]:
    """The words of a document, those of its units one after the other."""
    return tuple(word for unit in _units(document) for word in unit)


def _units(document: Any) -> tuple[tuple[int, ...], ...]:
    return document if document and isinstance(document[0], tuple) else (document,)


def _is_added(one: Any, two: Any) -> bool:
    """Whether `two` is `one` with one more word, in the same unit."""
    changed = [(a, b) for a, b in zip(_units(one), _units(two), strict=True) if a != b]
    if len(changed) != 1:
        return False
    short, long = changed[0]
    return any(long[:place] + long[place + 1 :] == short for place in range(len(long)))


def _is_replaced(one: Any, two: Any) -> bool:
    """Whether the two differ in one word, which is in the same place."""
    lengths = [[len(unit) for unit in _units(document)] for document in (one, two)]
    changes = sum(a != b for a, b in zip(_words(one), _words(two), strict=False))
    return lengths[0] == lengths[1] and changes == 1


def _offsets(lengths: list[int]) -> Any:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
