"""What a party remembers of a run, and of the run that it goes on from: drawn noise is used again."""

import logging

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.terms import Terms
from fedtopics.protocol.turn import Arrays, Party

logger = logging.getLogger(__name__)


def remembered(terms: Terms, store: PartyStore, run: str, words: tuple[str, ...]) -> Arrays:
    """The memory of a run over these words; before its first release, what is left of the run it continues.

    Where nothing is left, or that noise was of another epsilon, the counts of that run's model stand for the
    documents of then. All of it was released and paid for: nothing here reads a document.
    """
    memory, before = store.load_memory(run), terms.continues
    if memory or before is None or not terms.method.goes_on:
        return memory
    known = Corpus(np.zeros(0, np.int32), np.zeros(1, np.int64), words[: before.n_words])
    kept = terms.method.kept(Party(store.party, known, store.load_memory(before.run)))
    if not kept:
        logger.info("nothing is left here of %s: counts of its model stand for its documents", before.run)
    try:
        return terms.method.resumed(kept, len(words))
    except InputError as error:
        logger.warning("what is left here of %s is not used: %s", before.run, error)
        return {}
