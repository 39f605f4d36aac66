"""One digest of documents, by which a party and its machines know them again."""

import json
from hashlib import sha256

import numpy as np

from fedtopics.documents.corpus import Corpus


def corpus_digest(corpus: Corpus) -> str:
    """SHA-256 of words, documents, sentences and persons, wherever they lie; it stays with the party."""
    persons = None if corpus.persons is None else tuple(corpus.persons)
    found = sha256(json.dumps([corpus.vocabulary, persons]).encode())
    for array in (corpus.words, corpus.offsets, corpus.sentence_offsets, corpus.document_sentences):
        found.update(b"none" if array is None else np.ascontiguousarray(array).data)
    return found.hexdigest()
