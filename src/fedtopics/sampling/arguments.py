"""Arguments of the samplers, checked and brought into the form that the kernels read."""

import os
from dataclasses import dataclass
from operator import index
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import quoted, showing_no_text
from fedtopics.errors import InputError

MAX_TOPICS = 10_000
MAX_TOKENS = 2**31 - 1
MAX_SWEEPS = 2**31

T = TypeVar("T", bound=np.floating[Any])


@dataclass(frozen=True, eq=False)
class State:
    """Where a sampler stands: the topic of each token, shape (n_tokens,), after `n_sweeps` sweeps."""

    topics: NDArray[np.uint16]
    n_sweeps: int


def natural_number(name: str, value: int, least: int = 0) -> int:
    """`value` as an integer of at least `least`."""
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{name} must be an integer, got {quoted(value)}") from None
    if number < least:
        raise InputError(f"{name} must be at least {least}, got {number}")
    return number


def thread_count(n_jobs: int | None) -> int:
    """Number of threads by scikit-learn's rule: None is one, -1 all cores, -2 all but one.

    >>> thread_count(None), thread_count(3), thread_count(-1) == (os.cpu_count() or 1)
    (1, 3, True)
    """
    number = 1 if n_jobs is None else natural_number("n_jobs", n_jobs, least=-MAX_SWEEPS)
    return max(1, number if number >= 0 else (os.cpu_count() or 1) + 1 + number)


def one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """`value`, one of the allowed names."""
    if value not in allowed:
        raise InputError(f"{name} must be one of {', '.join(allowed)}, got {quoted(value)}")
    return value


def topic_count(n_topics: int, least: int = 1) -> int:
    """`n_topics` as an integer between `least` and 10,000."""
    if natural_number("n_topics", n_topics, least) > MAX_TOPICS:
        raise InputError(f"n_topics must be at most {MAX_TOPICS}, got {n_topics}")
    return index(n_topics)


def check_choice(corpus: Corpus, n_topics: int) -> None:
    """Refuses what leaves a sampler nothing to draw: no tokens, or a single topic."""
    check_corpus(corpus)
    topic_count(n_topics, least=2)
    if corpus.n_tokens == 0:
        raise InputError(f"corpus must have at least one token, got {corpus.n_docs} documents without any")


def seed_number(seed: int) -> int:
    """`seed` as an integer below 2^64."""
    if natural_number("seed", seed) >= 2**64:
        raise InputError(f"seed must be below 2**64, got {seed}")
    return index(seed)


def positive_number(name: str, value: float) -> float:
    """`value` as a finite float above zero."""
    with showing_no_text(f"{name} must be a positive number, got {quoted(value)}"):
        number = float(value)
    if not (np.isfinite(number) and number > 0):
        raise InputError(f"{name} must be a positive number, got {quoted(value)}")
    return number


def positive_vector(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """`values` as one float above zero per topic."""
    vector = _numbers(name, values, np.float64)
    if vector.ndim != 1 or not 1 <= len(vector) <= MAX_TOPICS:
        raise InputError(f"{name} must have 1 to {MAX_TOPICS} values, a topic each, got shape {vector.shape}")
    if not (np.isfinite(vector).all() and (vector > 0).all()):
        raise InputError(f"{name} must hold positive numbers, got a smallest value of {vector.min()}")
    return vector


def check_corpus(corpus: Corpus) -> None:
    """Refuses more tokens than the kernels can count; and numbers on the disk that were changed there."""
    corpus.sound  # noqa: B018 - what is in memory was checked as the corpus was made
    if corpus.n_tokens > MAX_TOKENS:
        raise InputError(f"corpus must have fewer than 2^31 tokens, got {corpus.n_tokens}")


def check_topics(name: str, topics: NDArray[np.uint16], corpus: Corpus, n_topics: int) -> None:
    """Refuses topics that do not belong to this corpus or this number of topics."""
    _expect_array(name, topics, np.uint16)
    topic_count(n_topics)
    if len(topics) != corpus.n_tokens:
        raise InputError(f"{name} must have one value per token ({corpus.n_tokens}), got {len(topics)}")
    if len(topics) and topics.max() >= n_topics:
        raise InputError(f"{name} must be below n_topics = {n_topics}, got {topics.max()}")


def check_state(corpus: Corpus, state: State, n_topics: int) -> None:
    """Refuses a state that does not belong to this corpus or this number of topics."""
    check_topics("state.topics", state.topics, corpus, n_topics)
    if natural_number("state.n_sweeps", state.n_sweeps) >= MAX_SWEEPS:
        raise InputError(f"state.n_sweeps must be below 2^31, got {state.n_sweeps}")


def other_counts(others: ArrayLike | None, n_words: int, n_topics: int) -> NDArray[np.float32] | None:
    """`others` as non-negative counts of shape (n_words, n_topics)."""
    if others is None:
        return None
    return non_negative("others", others, (n_words, n_topics))


def token_weights(weights: ArrayLike | None, n_tokens: int) -> NDArray[np.float32] | None:
    """`weights` as one non-negative number per token."""
    return None if weights is None else non_negative("weights", weights, (n_tokens,))


def topic_word_matrix(topic_word: ArrayLike, n_topics: int, n_words: int) -> NDArray[np.float64]:
    """`topic_word` as a non-negative matrix of shape (n_topics, n_words)."""
    matrix = _numbers("topic_word", topic_word, np.float64)
    if matrix.shape != (n_topics, n_words):
        raise InputError(f"topic_word must have shape {(n_topics, n_words)}, got {matrix.shape}")
    if not (np.isfinite(matrix).all() and (matrix >= 0).all()):
        raise InputError("topic_word must hold finite numbers of at least 0")
    return matrix


def non_negative(name: str, values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float32]:
    array = _numbers(name, values, np.float32)
    if array.shape != shape:
        raise InputError(f"{name} must have shape {shape}, got {array.shape}")
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise InputError(f"{name} must hold finite numbers of at least 0; clip negative counts first")
    return array


def _numbers(name: str, values: ArrayLike, dtype: type[T]) -> NDArray[T]:
    try:
        return np.ascontiguousarray(values, dtype)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, got {type(values).__name__}") from None


def _expect_array(name: str, array: object, dtype: type[np.generic]) -> None:
    expected = f"{name} must be a contiguous one-dimensional array of {np.dtype(dtype)}"
    if not isinstance(array, np.ndarray):
        raise InputError(f"{expected}, got {type(array).__name__}")
    if array.dtype != dtype or array.ndim != 1 or not array.flags.c_contiguous:
        raise InputError(f"{expected}, got {array.dtype} of shape {array.shape} and strides {array.strides}")
