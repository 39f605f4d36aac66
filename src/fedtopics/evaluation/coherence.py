"""Coherence: do the top words of a topic belong together, as far as a reference corpus tells.

With P the share of windows of the reference that hold a word, or both words, and e = 1e-12:

    umass   mean over words i > j of a topic of log((P(i, j) + e) / P(j)), in documents
            (Mimno et al., EMNLP 2011)
    npmi    mean over pairs of log((P(i, j) + e) / (P(i) P(j))) / -log(P(i, j) + e), in documents or windows
            (Bouma, GSCL 2009; Aletras and Stevenson, IWCS 2013)
    c_v     mean over words of the cosine between the word's vector of npmi with each word of the topic,
            itself included, and the sum of these vectors, in windows of 110 tokens
            (Röder, Both, Hinneburg, WSDM 2015)

They equal gensim's `u_mass`, `c_npmi` (window=10) and `c_v` on the same input. Where gensim divides by zero,
for a word that the reference does not hold, umass counts 0 as gensim does, npmi counts -1, its lowest value.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.evaluation.cooccurrence import Cooccurrences, cooccurrences
from fedtopics.model import TopicModel

EPSILON = 1e-12
C_V_WINDOW = 110

Floats: TypeAlias = NDArray[np.float64]


def coherence_umass(
    topics: TopicModel | Sequence[Sequence[str]], reference: Corpus, *, n_words: int = 10
) -> Floats:
    """UMass coherence of each topic; 0 is best.

    topics      a model, or the top words of each topic
    reference   the documents that words are counted in
    n_words     of a model's topic, the most probable ones
    """
    return umass(cooccurrences(_top_words(topics, n_words), reference))


def coherence_npmi(
    topics: TopicModel | Sequence[Sequence[str]],
    reference: Corpus,
    *,
    n_words: int = 10,
    window: int | None = None,
) -> Floats:
    """Normalized pointwise mutual information of each topic, from -1 to 1.

    topics, reference, n_words   as for `coherence_umass`
    window                       tokens that count as together; None for those of a document
    """
    return npmi(cooccurrences(_top_words(topics, n_words), reference, window))


def coherence_cv(
    topics: TopicModel | Sequence[Sequence[str]],
    reference: Corpus,
    *,
    n_words: int = 10,
    window: int | None = C_V_WINDOW,
) -> Floats:
    """C_V coherence of each topic, from 0 to 1 or nearly so.

    topics, reference, n_words, window   as for `coherence_npmi`
    """
    return _each_topic(_c_v, cooccurrences(_top_words(topics, n_words), reference, window))


def umass(counts: Cooccurrences) -> Floats:
    """UMass coherence of each topic from counts in documents."""
    return _each_topic(_umass, counts)


def npmi(counts: Cooccurrences) -> Floats:
    """Mean normalized pointwise mutual information of each topic."""
    return _each_topic(_npmi, counts)


def _each_topic(measure: Callable[[Floats], float], counts: Cooccurrences) -> Floats:
    return np.array([measure(joint / counts.n_windows) for joint in counts.joint])


def _umass(joint: Floats) -> float:
    later, earlier = np.tril_indices(len(joint), -1)
    conditions = np.diag(joint)[earlier]
    logs = np.log(joint[later, earlier] + EPSILON) - np.log(np.where(conditions > 0, conditions, 1.0))
    return float(np.where(conditions > 0, logs, 0.0).mean())


def _npmi(joint: Floats) -> float:
    return float(_pairwise_npmi(joint)[np.tril_indices(len(joint), -1)].mean())


def _c_v(joint: Floats) -> float:
    vectors = _pairwise_npmi(joint)
    whole = vectors.sum(axis=0)
    cosines = vectors @ whole / (np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole))
    return float(cosines.mean())


def _pairwise_npmi(joint: Floats) -> Floats:
    independent = np.outer(np.diag(joint), np.diag(joint))
    # A word that is nowhere has joint = 0: a denominator of 1 makes its value log(e) / -log(e) = -1.
    ratios = (joint + EPSILON) / np.where(independent > 0, independent, 1.0)
    values: Floats = np.log(ratios) / -np.log(joint + EPSILON)
    return values


def _top_words(topics: TopicModel | Sequence[Sequence[str]], n_words: int) -> list[list[str]]:
    words = (
        topics.top_words(n_words, by="probable")
        if isinstance(topics, TopicModel)
        else [list(t)[:n_words] for t in topics]
    )
    shortest = min((len(topic) for topic in words), default=0)
    if shortest < 2:
        raise InputError(f"expected topics of 2 top words or more, got {shortest}; ask for more words")
    return words
