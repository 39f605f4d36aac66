"""The scores of a run record."""

import numpy as np

from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.coherence import npmi, umass
from fedtopics.evaluation.cooccurrence import cooccurrences
from fedtopics.evaluation.perplexity import perplexity, unigram_perplexity
from fedtopics.evaluation.usefulness import random_topics
from fedtopics.model import TopicModel

TOP_WORDS = 10


def diversity(model: TopicModel, n_words: int = 25) -> float:
    """Share of different words among the `n_words` top words of all topics of `model`, 1/n_topics to 1.

    Dieng, Ruiz, Blei: Topic Modeling in Embedding Spaces, TACL 2020.
    """
    top = [word for topic in model.top_words(n_words, by="probable") for word in topic]
    return len(set(top)) / len(top)


def scores(model: TopicModel, train: Corpus, test: Corpus, *, n_threads: int = 1) -> dict[str, float]:
    """Perplexity of `test`, coherence of ten words of each topic in `train` and `test`, diversity of `model`.

    The words are the most probable ones, as in most of the literature; `coherence_npmi_shown` is of those
    that are shown because they set a topic apart. Coherence counts words in whole documents, so that it means
    the same with and without word order. The result does not depend on `n_threads`.
    """
    held_out = perplexity(model, test, n_threads=n_threads)
    unigram = unigram_perplexity(train, test)
    return {"perplexity": held_out, "perplexity_unigram": unigram, **_of_topics(model, train, test)}


def scores_on(model: TopicModel, documents: Corpus, *, n_threads: int = 1) -> dict[str, float]:
    """The scores of `model` on `documents` alone, with `n_threads`; its training documents are not needed.

    What topics are compared with, `perplexity_unigram`, is the model's own frequency of each word.
    """
    held_out = perplexity(model, documents, n_threads=n_threads)
    without = perplexity(model.word_frequencies[None], documents)
    return {"perplexity": held_out, "perplexity_unigram": without, **_of_topics(model, documents)}


def _of_topics(model: TopicModel, *documents: Corpus) -> dict[str, float]:
    probable, shown = (model.top_words(TOP_WORDS, by=order) for order in ("probable", "distinctive"))
    n_topics = model.n_topics
    frequency = sum(corpus.document_frequency() for corpus in documents)
    random = random_topics(model.top_word_ids(TOP_WORDS, by="probable").tolist(), np.asarray(frequency))
    by_chance = [[model.vocabulary[word] for word in topic] for topic in random]
    first, *others = (cooccurrences([*probable, *shown, *by_chance], corpus) for corpus in documents)
    both = sum(others, start=first)
    counts, chance = both.of(slice(n_topics)), both.of(slice(2 * n_topics, None))
    return {
        "coherence_npmi": float(npmi(counts).mean()),
        "coherence_npmi_chance": float(npmi(chance).mean()),
        "coherence_npmi_shown": float(npmi(both.of(slice(n_topics, 2 * n_topics))).mean()),
        "coherence_umass": float(umass(counts).mean()),
        "diversity": diversity(model),
    }
