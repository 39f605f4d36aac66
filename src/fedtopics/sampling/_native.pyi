import numpy as np
from numpy.typing import NDArray

def instruction_set() -> str: ...
def start(topics: NDArray[np.uint16], offsets: NDArray[np.int64], n_topics: int, seed: int) -> None: ...
def word_topic_counts(
    words: NDArray[np.int32], topics: NDArray[np.uint16], out: NDArray[np.int32]
) -> None: ...
def gibbs(
    words: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    topics: NDArray[np.uint16],
    alpha: NDArray[np.float64],
    beta: float,
    others: NDArray[np.float32] | None,
    weights: NDArray[np.float32] | None,
    seed: int,
    first_sweep: int,
    n_sweeps: int,
) -> None: ...
def fold_in(
    words: NDArray[np.int32],
    offsets: NDArray[np.int64],
    topic_word: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_iterations: int,
    n_threads: int,
    theta: NDArray[np.float32],
) -> None: ...
