"""Bad input gives an exception that names the argument, never a crash."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted import corpus_of

from fedtopics.errors import InputError
from fedtopics.sampling import lda

CORPUS = corpus_of([[0, 1, 2], [], [2, 2]], n_words=3)
PRIORS = lda.Priors.symmetric(4)
STATE = lda.start(CORPUS, 4, seed=0)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("words", np.array([0, 1, 3, 2, 2], np.int32)),
        ("words", np.array([0, 1, -1, 2, 2], np.int32)),
        ("words", np.array([0, 1, 2**32, 2, 2], np.int64)),
        ("words", np.arange(10, dtype=np.int32)[::2]),
        ("words", [0, 1, 2, 2, 2.5]),
        ("offsets", np.array([0, 3, 3, 6])),
        ("offsets", np.array([0, 4, 3, 5])),
        ("offsets", np.array([1, 3, 3, 5])),
        ("offsets", np.array([], np.int64)),
        ("offsets", np.array([[0, 3, 3, 5]])),
    ],
)
def test_a_broken_corpus_is_refused(field, value):
    with pytest.raises(InputError, match=f"corpus.{field}"):
        lda.start(replace(CORPUS, **{field: value}), 4, seed=0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("others", np.zeros((4, 3))),
        ("others", np.full((3, 4), -1)),
        ("others", np.full((3, 4), np.nan)),
        ("others", "counts"),
        ("weights", np.ones(4)),
        ("weights", np.full(5, np.inf)),
        ("n_sweeps", -1),
        ("n_sweeps", 1.5),
        ("sampler", "magic"),
        ("seed", -1),
        ("seed", 2**64),
    ],
)
def test_a_bad_option_of_sweep_is_refused(name, value):
    with pytest.raises(InputError, match=name):
        lda.sweep(CORPUS, STATE, PRIORS, **({"seed": 0} | {name: value}))


@pytest.mark.parametrize(
    "topics",
    [np.zeros(4, np.uint16), np.full(5, 4, np.uint16), np.zeros(5, np.int64), np.zeros(10, np.uint16)[::2]],
)
def test_topics_that_do_not_match_are_refused(topics):
    with pytest.raises(InputError, match="topics"):
        lda.sweep(CORPUS, lda.State(topics, 0), PRIORS, seed=0)


@pytest.mark.parametrize("n_topics", [0, 1, 10_001, 2.5])
def test_a_bad_number_of_topics_is_refused(n_topics):
    with pytest.raises(InputError, match="n_topics"):
        lda.start(CORPUS, n_topics, seed=0)


@pytest.mark.parametrize("alpha", [[], [0.1, 0], [0.1, np.nan], [[0.1]], "symmetric"])
def test_bad_priors_are_refused(alpha):
    with pytest.raises(InputError, match="alpha"):
        lda.Priors(alpha, 0.01)
    with pytest.raises(InputError, match="beta"):
        lda.Priors(np.ones(2), -1)


@pytest.mark.parametrize("topic_word", [np.ones((4, 2)), np.full((4, 3), np.nan), np.full((4, 3), -1)])
def test_bad_topics_are_refused_by_fold_in(topic_word):
    with pytest.raises(InputError, match="topic_word"):
        lda.fold_in(CORPUS, topic_word, PRIORS.alpha)


def test_a_single_topic_is_refused():
    state, topics = lda.State(np.zeros(5, np.uint16), 0), np.full((1, 3), 1 / 3)
    with pytest.raises(InputError, match="n_topics must be at least 2, got 1"):
        lda.sweep(CORPUS, state, lda.Priors.symmetric(1), seed=0)
    with pytest.raises(InputError, match="n_topics must be at least 2, got 1"):
        lda.assign(CORPUS, state, topics, [0.1], seed=0)


@pytest.mark.parametrize("documents", [[], [[], []]])
def test_an_empty_corpus_is_refused(documents):
    nothing, state = corpus_of(documents, n_words=3), lda.State(np.zeros(0, np.uint16), 0)
    with pytest.raises(InputError, match="corpus must have at least one token"):
        lda.start(nothing, 4, seed=0)
    with pytest.raises(InputError, match="corpus must have at least one token"):
        lda.sweep(nothing, state, PRIORS, seed=0)
    with pytest.raises(InputError, match="corpus must have at least one token"):
        lda.assign(nothing, state, np.full((4, 3), 1 / 3), PRIORS.alpha, seed=0)


def test_mixtures_of_no_documents_and_of_one_topic_are_fine():
    assert lda.fold_in(corpus_of([], n_words=0), np.ones((4, 0)), PRIORS.alpha).shape == (0, 4)
    np.testing.assert_array_equal(lda.fold_in(CORPUS, np.full((1, 3), 1 / 3), [0.1]), np.ones((3, 1)))
