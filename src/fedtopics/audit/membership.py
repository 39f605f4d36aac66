"""Who can tell from the model alone whether a document, or a word of one, was trained on: likelihood ratios.

Shadow models are trained with coins that are known: each document is there in about half of them. For every
canary, a statistic of the model under attack is compared with what it was where the canary was there and
where it was not, both taken for normal (N. Carlini et al., Membership inference attacks from first
principles, IEEE S&P 2022):

    online    ln N(s; mean and deviation with it) - ln N(s; mean and deviation without it)
    offline   (s - mean without it) / deviation without it: no shadow model needs the canary itself

The statistic of a document is its likelihood at the mixture of topics that suits it best (N. Manzonelli, W.
Zhang, S. Vadhan, Membership inference attacks and privacy in topic modeling, TMLR 2024); of a word, its
logarithmic frequency under the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.audit.canaries import PARTY, in_one_document
from fedtopics.audit.guesses import Scored
from fedtopics.documents.corpus import Corpus
from fedtopics.model import TopicModel
from fedtopics.protocol import in_process
from fedtopics.protocol.method import Method
from fedtopics.protocol.summing import Summing
from fedtopics.sampling import lda

Floats: TypeAlias = NDArray[np.float64]
Coins: TypeAlias = NDArray[np.bool_]
NO_PRIOR = 1e-6  # of a mixture that is fitted to a document alone
MANY = 64  # shadow models with and without a canary from which its own deviations are better than common ones


@dataclass(frozen=True, eq=False)
class Shadows:
    """Statistics of canaries under several models (n_models, n_canaries), and which were there."""

    statistics: Floats
    coins: Coins

    def __getitem__(self, models: slice) -> "Shadows":
        return Shadows(self.statistics[models], self.coins[models])


def lira(known: Shadows, target: Shadows, *, online: bool) -> Scored:
    """Scores of all canaries under the target models, from the known ones."""
    outside = _moments(known, ~known.coins)
    if online:
        inside = _moments(known, known.coins)
        scores = _log_density(target.statistics, *inside) - _log_density(target.statistics, *outside)
    else:
        scores = (target.statistics - outside[0]) / outside[1]
    return Scored(np.asarray(scores).ravel(), target.coins.ravel())


def _moments(known: Shadows, chosen: Coins) -> tuple[Floats, Floats]:
    """Mean and deviation for each canary; one deviation for all where models are few."""
    number = np.maximum(chosen.sum(axis=0), 1)
    mean = np.where(chosen, known.statistics, 0).sum(axis=0) / number
    mean = np.where(chosen.any(axis=0), mean, known.statistics.mean(axis=0))
    squares = np.where(chosen, (known.statistics - mean) ** 2, 0)
    own = np.sqrt(squares.sum(axis=0) / number)
    common = np.sqrt(squares.sum() / max(1, int((number - 1).sum())))
    deviation = own if number.min() >= MANY else np.full_like(mean, common)
    return mean, np.maximum(deviation, 1e-9)


def _log_density(values: Floats, mean: Floats, deviation: Floats) -> Floats:
    return np.asarray(-np.log(deviation) - ((values - mean) / deviation) ** 2 / 2)


def best_likelihoods(model: TopicModel, documents: Corpus, n_threads: int = 1) -> Floats:
    """Of each document, the logarithm of its likelihood at the mixture that suits it best."""
    none = np.full(model.n_topics, NO_PRIOR)
    theta = lda.fold_in(documents, model.topic_word, none, n_threads=n_threads).astype(np.float64)
    chances = np.einsum("tk,kt->t", theta[documents.docs], model.topic_word[:, documents.words])
    logarithms = np.log(np.maximum(chances, 1e-300))
    return np.bincount(documents.docs, logarithms, minlength=documents.n_docs).astype(np.float64)


def word_frequencies(model: TopicModel) -> Floats:
    """The logarithm of each word's frequency, topics weighted by their shares."""
    return np.asarray(np.log(np.maximum(model.word_frequencies, 1e-300)), np.float64)


def trained(
    method: Method,
    copies: Mapping[str, Corpus],
    *,
    n_models: int,
    seed: int,
    n_threads: int,
    summing: Summing | None = None,
) -> tuple[Shadows, Shadows] | None:
    """Models of random halves of the copies and of the words of one more document: of documents, of words.

    A document that is not there is empty: the number of documents may be public. None: there is no model.
    """
    names = sorted(copies)
    vocabulary = copies[names[0]].vocabulary
    words = in_one_document("word add/remove", vocabulary, len(vocabulary))
    generator = np.random.default_rng(seed)
    found: list[tuple[Floats, Coins, Floats, Coins]] = []
    for number in range(n_models):
        there = {name: generator.random(copies[name].n_docs) < 0.5 for name in names}
        coins = words.toss(generator)
        parties = {name: emptied(copies[name], there[name]) for name in names} | {PARTY: words.planted(coins)}
        outcome = in_process.run(method, parties, seed=seed + number, n_threads=n_threads, summing=summing)
        model = outcome.model
        if model is None:
            return None
        likelihoods = [best_likelihoods(model, copies[name], n_threads) for name in names]
        tossed = np.concatenate([there[name] for name in names])
        found.append((np.concatenate(likelihoods), tossed, word_frequencies(model), coins))
    of_documents, of_words = (
        Shadows(np.array([each[at] for each in found]), np.array([each[at + 1] for each in found]))
        for at in (0, 2)
    )
    return of_documents, of_words


def emptied(corpus: Corpus, there: NDArray[Any]) -> Corpus:
    """The corpus, whose documents that are not `there` have no words; each is one sentence."""
    kept = there[corpus.docs]
    offsets = np.concatenate([[0], np.cumsum(np.where(there, corpus.lengths, 0))])
    return replace(
        corpus,
        words=corpus.words[kept],
        offsets=offsets,
        sentence_offsets=None if corpus.sentence_offsets is None else offsets,
        document_sentences=None if corpus.document_sentences is None else np.arange(corpus.n_docs + 1),
    )
