"""Where a sampler stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class State:
    """The topic of each token, shape (n_tokens,), after `n_sweeps` sweeps."""

    topics: NDArray[np.uint16]
    n_sweeps: int
