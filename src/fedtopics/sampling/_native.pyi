from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int32]
Offsets = NDArray[np.int64]
Topics = NDArray[np.uint16]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

def alias(weights: Floats, threshold: Floats, other: NDArray[np.uint32]) -> None: ...
def start(topics: Topics, offsets: Offsets, n_topics: int, seed: int) -> None: ...
def word_topic_counts(words: Words, offsets: Offsets, topics: Topics, out: Words) -> None: ...
def order_by_word(
    words: Words,
    offsets: Offsets,
    word_offsets: Offsets,
    order: Words,
    slots: Words,
    on_disk: bool = False,
) -> None: ...
def optimize_alpha(
    words: Words, offsets: Offsets, topics: Topics, alpha: Doubles, n_iterations: int, n_threads: int
) -> None: ...
def optimize_beta(
    words: Words,
    offsets: Offsets,
    word_offsets: Offsets,
    order: Words,
    slots: Words,
    topics: Topics,
    n_topics: int,
    beta: float,
    n_iterations: int,
    n_threads: int,
) -> float: ...

# With the dictionaries of `lda.for_kernel` and `lda.assign`, whose names and types the binding checks.
def gibbs(**options: Any) -> None: ...
def warp(**options: Any) -> None: ...
def metropolis(**options: Any) -> None: ...
def assign(**options: Any) -> None: ...
def assign_metropolis(**options: Any) -> None: ...
def fold_in(
    words: Words,
    offsets: Offsets,
    topic_word: Doubles,
    alpha: Doubles,
    n_iterations: int,
    n_threads: int,
    theta: Floats,
) -> None: ...
def expect_histograms(
    offsets: Offsets,
    words: Words,
    values: Words,
    phi: Floats,
    inverse_sizes: Floats,
    alpha: Floats,
    coverage: Floats,
    theta: Floats,
    intensity: Doubles,
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
    counts: Floats | None,
    on_disk: bool = False,
) -> float: ...
def expect_reports(
    documents: Offsets,
    reports: Offsets,
    times: Floats,
    words: Words,
    gains: Floats,
    phi: Floats,
    inverse_sizes: Floats,
    alpha: Floats,
    theta: Floats,
    *,
    n_steps: int,
    exclude: bool,
    n_threads: int,
    counts: Floats,
) -> float: ...
def sum_of_differences(
    words: Words,
    counts: Floats,
    offsets: Offsets,
    units: Offsets,
    phi: Floats,
    expected: Floats,
    weights: Floats,
    *,
    alpha: float,
    n_steps: int,
    cap: float,
    clip: float,
    resolution: float,
    n_threads: int,
    out: Offsets,
) -> None: ...
def private_metropolis(
    documents: Offsets,
    units: Offsets,
    rows: Offsets,
    words: Words,
    values: Floats,
    hints: Offsets,
    hint_words: Words,
    lengths: Doubles,
    decay: float,
    evidence: int,
    log_phi: Floats,
    phi: Floats,
    proposals: Floats,
    alpha: float,
    topics: Topics,
    n_proposals: int,
    seed: int,
    sweep: int,
    n_threads: int,
) -> None: ...
