"""What noise on document histograms will cost in quality, from public figures alone."""

from __future__ import annotations

from math import log

import numpy as np

from fedtopics.errors import InputError

# Perplexity relative to training without noise, at x = epsilon - ln(n_words / distinct words per document).
MEASURED_LOSS = ((-2.0, 1.27), (-1.0, 1.13), (0.0, 1.055), (1.0, 1.022), (2.0, 1.006), (3.0, 1.0))


def surplus(epsilon: float, n_words: int, distinct_words: float) -> float:
    """The x of the forecast: how far epsilon exceeds what the vocabulary asks for."""
    if not (n_words > 0 and 0 < distinct_words <= n_words):
        raise InputError(f"distinct words must lie between 0 and n_words = {n_words}, got {distinct_words}")
    return epsilon - log(n_words / distinct_words)


def predicted_ratio(epsilon: float, n_words: int, distinct_words: float) -> float:
    """Expected perplexity relative to training without noise.

    `distinct_words` is a guess of the distinct words per document, given by the user: never read from private
    data. The curve was measured (docs/methods/calm.md); below its first point it goes on as a straight line.

    >>> round(predicted_ratio(6.0, 8000, 100), 2)
    1.01
    """
    x = surplus(epsilon, n_words, distinct_words)
    at, ratios = zip(*MEASURED_LOSS, strict=True)
    slope = (ratios[1] - ratios[0]) / (at[1] - at[0])
    return float(np.interp(x, at, ratios) + slope * min(0.0, x - at[0]))
