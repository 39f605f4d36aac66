"""Private Metropolis-Hastings on units: the topics of tokens or sentences from their noisy vectors alone.

A chain starts from random topics of the units, or from topics of words that are known. A sweep moves every
unit once (`sampling/private_mh.py`); how phi follows from the counts, and which sweeps count, is the
variant's.
"""

from dataclasses import dataclass

import numpy as np

from fedtopics.protocol.turn import Turn
from fedtopics.sampling import private_mh
from fedtopics.sampling.private_mh import Floats, Units

SMALLEST = 1e-12  # of a topic that is known, where its logarithm is needed


@dataclass(frozen=True)
class Training:
    """Settings of local training."""

    n_topics: int
    n_local: int
    alpha: float
    beta: float


@dataclass(frozen=True, eq=False)
class Chain:
    """The topic of every unit, and log phi (n_topics, n_words)."""

    topics: private_mh.Labels
    log_phi: Floats


def begun(units: Units, settings: Training, turn: Turn, generator: np.random.Generator) -> Chain:
    """Every unit in a random topic, phi drawn from what that gives."""
    shape = settings.n_topics, units.n_words
    topics = private_mh.start(units, settings.n_topics, turn.seed)
    counts = private_mh.word_topic_counts(units, topics, np.full(shape, -np.log(shape[1])))
    return Chain(topics, private_mh.draw_topics(counts, settings.beta, generator))


def from_known(units: Units, known: Floats, turn: Turn, topics: private_mh.Labels | None = None) -> Chain:
    """phi as it is known; units where they were, or each drawn anew under phi."""
    log_phi = private_mh.normalized_log(np.log(np.maximum(known, SMALLEST)))
    if topics is None:
        topics = private_mh.assign(units, log_phi, seed=turn.seed, n_threads=turn.n_threads)
    return Chain(topics, log_phi)


def swept(units: Units, chain: Chain, number: int, settings: Training, turn: Turn) -> tuple[Chain, Floats]:
    """The chain after one more sweep, with the counts (n_topics, n_words) of its topics."""
    topics = private_mh.sweep(
        units,
        chain.topics,
        chain.log_phi,
        settings.alpha,
        seed=turn.seed,
        number=number,
        n_threads=turn.n_threads,
    )
    return Chain(topics, chain.log_phi), private_mh.word_topic_counts(units, topics, chain.log_phi)
