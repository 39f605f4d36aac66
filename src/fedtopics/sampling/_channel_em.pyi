import numpy as np
from numpy.typing import NDArray

def expect(
    offsets: NDArray[np.int64],
    words: NDArray[np.int32],
    values: NDArray[np.int32],
    phi: NDArray[np.float32],
    inverse_sizes: NDArray[np.float32],
    alpha: NDArray[np.float32],
    coverage: NDArray[np.float32],
    theta: NDArray[np.float32],
    intensity: NDArray[np.float64],
    *,
    decay: float,
    growth: float,
    burstiness: float,
    absence: float,
    silence: float,
    hidden: float,
    n_steps: int,
    exclude: bool,
    n_threads: int,
    counts: NDArray[np.float32] | None,
    instruction_set: str,
) -> float: ...
def expect_reports(
    documents: NDArray[np.int64],
    reports: NDArray[np.int64],
    times: NDArray[np.float32],
    words: NDArray[np.int32],
    gains: NDArray[np.float32],
    phi: NDArray[np.float32],
    inverse_sizes: NDArray[np.float32],
    alpha: NDArray[np.float32],
    theta: NDArray[np.float32],
    *,
    n_steps: int,
    exclude: bool,
    n_threads: int,
    counts: NDArray[np.float32],
    instruction_set: str,
) -> float: ...
def instruction_sets() -> list[str]: ...
