"""Seed words: all their counts are in their topics, and no other word's counts move."""

from __future__ import annotations

import numpy as np

from fedtopics import Corpus, train
from fedtopics.methods.calm import guided

COUNTS = np.arange(12.0).reshape(4, 3)


def test_all_counts_of_a_seed_word_are_in_its_topic_and_others_stay() -> None:
    state = guided.known("; wheat; tax court", 3, ("court", "farm", "tax", "wheat"))
    held = guided.applied(COUNTS, state)
    assert held.tolist() == [[0, 0, 3], [3, 4, 5], [0, 0, 21], [0, 30, 0]]
    assert COUNTS.tolist() == np.arange(12.0).reshape(4, 3).tolist()


def test_a_topic_with_seed_words_begins_without_chance() -> None:
    factors = np.arange(1.0, 13.0).reshape(4, 3)
    even = guided.leveled(factors, guided.known("; wheat", 3, ("court", "farm", "tax", "wheat")))
    assert even[:, 1].tolist() == [1, 1, 1, 1]
    assert np.array_equal(even[:, [0, 2]], factors[:, [0, 2]])
    assert guided.leveled(factors, {}) is factors


def test_without_seed_words_counts_are_as_they_were() -> None:
    assert guided.known(" ", 3, ("court",)) == {}
    assert guided.applied(COUNTS, {}) is COUNTS


def test_seed_words_draw_the_words_that_stand_beside_them() -> None:
    random = np.random.default_rng(0)
    rows = []
    for shares in random.dirichlet(np.full(6, 0.3), 300):
        themes = random.choice(6, 30, p=shares)
        rows.append(
            " ".join(f"theme{'abcdef'[k]}word{'abcdefghijklmno'[random.integers(15)]}" for k in themes)
        )
    settings = {"epsilon": 6.0, "n_topics": 6, "n_rounds": 20, "seed_words": "themeawordb; themebwordc"}
    run = train(Corpus.from_texts(rows), "calm", n_parties=1, n_threads=1, **settings)
    for topic, theme in enumerate(("themea", "themeb")):
        assert all(word.startswith(theme) for word in run.model.top_words(8, by="probable")[topic])
