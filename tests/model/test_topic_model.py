"""A model holds probabilities and nothing else; what it gives is named, ordered and safe from change."""

import numpy as np
import pytest

from fedtopics.errors import InputError
from fedtopics.model import TopicModel

WORDS = ("tax", "law", "war")


def small_model(**changes):
    return TopicModel.from_counts([[3, 1, 0], [0, 1, 4]], WORDS, alpha=[0.5, 1.0], beta=0.1, **changes)


def test_from_counts_is_the_posterior_mean():
    model = small_model()
    assert np.allclose(
        model.topic_word, [[3.1 / 4.3, 1.1 / 4.3, 0.1 / 4.3], [0.1 / 5.3, 1.1 / 5.3, 4.1 / 5.3]]
    )
    assert np.allclose(model.topic_shares, [4 / 9, 5 / 9])


def test_noise_below_zero_counts_as_zero():
    noisy = TopicModel.from_counts([[3, 1, -7], [-0.5, 1, 4]], WORDS, beta=0.1)
    assert np.array_equal(noisy.topic_word, small_model().topic_word)


def test_top_words_are_ordered_and_equal_words_go_by_id():
    model = TopicModel(np.array([[0.2, 0.2, 0.6], [0.5, 0.25, 0.25]]), np.ones(2), WORDS)
    assert model.top_words(2, by="probable") == [["war", "tax"], ["tax", "law"]]
    assert model.top_words(by="probable") == [["war", "tax", "law"], ["tax", "law", "war"]]
    counts = np.random.default_rng(0).integers(1, 4, 1000)
    many = TopicModel.from_counts([counts], list(map(str, range(1000))))
    assert many.top_word_ids(1000)[0].tolist() == sorted(range(1000), key=lambda word: (-counts[word], word))


def test_arrays_cannot_be_written_and_do_not_follow_their_source():
    source = np.array([[0.5, 0.5, 0.0]])
    model = TopicModel(source, np.ones(1), WORDS)
    source[:] = 0
    assert model.topic_word.sum() == 1
    with pytest.raises(ValueError, match="read-only"):
        model.topic_word[0, 0] = 1


def test_labels_make_a_new_model():
    model = small_model()
    named = model.set_topic_labels({1: "conflict"})
    assert model.labels is None
    assert named.labels == ("topic 0", "conflict")
    assert named.set_topic_labels(["money", "conflict"]).label(0) == "money"
    with pytest.raises(InputError, match="got 2"):
        model.set_topic_labels({2: "third"})
    with pytest.raises(InputError, match="expected 2 texts as labels"):
        model.set_topic_labels(["one"])


@pytest.mark.parametrize(
    ("topic_word", "alpha", "words", "message"),
    [
        ([[0.5, 0.5]], [1.0], WORDS, r"shape \(n_topics, 3\), got \(1, 2\)"),
        ([[0.5, 0.6, 0.1]], [1.0], WORDS, "probabilities"),
        ([[1.5, -0.5, 0.0]], [1.0], WORDS, "probabilities"),
        ([[np.nan, 0.5, 0.5]], [1.0], WORDS, "probabilities"),
        ([[1.0, 0.0, 0.0]], [1.0, 1.0], WORDS, "alpha"),
        ([[1.0, 0.0, 0.0]], [0.0], WORDS, "alpha"),
        ([[1.0, 0.0, 0.0]], [1.0], ("tax", "tax", "war"), "repeat"),
        ([], [], (), "shape"),
    ],
)
def test_what_is_no_model_is_refused(topic_word, alpha, words, message):
    with pytest.raises(InputError, match=message):
        TopicModel(np.array(topic_word), np.array(alpha), words)


@pytest.mark.parametrize("counts", [[1.0, 2.0, 3.0], [[1, 1, 1], [0, 0, 0]], [[np.nan, 1, 1]]])
def test_counts_that_make_no_topics_are_refused(counts):
    with pytest.raises(InputError, match="counts"):
        TopicModel.from_counts(counts, WORDS, beta=0.0)


def test_a_card_does_not_follow_its_source():
    source = {"parties": ("a", "b")}
    model = small_model(card=source)
    source["parties"] = ()
    assert model.card == {"parties": ["a", "b"]}
    assert repr(model) == "TopicModel(2 topics, 3 words)"


@pytest.mark.parametrize("value", [np.arange(3), {1, 2}, float("nan")])
def test_a_card_holds_plain_values_only(value):
    with pytest.raises(InputError, match="plain JSON"):
        small_model(card={"key": value})
