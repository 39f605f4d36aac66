"""Seed words stay in the topics they were given, even against the data, and topics form around them."""

import numpy as np
from planted import drawn_corpus, planted_topics

from fedtopics.estimator import LDA

TOPICS = planted_topics(4, 10)
CORPUS = drawn_corpus(TOPICS, 150, 40, seed=1)


def shares(model, words, topic):
    """Share of the tokens of each word that ended in a topic."""
    counts = model.components_ - model.topic_word_prior_
    columns = [CORPUS.vocabulary.index(word) for word in words]
    return counts[topic, columns] / counts[:, columns].sum(axis=0)


def test_topics_come_in_the_order_of_their_seeds():
    order = [2, 0, 3, 1]
    seeds = [[f"w{10 * planted}", f"w{10 * planted + 1}"] for planted in order]
    model = LDA(4, max_iter=40, random_state=0, seed_words=seeds).fit(CORPUS)
    for topic, planted in enumerate(order):
        assert set(model.model_.top_words(10)[topic]) == {f"w{10 * planted + place}" for place in range(10)}
        assert shares(model, seeds[topic], topic).min() > 1 - 1e-9


def test_some_topics_may_be_left_free():
    model = LDA(4, max_iter=40, random_state=0, seed_words={3: ["w5"]}).fit(CORPUS)
    assert set(model.model_.top_words(10)[3]) == {f"w{place}" for place in range(10)}


def test_seeds_hold_against_the_data():
    # w0 and w1 live in the same documents, and w10 in others; the seeds say the opposite.
    seeds = {0: ["w0", "w10"], 1: ["w1", "w11"]}
    model = LDA(4, max_iter=40, random_state=0, seed_words=seeds).fit(CORPUS)
    for topic, words in seeds.items():
        assert shares(model, words, topic).min() > 1 - 1e-9
        assert set(words) <= set(model.model_.top_words(12)[topic])


def test_columns_without_names_are_seeded_by_number():
    counts = CORPUS.to_sparse()
    model = LDA(4, max_iter=40, random_state=0, seed_words=[[30, 31]]).fit(counts)
    assert set(model.model_.top_words(10)[0]) == {f"x{place}" for place in range(30, 40)}


def test_seeds_guide_every_batch():
    model = LDA(4, max_iter=20, random_state=0, seed_words=[["w30"], ["w20"]])
    for seed in (1, 2):
        model.partial_fit(drawn_corpus(TOPICS, 80, 40, seed=seed))
    assert shares(model, ["w30"], 0)[0] > 1 - 1e-9
    assert np.argmax(model.components_[1]) in range(20, 30)
