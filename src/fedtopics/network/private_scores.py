"""Held-out perplexity without showing documents: each party releases three noisy sums over its own.

    party    for every held-out document d: n_d hidden tokens and their -log-likelihoods, L_d under the model
             and U_d under the mean of its topics alone, all scaled down where n_d > m = MOST_TOKENS
             v_d = (n_d / m, (L_d - c n_d) / (m R), (U_d - c n_d) / (m R)) / sqrt 3
             release sum_d v_d + discrete Gaussian noise  (norm of v_d at most 1: a clipped sum)
    server   perplexity = exp(c + R sum_parties second / sum_parties first), without topics by the third

The mean of all topics depends on no held-out document. Where topics are of noise they predict no better than
it, although it is noise itself.

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

N_SUMS = 3
MOST_TOKENS = 50
MOST_NATS = 4.0  # from those of even words


@dataclass(frozen=True)
class PrivateScore:
    """Perplexity from noisy sums, and how far off the noise may put it (two standard deviations).

    without   that of the mean of all topics
    """

    perplexity: float
    without: float
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
    """[party] The three noisy sums of its held-out documents, over the words of the model."""
    return mechanism(vectors(topics, held_out, n_threads), noise).map(lambda sums: {"sums": sums})


def vectors(topics: NDArray[np.float64], held_out: Corpus, n_threads: int = 1) -> NDArray[np.float64]:
    """What each document adds: its hidden tokens, their nats and those without topics, of norm at most 1."""
    likelihoods, lengths = by_document(topics, held_out, n_threads=n_threads)
    without, _ = by_document(topics.mean(axis=0, keepdims=True), held_out, n_threads=n_threads)
    scale = np.minimum(1.0, MOST_TOKENS / np.maximum(lengths, 1)) / MOST_TOKENS
    tokens, even = lengths * scale, lengths * log(held_out.n_words)
    surplus = ((-found - even) * scale / MOST_NATS for found in (likelihoods, without))
    return np.column_stack([tokens, *(np.clip(nats, -tokens, tokens) for nats in surplus)]) / sqrt(N_SUMS)


@dataclass(frozen=True)
class Scored:
    """Which parties released sums, what each paid, and what they say together."""

    parties: tuple[str, ...]
    cost: Cost
    score: PrivateScore | None


def read_sums(name: str, body: bytes) -> Arrays:
    """The sums of a party, if that is what these bytes are."""
    arrays = wire.unpack(body, limit=8 * N_SUMS)
    sums = arrays.get("sums")
    if set(arrays) != {"sums"} or sums is None or sums.dtype != np.float64 or sums.shape != (N_SUMS,):
        raise wire.WireError("expected three sums, got other arrays")
    if not np.isfinite(sums).all() or np.abs(sums).max() > 1e12:
        raise wire.WireError("expected finite sums, got others")
    return arrays


def combined(sent: Mapping[str, Arrays], mechanism: ClippedSum, n_words: int) -> PrivateScore | None:
    """[server] The perplexity of all parties' documents; None where the noise drowns them."""
    total = np.sum([sent[name]["sums"] for name in sorted(sent)], axis=0) if sent else np.zeros(N_SUMS)
    deviation = 2 * mechanism.multiplier * sqrt(max(1, len(sent)))
    if total[0] <= 2 * deviation:
        return None
    ratio, without = total[1:] / total[0]
    error = deviation / total[0] * sqrt(1 + ratio**2)
    limits = (np.clip(found, -1.0, 1.0) for found in (ratio, without, ratio - error, ratio + error))
    return PrivateScore(*(n_words * exp(MOST_NATS * float(limit)) for limit in limits))
