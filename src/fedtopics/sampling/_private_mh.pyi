from typing import Any

import numpy as np
from numpy.typing import NDArray

def run(
    documents: NDArray[np.int64],
    units: NDArray[np.int64],
    rows: NDArray[np.int64],
    words: NDArray[np.int32],
    values: NDArray[np.float32],
    hints: NDArray[np.int64],
    hint_words: NDArray[np.int32],
    lengths: NDArray[np.float64],
    decay: float,
    evidence: int,
    log_phi: NDArray[np.float32],
    phi: NDArray[np.float32],
    proposals: NDArray[np.float32],
    alpha: float,
    topics: NDArray[Any],
    n_proposals: int,
    seed: int,
    sweep: int,
    n_threads: int,
) -> None: ...
