"""A round of EM at the server: what documents are expected to say, and topics from what they said beyond it.

    r0_wk  ~ pi_k phi_wk                           P(topic | word), public
    W_wk   = (u_w V)^-0.45 r0_wk^-0.4              weights: less noise where less is expected
    Y_wk   = r0_wk totals_w + noisy sum / W_wk     expected counts
    phi    ~ empirical Bayes of Y, with phi before as expectation (`denoising.py`)

A document's responsibilities sum to 1 for each word, as r0 does: what the noisy sums of a word add up to over
the topics is noise alone, and is taken off.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.hush.beginning import rarity
from fedtopics.methods.hush.denoising import posterior_mean

Floats = NDArray[np.float64]
RARE, LEAST = 0.45, 0.1  # weights by word
UNLIKELY, LEAST_SHARE = 0.4, 0.002  # weights by topic, given the word
OTHERWISE = 0.002  # share of the unigram in what is expected of a topic
PRIOR = 0.02  # counts of the unigram in every topic, for each word
FEWEST = 20  # mean deviations of noise that a topic's counts are taken to be at least
AHEAD = 2.0  # power of the change of a topic while topics form
FAR = 1e3  # most that the change of a word in a topic may be


class Topics(NamedTuple):
    """phi (n_words, n_topics), whose columns sum to one, and the shares of the topics."""

    phi: Floats
    shares: Floats


def expectation(topics: Topics) -> Floats:
    """P(topic | word), (n_words, n_topics)."""
    joint = topics.phi * topics.shares
    return np.asarray(joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300))


def coordinates(unigram: Floats, expected: Floats) -> NDArray[np.float32]:
    """The weight of each word and topic in the norm of a contribution."""
    by_topic = np.maximum(expected, LEAST_SHARE) ** -UNLIKELY
    by_topic /= np.sqrt((by_topic**2 * expected).sum(axis=1, keepdims=True))
    return np.asarray(rarity(unigram, RARE, LEAST)[:, None] * by_topic, np.float32)


def improved(topics: Topics, totals: Floats, noisy: Floats, deviation: float, ahead: bool) -> Topics:
    """The topics after a round whose noisy sum, in weighted coordinates, has noise of this `deviation`."""
    unigram = totals / totals.sum()
    expected = expectation(topics)
    weights = coordinates(unigram, expected).astype(np.float64)
    tau = deviation / weights
    beyond = noisy / weights
    variance = tau**2
    beyond -= variance / variance.sum(axis=1, keepdims=True) * beyond.sum(axis=1, keepdims=True)
    counts = expected * totals[:, None] + beyond
    sizes = np.maximum(counts.sum(axis=0), FEWEST * tau.mean())
    prior = ((1 - OTHERWISE) * topics.phi + OTHERWISE * unigram[:, None]) * sizes
    found = posterior_mean(counts, tau, prior)
    amounts = found.sum(axis=0)
    phi = found / amounts
    if ahead:
        phi = topics.phi * np.clip(phi / np.maximum(topics.phi, 1e-12), 1 / FAR, FAR) ** AHEAD
        phi /= phi.sum(axis=0)
    smoothed = phi * amounts + PRIOR * (unigram * len(unigram))[:, None]
    return Topics(smoothed / smoothed.sum(axis=0), amounts / amounts.sum())
