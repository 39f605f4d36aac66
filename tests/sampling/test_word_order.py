from __future__ import annotations

import numpy as np
from planted import corpus_of

from fedtopics.sampling import word_order


def test_tokens_are_sorted_as_the_numpy_lines_say():
    corpus = corpus_of([[3, 0, 3], [], [1, 3, 0]], n_words=5)
    found = word_order.of(corpus)
    np.testing.assert_array_equal(found.slots, np.lexsort((corpus.words, corpus.docs)))
    np.testing.assert_array_equal(found.order[:6], np.argsort(corpus.words[found.slots], kind="stable"))
    np.testing.assert_array_equal(np.diff(found.offsets), np.bincount(corpus.words, minlength=5))
    assert word_order.of(corpus) is found
