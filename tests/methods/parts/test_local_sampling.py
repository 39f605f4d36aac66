"""Plain sampling at a party."""

import numpy as np
from planted import corpus_of

from fedtopics.methods.alone import Alone
from fedtopics.protocol.turn import Turn


def test_a_party_without_a_known_word_has_no_topics():
    topics = Alone(n_topics=4).resample(corpus_of([[], []], n_words=3), None, Turn(0, "party"))
    assert (topics.dtype, topics.shape) == (np.uint16, (0,))
