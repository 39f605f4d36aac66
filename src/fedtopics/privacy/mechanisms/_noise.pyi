from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]
Keep = Callable[[NDArray[np.int32], NDArray[np.int32]], None]

class Stream:
    def __init__(self, refill: Callable[[], bytes]) -> None: ...

def below(stream: Stream, n: int, size: int) -> NDArray[np.int64]: ...
def coins(stream: Stream, threshold: int, size: int) -> NDArray[np.uint8]: ...
def exp_minus(stream: Stream, numerator: int, denominator: int, size: int) -> NDArray[np.uint8]: ...
def geometric(stream: Stream, s: int, t: int, size: int) -> NDArray[np.int64]: ...
def laplace(stream: Stream, s: int, t: int, size: int) -> NDArray[np.int64]: ...
def gaussian(stream: Stream, n: int, d: int, t: int, size: int) -> NDArray[np.int64]: ...
def two_sided(stream: Stream, cumulative: NDArray[np.uint16], size: int) -> NDArray[np.int64]: ...
def survivors(stream: Stream, digits: NDArray[np.uint16], n_positions: int) -> NDArray[np.int64]: ...
def laplace_rows(
    stream: Stream,
    words: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    step: int,
    threshold: int,
    digits: NDArray[np.uint16],
    s: int,
    t: int,
    keep: Keep | None = None,
) -> Rows: ...
def gaussian_rows(
    stream: Stream,
    words: NDArray[np.int32],
    offsets: NDArray[np.int64],
    n_words: int,
    step: int,
    threshold: int,
    digits: NDArray[np.uint16],
    n: int,
    d: int,
    t: int,
    cumulative: NDArray[np.uint16],
    keep: Keep | None = None,
) -> Rows: ...
