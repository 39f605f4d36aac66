"""Held-out perplexity by document completion: one evaluator for every method and for foreign topics.

Protocol (docs/reference/evaluation.md says why):

1. A test document's tokens are shuffled by a fixed seed; those at even ranks (0, 2, ...) are seen, those at
   odd ranks are hidden. The shuffle of a document depends on the seed and its own words alone: neither on the
   order of its words nor on the other documents. Documents of fewer than 2 tokens have none to score, and are
   counted.
2. phi is floored at 1e-10 and its rows are made to sum to one again, so any topic-word matrix can be scored.
3. theta of a document comes from its seen tokens by 40 steps of expectation-maximization from the uniform
   mixture, with symmetric alpha = 5/K whatever prior the model was trained with.
4. Perplexity = exp(-sum over hidden tokens of log(sum_k theta_dk phi_kw) / number of hidden tokens).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents.corpus import Corpus, concatenate
from fedtopics.documents.pieces import pieces
from fedtopics.documents.reading.frames import named_counts
from fedtopics.documents.text.harmless import showing_no_text
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.sampling import lda

FLOOR = 1e-10
N_ITERATIONS = 40
TOTAL_ALPHA = 5.0
TOKENS_AT_ONCE = 1 << 15

_HALF, _LOW = np.uint64(32), np.uint64(2**32 - 1)

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Completion:
    """Outcome of completing test documents.

    log_likelihood  natural logarithm of the probability of all hidden tokens
    n_hidden        number of hidden tokens
    n_left_out      number of documents too short to be halved
    """

    log_likelihood: float
    n_hidden: int
    n_left_out: int

    @property
    def perplexity(self) -> float:
        return float(np.exp(-self.log_likelihood / self.n_hidden))


def perplexity(topics: TopicModel | ArrayLike, test: Corpus, *, seed: int = 0, n_threads: int = 1) -> float:
    """Held-out perplexity; lower is better.

    topics      a model, or a matrix (n_topics, n_words)
    test        documents over the vocabulary of the topics
    seed        of the shuffle that hides half of each document
    n_threads   the result does not depend on it
    """
    return complete(topics, test, seed=seed, n_threads=n_threads).perplexity


def complete(
    topics: TopicModel | ArrayLike, test: Corpus, *, seed: int = 0, n_threads: int = 1
) -> Completion:
    """How well topics predict the hidden half of each test document from its seen half.

    topics, test, seed, n_threads   as for `perplexity`
    """
    chances, hidden = _completed(topics, test, seed, n_threads)
    log_likelihood = sum((float(np.log(part).sum()) for part in chances), start=0.0)
    return _completion(log_likelihood, hidden, test)


def by_document(
    topics: TopicModel | ArrayLike, test: Corpus, *, seed: int = 0, n_threads: int = 1
) -> tuple[Floats, NDArray[np.int64]]:
    """The log-likelihood of each document's hidden tokens, and their number: the parts of `complete`."""
    chances, hidden = _completed(topics, test, seed, n_threads)
    logarithms = np.log(np.concatenate([np.zeros(0), *chances]))
    sums: Floats = np.bincount(hidden.docs, logarithms, hidden.n_docs).astype(np.float64)
    return sums, hidden.lengths


def unigram_perplexity(train: Corpus, test: Corpus, *, seed: int = 0) -> float:
    """Perplexity of the same hidden tokens of `test` (by `seed`) under word counts of `train`, each plus one.

    What a model without topics reaches: topics are worth something where they stay below it.
    """
    if train.vocabulary != test.vocabulary:
        raise InputError("expected training and test data over one vocabulary, got two; split one corpus")
    hidden, counts = halves(test, seed)[1], _counts(train)
    log_frequencies = np.log(counts / counts.sum())
    return _completion(float(log_frequencies[hidden.words].sum()), hidden, test).perplexity


def unigram_among(test: Corpus, *, before: Floats | float = 1.0, seed: int = 0) -> float:
    """The same without training documents: each document of `test` by the word counts of all others.

    before   what is added to the counts: one for each word, or what is known of their frequencies
    """
    counts, log_likelihood = _counts(test, before), 0.0
    for piece in pieces(test):
        hidden = _halves(piece, seed)[1]
        of_document, times = np.unique(_pairs(piece), return_counts=True)
        own = times[np.searchsorted(of_document, _pairs(hidden))]
        others = counts.sum() - piece.lengths[hidden.docs]
        log_likelihood += float(np.log((counts[hidden.words] - own) / others).sum())
    return _completion(log_likelihood, halves(test, seed)[1], test).perplexity


def _counts(corpus: Corpus, before: Floats | float = 1.0) -> Floats:
    """How often each word stands in the corpus, beside what is known `before`."""
    counts: Floats = np.full(corpus.n_words, before, np.float64)
    for piece in pieces(corpus):
        counts += np.bincount(piece.words, minlength=corpus.n_words)
    return counts


def _pairs(corpus: Corpus) -> NDArray[np.int64]:
    """A number for the document and the word of each token."""
    numbers: NDArray[np.int64] = corpus.docs.astype(np.int64) * corpus.n_words + corpus.words
    return numbers


def halves(corpus: Corpus, seed: int = 0) -> tuple[Corpus, Corpus]:
    """Seen and hidden tokens of each document, those of step 1 of the protocol."""
    seen, hidden = zip(*(_halves(piece, seed) for piece in pieces(corpus)), strict=True)
    return (seen[0], hidden[0]) if len(seen) == 1 else (concatenate(seen), concatenate(hidden))


def _halves(corpus: Corpus, seed: int) -> tuple[Corpus, Corpus]:
    docs, offsets = corpus.docs.astype(np.uint64), corpus.offsets
    # Sorting first makes the shuffle blind to word order. Both sorts are of one number, document first.
    words = np.sort(docs << _HALF | corpus.words.astype(np.uint64), kind="stable") & _LOW
    rank = np.arange(corpus.n_tokens) - offsets[corpus.docs]
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mix(words))])
    bags = _mix(running[offsets[1:]] - running[offsets[:-1]] + _mix(np.uint64(seed % 2**64)))
    keys = _mix(bags[corpus.docs] + rank.astype(np.uint64))
    shuffled = words[np.argsort(docs << _HALF | keys >> _HALF, kind="stable")].astype(np.int32)
    return _selected(corpus, shuffled, rank % 2 == 0), _selected(corpus, shuffled, rank % 2 == 1)


def _selected(corpus: Corpus, words: NDArray[np.int32], chosen: NDArray[np.bool_]) -> Corpus:
    running = np.concatenate([np.zeros(1, np.int64), np.cumsum(chosen, dtype=np.int64)])
    return Corpus(words=words[chosen], offsets=running[corpus.offsets], vocabulary=corpus.vocabulary)


def _mix(values: NDArray[np.uint64] | np.uint64) -> NDArray[np.uint64]:
    """SplitMix64, a random-looking number for each number (Steele, Lea, Flood, OOPSLA 2014)."""
    x = np.atleast_1d(values) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def foreign(topics: ArrayLike, words: tuple[str, ...] | None) -> Floats:
    """The matrix of another tool's topics, dense; a data frame whose columns are called by these words in
    their order."""
    named = named_counts(topics)
    with showing_no_text("expected topics as a model or a matrix of numbers, got texts"):
        matrix = np.asarray(topics.toarray() if hasattr(topics, "toarray") else topics, np.float64)
    if named is None or words is None or set(named) != set(words):
        return matrix
    column = {word: number for number, word in enumerate(named)}
    return matrix[:, [column[word] for word in words]]


def _floored(topics: TopicModel | ArrayLike, test: Corpus) -> Floats:
    if isinstance(topics, TopicModel) and topics.vocabulary != test.vocabulary:
        raise InputError("expected test data over the model's vocabulary, got another; use model.read()")
    phi = topics.topic_word if isinstance(topics, TopicModel) else foreign(topics, test.vocabulary)
    if phi.ndim != 2 or phi.shape[1] != test.n_words:
        raise InputError(f"expected shape (n_topics, {test.n_words}), got {phi.shape}; match the vocabulary")
    if not np.isfinite(phi).all() or (phi < 0).any():
        raise InputError("expected topics of finite numbers from 0 up, got others; give probabilities")
    phi = phi / np.maximum(phi.sum(axis=1, keepdims=True), FLOOR)
    phi = np.maximum(phi, FLOOR)
    normalized: Floats = phi / phi.sum(axis=1, keepdims=True)
    return normalized


def _completed(
    topics: TopicModel | ArrayLike, test: Corpus, seed: int, n_threads: int
) -> tuple[Iterator[Floats], Corpus]:
    """The hidden tokens, and their probabilities by the topics and what is seen."""
    phi = _floored(topics, test)
    seen, hidden = halves(test, seed)
    alpha = np.full(len(phi), TOTAL_ALPHA / len(phi))
    theta = lda.fold_in(seen, phi, alpha, n_iterations=N_ITERATIONS, n_threads=n_threads)
    return _chances(theta, phi, hidden), hidden


def _chances(theta: NDArray[np.float32], phi: Floats, hidden: Corpus) -> Iterator[Floats]:
    """The probability of each hidden token, some tokens at a time: memory does not grow with their number."""
    word_topic = np.ascontiguousarray(phi.T)
    for start in range(0, hidden.n_tokens, TOKENS_AT_ONCE):
        part = slice(start, start + TOKENS_AT_ONCE)
        mixtures = theta[hidden.docs[part]].astype(np.float64)
        yield np.einsum("nk,nk->n", mixtures, word_topic[hidden.words[part]])


def _completion(log_likelihood: float, hidden: Corpus, test: Corpus) -> Completion:
    if not hidden.n_tokens:
        raise InputError(f"expected a test document of 2 tokens or more, got none in {test.n_docs}; add some")
    return Completion(log_likelihood, hidden.n_tokens, int((test.lengths < 2).sum()))
