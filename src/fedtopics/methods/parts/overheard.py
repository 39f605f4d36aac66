"""What a listener (`audit/listener.py`) hears of users who report once: words, bits, or the clear text."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.parts.noisy_reports import row_lengths
from fedtopics.privacy.mechanisms.sampled_response import SampledResponse
from fedtopics.privacy.mechanisms.unary_encoding import UnaryEncoding
from fedtopics.protocol.hearing import TYPICAL_WORDS, Hearing
from fedtopics.protocol.turn import Arrays


def by_words(mechanism: SampledResponse, n_words: int) -> Hearing:
    """Some words of a document, each true or any word at all."""
    response, n_reports = mechanism.response, mechanism.n_reports
    false = n_reports * (1 - response.gamma) / response.n_words

    def right(lengths: NDArray[Any], distinct: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.minimum(lengths, n_reports) * response.gamma + false * distinct)

    hits = response.gamma * min(1.0, n_reports / TYPICAL_WORDS)
    return Hearing(hits, np.full(n_words, false), senders, right=right)


def by_bits(mechanism: UnaryEncoding, n_words: int) -> Hearing:
    """A bit for every word."""
    p, q, most = mechanism.p, mechanism.q, mechanism.bounds.max_length

    def right(lengths: NDArray[Any], distinct: NDArray[Any]) -> NDArray[np.float64]:
        told = distinct if most is None else np.minimum(distinct, most)
        return np.asarray(told * p + (distinct - told) * q)

    share = 1.0 if most is None else min(1.0, most / TYPICAL_WORDS)
    return Hearing(share * (p - q), np.full(n_words, q), senders, right=right)


def in_the_clear(n_words: int) -> Hearing:
    """The documents themselves."""
    return Hearing(1.0, np.zeros(n_words), senders)


def senders(sent: Arrays) -> NDArray[np.int64]:
    """The user of each reported word."""
    lengths = row_lengths(sent)
    return np.repeat(np.arange(len(lengths)), lengths)
