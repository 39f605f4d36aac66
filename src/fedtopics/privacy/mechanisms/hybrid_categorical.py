"""The categorical branch of the hybrid mechanism (HM, a baseline of FedLDA): optimized unary encoding.

For one categorical attribute HM reports by OUE at the full epsilon (N. Wang et al., Collecting and analyzing
multidimensional data with local differential privacy, ICDE 2019, section V); its numerical branch has no use
for words. A tuple's word is one such attribute.
"""

from __future__ import annotations

from fedtopics.privacy.mechanisms.bounds import UNBOUNDED, Bounds
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding, bits


def hybrid_categorical(epsilon: float, n_words: int, bounds: Bounds = UNBOUNDED) -> UnaryEncoding:
    """HM; for one word per row use `each`.

    >>> round(hybrid_categorical(4.0, 100).p, 3), round(hybrid_categorical(4.0, 100).q, 4)
    (0.5, 0.018)
    """
    return UnaryEncoding.optimized(epsilon, n_words, bounds)


MECHANISM = bits("hybrid categorical", hybrid_categorical, 40.0, epsilon=(2e-6, 1.0))
