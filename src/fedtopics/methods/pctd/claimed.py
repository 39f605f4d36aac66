"""What the paper on PC-TD says its noise is worth."""

from __future__ import annotations

from math import log, sqrt


def moments_claim(sigma: float, rounds: int, delta: float) -> float:
    """Epsilon by PC-TD's proof: the least with T l^2 / s^2 <= l e / 2, exp(-l e / 2) <= delta for an l."""
    return 2 * sqrt(rounds * log(1 / delta)) / sigma
