"""Documents cut into semantic units, whose words share a topic (PC-TD): n-grams, sentences or paragraphs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError

KINDS = ("ngram", "sentence", "paragraph")


class SemanticUnits(NamedTuple):
    """Unit u owns the tokens offsets[u]:offsets[u+1], document d the units documents[d]:documents[d+1]."""

    offsets: NDArray[np.int64]
    documents: NDArray[np.int64]


def cut(corpus: Corpus, unit: str, n_words: int) -> SemanticUnits:
    """The units of every document; n-grams of `n_words` words do not cross sentences where these are known.

    The last n-gram of a sentence has the words that remain, be they all of it: an error here would tell how
    long the documents are. Sentences and paragraphs are those of the corpus,
    empty ones too.

    >>> corpus = Corpus.from_texts(["tax war peace law. Court judge.", "tax"], stop_words=False)
    >>> cut(corpus, "ngram", 3).offsets.tolist(), cut(corpus, "ngram", 3).documents.tolist()
    ([0, 3, 4, 6, 7], [0, 3, 4])
    """
    if unit == "ngram":
        return _ngrams(corpus, n_words)
    known = corpus.sentence_offsets, corpus.document_sentences
    if known[0] is None or known[1] is None or corpus.sentence_unit != unit:
        hint = "read the texts with sentences='paragraphs'" if unit == "paragraph" else "or take n-grams"
        got = "documents without" if known[0] is None else f"{corpus.sentence_unit}s"
        raise InputError(f"unit={unit!r} needs {unit}s, got {got}; {hint}")
    return SemanticUnits(known[0], known[1])


def _ngrams(corpus: Corpus, n_words: int) -> SemanticUnits:
    bounds, documents = corpus.sentence_offsets, corpus.document_sentences
    if bounds is None or documents is None:
        bounds, documents = corpus.offsets, np.arange(corpus.n_docs + 1)
    n_units = -(-np.diff(bounds) // n_words)
    before = np.concatenate([[0], np.cumsum(n_units)])
    place = np.arange(before[-1]) - np.repeat(before[:-1], n_units)
    starts = np.repeat(bounds[:-1], n_units) + n_words * place
    return SemanticUnits(np.concatenate([starts, bounds[-1:]]).astype(np.int64), before[documents])
