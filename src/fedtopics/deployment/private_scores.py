"""Held-out perplexity without showing documents: each party releases two noisy sums over its own.

    party    for every held-out document d: n_d hidden tokens and their -log-likelihood L_d under the model,
             both scaled down where n_d > m = MOST_TOKENS;  v_d = (n_d / m, L_d / (m B)) / sqrt 2
             release sum_d v_d + discrete Gaussian noise  (norm of v_d at most 1: a clipped sum)
    server   perplexity = exp(B sum_parties second / sum_parties first)

B = ln(number of words) + 3 bounds the nats of a token, beyond which a document counts as B. What it costs is
epsilon for a document added or removed (`Evaluation.epsilon`), and stands in the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from fedtopics.corpus import Corpus
from fedtopics.evaluation.perplexity import by_document
from fedtopics.federation import wire
from fedtopics.federation.protocol import Arrays
from fedtopics.privacy.clipped_sum import ClippedSum
from fedtopics.privacy.noise import Noise
from fedtopics.privacy.release import Release

MOST_TOKENS = 100


@dataclass(frozen=True)
class PrivateScore:
    """Perplexity from noisy sums, and how far off the noise may put it (two standard deviations)."""

    perplexity: float
    low: float
    high: float


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
    nats = np.minimum(-likelihoods * scale / most_nats(held_out.n_words), tokens)
    return np.column_stack([tokens, nats]) / sqrt(2)


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
    limits = [(total[1] + step * deviation) / (total[0] - step * deviation) for step in (0, -1, 1)]
    middle, low, high = (exp(most_nats(n_words) * min(max(ratio, 0.0), 1.0)) for ratio in limits)
    return PrivateScore(middle, low, high)


def most_nats(n_words: int) -> float:
    """What a token may add at most."""
    return log(n_words) + 3
