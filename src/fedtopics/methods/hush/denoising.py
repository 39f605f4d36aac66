"""What the server makes of noisy sums: empirical Bayes, by a law that is learned from the sums themselves.

    y ~ N(p r, tau^2)     p is the expectation before, r a ratio on a grid of e^-5 to e^4, and 0

The law of r is learned by EM, for each class of signal to noise p / tau on its own; the answer is the mean of
p r given y. Where noise outweighs what is expected the law says so, and the expectation stays.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATIOS = np.concatenate([[0.0], np.exp(np.linspace(-5, 4, 37))]).astype(np.float32)
N_CLASSES, N_STEPS = 24, 12
CLEAR = 15  # deviations of noise above which a total is left as it is


def posterior_mean(
    y: NDArray[Any], deviation: NDArray[Any], expected: NDArray[Any], n_classes: int = N_CLASSES
) -> NDArray[np.float64]:
    """The mean of what was summed, given the noisy sums `y`, the `deviation` of noise and what is `expected`.

    >>> rng = np.random.default_rng(0)
    >>> truth = np.where(rng.random(4000) < 0.1, 50.0, 5.0)
    >>> noisy = truth + rng.normal(0, 10, 4000)
    >>> found = posterior_mean(noisy, np.full(4000, 10.0), np.full(4000, 10.0), n_classes=1)
    >>> bool(np.abs(found - truth).mean() < np.abs(noisy - truth).mean() / 2)
    True
    """
    value, tau, mean = (
        np.broadcast_to(a, y.shape).ravel().astype(np.float32) for a in (y, deviation, expected)
    )
    loudness = np.log(np.maximum(mean / tau, 1e-9))
    edges = np.quantile(loudness, np.linspace(0, 1, n_classes + 1)[1:-1])
    place = np.searchsorted(edges, loudness, side="right")
    order = np.argsort(place, kind="stable")
    bounds = np.searchsorted(place[order], np.arange(n_classes + 1))
    found = np.empty(len(value))
    for begin, end in pairwise(bounds):
        own = order[begin:end]
        if len(own):
            found[own] = _of_class(value[own], tau[own], mean[own])
    return found.reshape(y.shape)


def _of_class(y: NDArray[Any], tau: NDArray[Any], mean: NDArray[Any]) -> NDArray[np.float64]:
    """Posterior means of sums that share one law of ratios."""
    misfit = -0.5 * ((y[:, None] - mean[:, None] * RATIOS) / tau[:, None]) ** 2
    likelihood = np.exp(misfit - misfit.max(axis=1, keepdims=True))
    law = np.full(len(RATIOS), 1 / len(RATIOS), np.float32)
    for _ in range(N_STEPS):
        shares = law / (likelihood @ law)[:, None] * likelihood
        law = 0.5 + shares.sum(axis=0)
        law /= law.sum()
    return np.asarray(mean * ((likelihood @ (law * RATIOS)) / (likelihood @ law)), np.float64)


def clear_totals(noisy: NDArray[np.float64], deviation: float) -> NDArray[np.float64]:
    """Totals of words, at least 1: those that noise could hide as their law says, the others as they are."""
    hidden = noisy < CLEAR * deviation
    found = noisy.copy()
    if hidden.any():
        own = noisy[hidden]
        tau = np.full(len(own), deviation)
        found[hidden] = posterior_mean(own, tau, 2 / 3 * CLEAR * tau, n_classes=1)
    return np.maximum(found, 1.0)
