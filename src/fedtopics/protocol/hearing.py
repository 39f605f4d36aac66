"""What a listener on the wire hears, as a method tells it (`Method.hearing`)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.protocol.turn import Arrays

TYPICAL_WORDS = 60  # different words of a document, as a listener may guess


@dataclass(frozen=True, eq=False)
class Hearing:
    """What a listener on the wire hears of users who report words, in a whole run (`audit/listener.py`).

    hits      reports of a word for each time it is in a document, beyond those of a word that is not
    false     reports of each word that is not there
    senders   the user of each word of one answer
    reported  what of the documents is ever reported
    right     of lengths and numbers of different words: how many of a document's words its one report is
              expected to name; None where users report again and again
    """

    hits: float
    false: NDArray[np.float64]
    senders: Callable[[Arrays], NDArray[np.int64]]
    reported: Callable[[Corpus], Corpus] = lambda corpus: corpus
    right: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]] | None = None
