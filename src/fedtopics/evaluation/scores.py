"""The scores of a run record."""

import numpy as np
from numpy.typing import ArrayLike

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.coherence import npmi, umass
from fedtopics.evaluation.cooccurrence import cooccurrences
from fedtopics.evaluation.perplexity import FLOOR, foreign, perplexity, unigram_among, unigram_perplexity
from fedtopics.evaluation.usefulness import by_chance, random_topics
from fedtopics.model import TopicModel

BESIDE = (1.0, 3.0)  # weights of the frequencies of a model beside those of other documents
TOP_WORDS = 10


def diversity(topics: TopicModel | ArrayLike, n_words: int = 25) -> float:
    """Share of different words among the `n_words` top words of all `topics`, 1/n_topics to 1.

    topics   a model, or a matrix (n_topics, n_words)

    Dieng, Ruiz, Blei: Topic Modeling in Embedding Spaces, TACL 2020.
    """
    model = topics if isinstance(topics, TopicModel) else _model(topics, None)
    return len(np.unique(top := model.top_word_ids(n_words, by="probable"))) / top.size


def scores(
    topics: TopicModel | ArrayLike, train: Corpus, test: Corpus, *, n_threads: int = 1
) -> dict[str, float]:
    """Perplexity of `test`, coherence of ten words of each topic in `train` and `test`, and diversity.

    topics   a model, or the matrix (n_topics, n_words) of any other tool, its columns in the order of the
             vocabulary, or a data frame whose columns are called by its words; it may be sparse, hold counts,
             and zeros

    The words are the most probable ones, as in most of the literature; `coherence_npmi_shown` is of those
    that are shown because they set a topic apart. Coherence counts words in whole documents, so that it means
    the same with and without word order. The result does not depend on `n_threads`.
    """
    model = _model(topics, train)
    held_out = perplexity(model, test, n_threads=n_threads)
    unigram = unigram_perplexity(train, test)
    return {"perplexity": held_out, "perplexity_unigram": unigram, **topic_scores(model, train, test)}


def scores_on(topics: TopicModel | ArrayLike, documents: Corpus, *, n_threads: int = 1) -> dict[str, float]:
    """The scores of `topics` on `documents` alone, with `n_threads`; training documents are not needed.

    topics   as for `scores`

    What topics are compared with, `perplexity_unigram`, is the frequency of each word in all other documents,
    in the model, or in both together, whichever predicts best: a model of noise has the frequencies of noise,
    and few documents do not have all words.
    """
    model = _model(topics, documents)
    held_out = perplexity(model, documents, n_threads=n_threads)
    own = documents.n_tokens * np.maximum(model.word_frequencies, FLOOR)
    beside = (unigram_among(documents, before=weight * own) for weight in BESIDE)
    others = min(unigram_among(documents), *beside)
    without = min(perplexity(model.word_frequencies[None], documents), others)
    return {"perplexity": held_out, "perplexity_unigram": without, **topic_scores(model, documents)}


def _model(topics: TopicModel | ArrayLike, corpus: Corpus | None) -> TopicModel:
    """The topics as a model; those of another tool are scaled to sum to one."""
    if isinstance(topics, TopicModel):
        return topics
    matrix = foreign(topics, None if corpus is None else corpus.vocabulary)
    wanted = f"(n_topics, {'n_words' if corpus is None else corpus.n_words})"
    if matrix.ndim != 2 or (corpus is not None and matrix.shape[1] != corpus.n_words):
        raise InputError(f"expected topics of shape {wanted}, got {matrix.shape}; match the vocabulary")
    if not np.isfinite(matrix).all() or (matrix < 0).any() or not matrix.sum(axis=1).all():
        raise InputError("expected topics of finite numbers from 0 up, some above it in each, got others")
    words = corpus.vocabulary if corpus is not None else tuple(map(str, range(matrix.shape[1])))
    shares = matrix / matrix.sum(axis=1, keepdims=True)
    return TopicModel(shares, np.full(len(matrix), 1 / len(matrix)), words)


def topic_scores(model: TopicModel, *documents: Corpus) -> dict[str, float]:
    """The scores that need no held-out documents: coherence in all `documents`, diversity."""
    probable, shown = (model.top_words(TOP_WORDS, by=order) for order in ("probable", "distinctive"))
    n_topics = model.n_topics
    frequency = sum(corpus.document_frequency() for corpus in documents)
    random = random_topics(model.top_word_ids(TOP_WORDS, by="probable").tolist(), np.asarray(frequency))
    drawn = [[model.vocabulary[word] for word in topic] for topic in random]
    first, *others = (cooccurrences([*probable, *shown, *drawn], corpus) for corpus in documents)
    both = sum(others, start=first)
    counts, chance = both.of(slice(n_topics)), both.of(slice(2 * n_topics, None))
    return {
        "coherence_npmi": float(npmi(counts).mean()),
        "coherence_npmi_chance": by_chance(npmi(chance), n_topics),
        "coherence_npmi_shown": float(npmi(both.of(slice(n_topics, 2 * n_topics))).mean()),
        "coherence_umass": float(umass(counts).mean()),
        "diversity": diversity(model),
    }
