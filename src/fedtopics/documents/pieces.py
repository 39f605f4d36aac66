"""A corpus in pieces of successive documents, none of them a copy: what is counted or scored one by one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fedtopics.documents import mapped
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.known import KNOWN, Column


def pieces(corpus: Corpus, at_once: int | None = None) -> Iterator[Corpus]:
    """All documents in order, about so many tokens at a time; a piece on the disk is let go of after use.

    Sentences are left out; a small corpus is one piece.
    """
    corpus = corpus.sound
    bounds = list(mapped.blocks(corpus.offsets, at_once))
    if len(bounds) <= 1:
        yield corpus
        return
    for first, last in bounds:
        begin, end = corpus.offsets[[first, last]]
        known: dict[str, Any] = {name: _part(getattr(corpus, name), first, last) for name in KNOWN}
        yield replace(
            corpus,
            words=corpus.words[begin:end],
            offsets=corpus.offsets[first : last + 1] - begin,
            sentence_offsets=None,
            document_sentences=None,
            **known,
        )
        mapped.forget(corpus.words)


def _part(column: Column, first: int, last: int) -> Column:
    return None if column is None else column[first:last]
