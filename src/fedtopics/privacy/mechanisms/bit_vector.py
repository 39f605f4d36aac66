r"""Presence of each word in a document, as bits that are flipped (LP-LDA).

Keep a bit with probability 1 - f, else report a fair coin: p = 1 - f/2, q = f/2. Theorem 4 of the paper calls
ln((1 - f/2) / (f/2)) the epsilon "for each document contributor". It is that of one *bit*: a word replaced
costs twice that, a document replaced up to 2 U times, U the public maximum of different words of a document.

F. Zhao et al. Latent Dirichlet allocation model training with differential privacy. 2019.
"""

from fractions import Fraction
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding, bits
from fedtopics.privacy.price.cost import Claim
from fedtopics.privacy.price.events import check_number


def bit_vector(f: float, n_words: int, bounds: Bounds = UNBOUNDED) -> UnaryEncoding:
    """LP-LDA's randomized bits of `n_words` at noise rate `f`; `bounds.max_length` is U, and the first U
    different words of a document count.

    >>> round(bit_vector(0.1, 100).epsilon, 3)
    5.889
    """
    check_number("the noise rate f", f, open_minimum=True)
    if f > 1:
        raise InputError(f"the noise rate f must lie in (0, 1], got {quoted(f)}")
    claim = Claim("document replace", log((1 - f / 2) / (f / 2)), 0.0, "LP-LDA, Theorem 4")
    return UnaryEncoding.of(1 - Fraction(f) / 2, Fraction(f) / 2, n_words, bounds, (claim,))


def estimate(ones: NDArray[Any], n_documents: int, f: float) -> tuple[NDArray[np.float64], float]:
    """The paper's number of documents with each word, rounded and clipped, and its variance (Theorem 5).

    From the `ones` that `n_documents` reported of each word at noise rate `f`.
    """
    count = np.clip(np.round((2 * ones - f * n_documents) / (2 * (1 - f))), 0, n_documents)
    return count, f * (2 - f) * n_documents / (4 * (1 - f) ** 2)


MECHANISM = bits("bit vector", bit_vector, 1e-9, f=(0.999999, 0.6))
