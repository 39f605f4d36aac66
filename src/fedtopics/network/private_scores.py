"""Held-out perplexity without showing documents: each party releases two noisy sums over its own.

    party    for every held-out document d: n_d hidden tokens and their -log-likelihood L_d under the model,
             both scaled down where n_d > m = MOST_TOKENS;  v_d = (n_d / m, (L_d - c n_d) / (m R)) / sqrt 2
             release sum_d v_d + discrete Gaussian noise  (norm of v_d at most 1: a clipped sum)
    server   perplexity = exp(c + R sum_parties second / sum_parties first)

c = ln(number of words), what a model that knows nothing needs for a token; a document whose mean lies more
than R = 4 nats from it counts as R. What it costs is epsilon for a document added or removed
(`Evaluation.epsilon`), and stands in the plan.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import exp, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.evaluation.perplexity import by_document
from fedtopics.network import wire
from fedtopics.privacy.mechanisms.clipped_sum import ClippedSum
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.turn import Arrays

MOST_TOKENS = 50
MOST_NATS = 4.0  # from those of even words


@dataclass(frozen=True)
class PrivateScore:
    """Perplexity from noisy sums, and how far off the noise may put it (two standard deviations)."""

    perplexity: float
    low: float
    high: float


@dataclass(frozen=True)
class Score:
    """How well topics over these words predict held-out documents: what releases it, at which price."""

    price: Cost
    release: Callable[[NDArray[Any], tuple[str, ...], Noise], Release[Arrays]]


def release(
    topics: NDArray[np.float64], held_out: Corpus, mechanism: ClippedSum, noise: Noise, n_threads: int = 1
) -> Release[Arrays]:
    """[party] The two noisy sums of its held-out documents, over the words of the model."""
    return mechanism(vectors(topics, held_out, n_threads), noise).map(lambda sums: {"sums": sums})


def vectors(topics: NDArray[np.float64], held_out: Corpus, n_threads: int = 1) -> NDArray[np.float64]:
    """What each document adds: its hidden tokens and their nats, of norm at most 1."""
    likelihoods, lengths = by_document(topics, held_out, n_threads=n_threads)
    scale = np.minimum(1.0, MOST_TOKENS / np.maximum(lengths, 1)) / MOST_TOKENS
    tokens = lengths * scale
    surplus = (-likelihoods - lengths * log(held_out.n_words)) * scale / MOST_NATS
    nats = np.clip(surplus, -tokens, tokens)
    return np.column_stack([tokens, nats]) / sqrt(2)


@dataclass(frozen=True)
class Scored:
    """Which parties released sums, what each paid, and what they say together."""

    parties: tuple[str, ...]
    cost: Cost
    score: PrivateScore | None


def read_sums(name: str, body: bytes) -> Arrays:
    """The sums of a party, if that is what these bytes are."""
    arrays = wire.unpack(body, limit=16)
    sums = arrays.get("sums")
    if set(arrays) != {"sums"} or sums is None or sums.dtype != np.float64 or sums.shape != (2,):
        raise wire.WireError("expected two sums, got other arrays")
    if not np.isfinite(sums).all() or np.abs(sums).max() > 1e12:
        raise wire.WireError("expected finite sums, got others")
    return arrays


def combined(sent: Mapping[str, Arrays], mechanism: ClippedSum, n_words: int) -> PrivateScore | None:
    """[server] The perplexity of all parties' documents; None where the noise drowns them."""
    total = np.sum([sent[name]["sums"] for name in sorted(sent)], axis=0) if sent else np.zeros(2)
    deviation = 2 * mechanism.multiplier * sqrt(max(1, len(sent)))
    if total[0] <= 2 * deviation:
        return None
    ratio = total[1] / total[0]
    error = deviation / total[0] * sqrt(1 + ratio**2)
    limits = (np.clip(ratio + step * error, -1.0, 1.0) for step in (0, -1, 1))
    return PrivateScore(*(n_words * exp(MOST_NATS * float(limit)) for limit in limits))
