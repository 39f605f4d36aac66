"""The law of noise that histograms carry, against the tails of that noise."""

from __future__ import annotations

import numpy as np
import pytest

from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.sampling.histograms import Histograms


@pytest.mark.parametrize("sigma", [0.3, 0.56, 1.0, 5.0])
def test_what_is_dropped_follows_the_mechanism(sigma: float) -> None:
    """Pr[below 1 | one token] / Pr[below 1 | none], as the mechanism states it."""
    nothing = np.zeros(0, np.int32)
    held = Histograms(np.zeros(1, np.int64), nothing, nothing, 3, sigma=sigma)
    absent = GaussianCounts(sigma, 3).channel(max_count=2, max_value=50)[:, 0]
    assert held.dropping == pytest.approx(absent[1] / absent[0], rel=1e-5)
    assert absent[2] / absent[0] <= held.dropping**2  # the power is an approximation from above
