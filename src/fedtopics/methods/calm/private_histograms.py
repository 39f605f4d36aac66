"""The private histograms of a party: drawn once, with noise of a known law, and free ever after."""

import numpy as np

from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.rows import SparseRows
from fedtopics.privacy.mechanisms.unit_histogram import UnitHistogram
from fedtopics.privacy.price.release import Release, reuse
from fedtopics.protocol.turn import Arrays, Party, Turn
from fedtopics.sampling import channel_em
from fedtopics.sampling.histograms import Histograms


def released(
    party: Party, mechanism: Histogram, unit: str, burstiness: float, turn: Turn
) -> Release[Histograms]:
    """Histograms of documents, or of sentences (`unit`), as an E step reads them with this `burstiness`."""

    def view(rows: SparseRows) -> Histograms:
        return Histograms(rows.offsets, rows.words, rows.values, rows.n_words, mechanism.decay, burstiness)

    if "offsets" in party.memory:
        offsets, words, values = (party.memory[name] for name in ("offsets", "words", "values"))
        return reuse(view(SparseRows(offsets, words, values, party.corpus.n_words)))
    party.require_documents()
    return _drawn(party, mechanism, unit, turn).map(view)


def overview(histograms: Histograms, n_threads: int) -> Arrays:
    """Totals of words, of all tokens and of documents, as estimated from the histograms."""
    totals, length = channel_em.unigram(histograms, n_threads=n_threads)
    n_docs = histograms.n_docs
    return {"unigram": totals, "tokens": np.array(length * n_docs), "n_docs": np.array(n_docs)}


def _drawn(party: Party, mechanism: Histogram, unit: str, turn: Turn) -> Release[SparseRows]:
    corpus = party.corpus
    if unit == "document":
        return mechanism(corpus.words, corpus.offsets, turn.noise())
    if corpus.sentence_offsets is None or len(corpus.sentence_offsets) == 1:
        raise InputError('unit="sentence" needs sentences, got documents without; use unit="document"')
    units = UnitHistogram(mechanism)
    return units(corpus.words, corpus.offsets, corpus.sentence_offsets, turn.noise())
