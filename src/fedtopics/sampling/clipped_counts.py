"""Sums over units, each cut to a norm and counted in whole steps: a unit changes a sum by no more than that.

A unit is a document, or all documents of a person. Its vector v is cut to the norm `clip` and written in
integers of norm at most `resolution`,

    steps = trunc(v * scale),   scale = resolution / max(|v|, clip) * (1 - 1e-12),

towards zero, so that rounding never lengthens it. That the squared norm of the integers is at most
resolution^2 is verified for every unit; where it does not hold, nothing is returned. A sum of steps times
clip / resolution is the sum of the cut vectors, up to the rounding.

    sum_of_counts        v_w  = sum over the unit's documents of min(c, cap)
    sum_of_differences   v_wk = weights_wk * sum over its documents of min(c, cap) (r_k - expected_wk)

Here c is how often the document has word w, and r its responsibilities: CVB0 (Asuncion et al., On Smoothing
and Inference for Topic Models, UAI 2009) at fixed topics, each entry left out of its own evidence,

    r_k ~ phi_wk;   then `n_steps` times   n_k = sum over the entries of c r_k,
                                           r_k ~ phi_wk max(n_k + alpha - c r_k, alpha).

Integers are summed, so results have the same bits whatever the number of threads and the instruction set, and
on a GPU (`gpu.using`).
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.errors import InputError
from fedtopics.sampling import _native
from fedtopics.sampling.arguments import natural_number, non_negative, positive_number, topic_count
from fedtopics.sampling.gpu import clipped_sum, using

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ENTRIES_AT_ONCE = 1 << 20
MAX_RESOLUTION = 1 << 26  # squares of whole steps up to here are exact in double precision
MAX_COUNT = 2.0**31
MARGIN = 1 - 1e-12


def sum_of_differences(
    words: NDArray[np.integer],
    counts: ArrayLike,
    offsets: NDArray[np.integer],
    units: NDArray[np.integer],
    phi: ArrayLike,
    expected: ArrayLike,
    weights: ArrayLike,
    *,
    alpha: float,
    n_steps: int,
    cap: float,
    clip: float,
    resolution: int,
    n_threads: int = 1,
) -> NDArray[np.int64]:
    """The sum (n_words, n_topics), in steps, of what the units' responsibilities differ from `expected`.

    Document d has the words words[offsets[d]:offsets[d+1]] as often as `counts` says, and unit u the
    documents units[u]:units[u+1]. `phi` (n_words, n_topics), `expected` and `weights` are at least 0.
    """
    shape = np.shape(phi)
    if len(shape) != 2:
        raise InputError(f"phi must have shape (n_words, n_topics), got {shape}")
    topic_count(shape[1])
    entries = _entries(words, counts, offsets, units, shape[0])
    named = {"phi": phi, "expected": expected, "weights": weights}
    matrices = [non_negative(name, matrix, shape) for name, matrix in named.items()]
    options: dict[str, Any] = {
        "alpha": positive_number("alpha", alpha),
        "n_steps": natural_number("n_steps", n_steps),
        "cap": positive_number("cap", cap),
        "clip": positive_number("clip", clip),
        "resolution": _resolution(resolution),
    }
    n_threads = natural_number("n_threads", n_threads, 1)
    gpu = using.current(len(entries[0]))
    if gpu is not None and len(entries[0]):
        return clipped_sum.sum_of_differences(gpu, entries, *matrices, **options)
    out = np.empty(shape, np.int64)
    _native.sum_of_differences(*entries, *matrices, **options, n_threads=n_threads, out=out)
    return out


def sum_of_counts(
    words: NDArray[np.integer],
    counts: ArrayLike,
    offsets: NDArray[np.integer],
    units: NDArray[np.integer],
    n_words: int,
    *,
    cap: float,
    clip: float,
    resolution: int,
) -> NDArray[np.int64]:
    """The sum (n_words,), in steps, of the units' word counts; the arguments of `sum_of_differences`."""
    from scipy.sparse import csr_array

    natural_number("n_words", n_words)
    own_words, own_counts, offsets, units = _entries(words, counts, offsets, units, n_words)
    cap, clip, most = positive_number("cap", cap), positive_number("clip", clip), _resolution(resolution)
    total, bounds = np.zeros(n_words, np.int64), offsets[units]
    starts = np.searchsorted(bounds, np.arange(0, len(own_words), ENTRIES_AT_ONCE), side="right") - 1
    for first, last in pairwise([*starts, len(units) - 1]):
        own = slice(bounds[first], bounds[last])
        capped = np.minimum(own_counts[own], cap, dtype=np.float64)
        rows = bounds[first : last + 1] - bounds[first]
        vectors = csr_array((capped, own_words[own], rows), (last - first, n_words), copy=True)
        vectors.sum_duplicates()
        scale = most / np.maximum(np.sqrt(_squared_norms(vectors)), clip) * MARGIN
        vectors.data = np.trunc(vectors.data * np.repeat(scale, np.diff(vectors.indptr)))
        if not (_squared_norms(vectors) <= most**2).all():
            raise InputError("expected units of finite numbers inside their norm, got one that is not")
        total += np.bincount(vectors.indices, vectors.data, n_words).astype(np.int64)
    return total


def _squared_norms(vectors: "csr_array") -> NDArray[np.float64]:
    """Of each row. The product adds in one order on every machine; whole steps add up exactly."""
    from scipy.sparse import csr_array

    squares = csr_array((vectors.data**2, vectors.indices, vectors.indptr), vectors.shape)
    norms: NDArray[np.float64] = squares @ np.ones(vectors.shape[1])
    return norms


def _entries(
    words: NDArray[np.integer],
    counts: ArrayLike,
    offsets: NDArray[np.integer],
    units: NDArray[np.integer],
    n_words: int,
) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """The documents and units as the kernel reads them, or what is wrong with them."""
    words = _integers("words", words)
    if len(words) and not (words.min() >= 0 and words.max() < n_words):
        raise InputError(f"words must be ids from 0 to below {n_words}, got {words.min()} to {words.max()}")
    counted = non_negative("counts", counts, words.shape)
    if len(counted) and not (counted.min() >= 1 and counted.max() <= MAX_COUNT):
        raise InputError(f"counts must be 1 to 2^31, got {counted.min()} to {counted.max()}")
    offsets, units = _integers("offsets", offsets), _integers("units", units)
    _check_bounds("offsets", offsets, len(words))
    _check_bounds("units", units, len(offsets) - 1)
    return (
        np.ascontiguousarray(words, np.int32),
        counted,
        np.ascontiguousarray(offsets, np.int64),
        np.ascontiguousarray(units, np.int64),
    )


def _integers(name: str, values: NDArray[np.integer]) -> NDArray[np.integer]:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{name} must be a list of integers, got {array.dtype} of shape {array.shape}")
    return array


def _check_bounds(name: str, bounds: NDArray[np.integer], end: int) -> None:
    if len(bounds) == 0 or bounds[0] != 0 or bounds[-1] != end or (bounds[1:] < bounds[:-1]).any():
        raise InputError(f"{name} must ascend from 0 to {end}, got {bounds}")


def _resolution(resolution: int) -> int:
    if natural_number("resolution", resolution, 1) > MAX_RESOLUTION:
        raise InputError(f"resolution must be at most 2^26, got {resolution}")
    return resolution
