"""Seed words: all their counts are in their topics, and no other word's counts move."""

from __future__ import annotations

import numpy as np

from fedtopics.methods.calm import guided

COUNTS = np.arange(12.0).reshape(4, 3)


def test_all_counts_of_a_seed_word_are_in_its_topic_and_others_stay() -> None:
    state = guided.known("; wheat; tax court", 3, ("court", "farm", "tax", "wheat"))
    held = guided.applied(COUNTS, state)
    assert held.tolist() == [[0, 0, 3], [3, 4, 5], [0, 0, 21], [0, 30, 0]]
    assert COUNTS.tolist() == np.arange(12.0).reshape(4, 3).tolist()


def test_without_seed_words_counts_are_as_they_were() -> None:
    assert guided.known(" ", 3, ("court",)) == {}
    assert guided.applied(COUNTS, {}) is COUNTS
