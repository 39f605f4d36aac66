"""The scores of a run record."""

from __future__ import annotations

from fedtopics.corpus import Corpus
from fedtopics.evaluation.coherence import npmi, umass
from fedtopics.evaluation.cooccurrence import cooccurrences
from fedtopics.evaluation.diversity import diversity
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.model import TopicModel

TOP_WORDS = 10


def scores(model: TopicModel, train: Corpus, test: Corpus, *, n_threads: int = 1) -> dict[str, float]:
    """Held-out perplexity, coherence of the top ten words over all documents of both parts, and diversity.

    Coherence counts words in whole documents, so that it means the same with and without word order.
    """
    top_words = model.top_words(TOP_WORDS)
    counts = cooccurrences(top_words, train) + cooccurrences(top_words, test)
    return {
        "perplexity": perplexity(model, test, n_threads=n_threads),
        "perplexity_unigram": unigram_perplexity(train, test),
        "coherence_npmi": float(npmi(counts).mean()),
        "coherence_umass": float(umass(counts).mean()),
        "diversity": diversity(model),
    }
