"""Documents sorted by their topics: scores as scikit-learn's, planted classes found, bad labels refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn import metrics

from fedtopics.applications.bootstrap import resampled
from fedtopics.applications.classification import (
    CONTROL,
    WORDS,
    Classified,
    classify,
    scorer,
    split_by_class,
    split_by_column,
)
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

VOCABULARY = ("goal", "match", "team", "bank", "loan", "money")
SPORT_AND_MONEY = TopicModel.from_counts([[5, 5, 5, 0, 0, 0], [0, 0, 0, 5, 5, 5]], VOCABULARY)
BLIND = TopicModel.from_counts([[5, 1, 5, 1, 5, 1], [5, 1, 5, 1, 5, 1]], VOCABULARY)


def labeled(n_docs: int = 200, seed: int = 0) -> Corpus:
    """Short documents of two kinds; one word in five is from the other kind."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(2, size=n_docs)
    other = rng.random((n_docs, 4)) < 0.2
    words = rng.integers(3, size=(n_docs, 4)) + 3 * (kind[:, None] ^ other)
    labels = tuple(["sport", "money"][k] for k in kind)
    return Corpus(words.ravel().astype(np.int32), np.arange(0, 4 * n_docs + 1, 4), VOCABULARY, labels=labels)


def by_name(results: list[Classified]) -> dict[str, Classified]:
    return {result.features: result for result in results}


@pytest.mark.parametrize("n_classes", [2, 4])
def test_scores_equal_those_of_scikit_learn(n_classes: int) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(n_classes, size=300)
    decisions = np.round(rng.random((300, n_classes)) + np.eye(n_classes)[truth] * 0.3, 1)  # with ties
    if n_classes == 2:
        decisions[:, 0] = 1 - decisions[:, 1]
    weights = rng.integers(3, size=300).astype(float)
    chosen, average = decisions.argmax(axis=1), "binary" if n_classes == 2 else "macro"
    expected = [
        metrics.accuracy_score(truth, chosen, sample_weight=weights),
        metrics.precision_score(truth, chosen, average=average, sample_weight=weights),
        metrics.recall_score(truth, chosen, average=average, sample_weight=weights),
        metrics.f1_score(truth, chosen, average=average, sample_weight=weights),
        np.mean(
            [
                metrics.roc_auc_score(truth == k, decisions[:, k], sample_weight=weights)
                for k in range(1 if n_classes == 2 else 0, n_classes)
            ]
        ),
    ]
    assert_allclose(scorer(truth, decisions)(weights), expected, rtol=1e-12)


def test_topics_that_know_the_classes_beat_topics_that_do_not() -> None:
    train, test = split_by_class(labeled(), seed=0)
    found = by_name(classify({"good": SPORT_AND_MONEY, "blind": BLIND}, train, test))
    assert found["good"].scores["auc"].value > 0.9
    assert found["blind"].scores["auc"].value == pytest.approx(0.5, abs=0.15)
    assert found[CONTROL].scores["auc"].value == 0.5
    low, _ = found["good"].scores["auc"].minus(found["blind"].scores["auc"]).interval
    assert low > 0


@pytest.mark.parametrize("classifier", ["logistic", "svm"])
def test_a_class_that_resamples_may_miss_has_intervals_all_the_same(classifier: str) -> None:
    texts = ["goal match team"] * 18 + ["bank loan money"] * 2
    labels = ["sport"] * 18 + ["money"] * 2
    corpus = Corpus.from_texts(texts, labels=labels, vocabulary=VOCABULARY)
    found = by_name(
        classify({"good": SPORT_AND_MONEY}, corpus, corpus.select([0, 1, 2, 19]), classifier=classifier)
    )
    assert found["good"].scores["auc"].interval == (1.0, 1.0)


@pytest.mark.parametrize("classifier", ["logistic", "svm"])
def test_words_stand_alone_and_beside_topics(classifier: str) -> None:
    train, test = split_by_class(labeled(), seed=0)
    found = by_name(classify({"blind": BLIND}, train, test, words=True, classifier=classifier))
    assert list(found) == [CONTROL, WORDS, "blind"]
    assert min(found[name].scores["auc"].value for name in (WORDS, "blind")) > 0.9


def test_every_class_is_split_four_to_one() -> None:
    corpus = labeled()
    train, test = split_by_class(corpus, seed=3)
    assert corpus.labels is not None
    assert train.labels is not None
    assert test.labels is not None
    assert train.n_docs + test.n_docs == corpus.n_docs
    for name in ("sport", "money"):
        assert test.labels.count(name) == pytest.approx(corpus.labels.count(name) / 5, abs=1)


def test_a_column_gives_the_split() -> None:
    parts = ["train", "test", "train"]
    corpus = Corpus.from_texts(["goal", "loan", "team"], labels=list("xyx"), parties=parts)
    train, test = split_by_column(corpus)
    assert (train.n_docs, test.n_docs) == (2, 1)
    with pytest.raises(InputError, match="parts train and test, got 'north'"):
        split_by_column(Corpus.from_texts(["goal"], labels=["x"], parties=["north"]))


def test_labels_missing_or_of_one_class_are_refused() -> None:
    texts = ["goal match", "bank loan", "team goal", "money bank"]
    bad = {
        "documents with labels, got none; name their column by --label-column": None,
        "documents with labels, got none for 1 of 4, the first being number 2; label": ["x", "", "y", "y"],
        "two classes or more, got one: all 4 are 'x'": ["x"] * 4,
        "at least 2 documents of every class to split, got one of 'y'": ["x", "x", "x", "y"],
    }
    for message, labels in bad.items():
        with pytest.raises(InputError, match=message):
            split_by_class(Corpus.from_texts(texts, labels=labels), seed=0)


def test_other_bad_input_is_refused() -> None:
    train, test = split_by_class(labeled(), seed=0)
    with pytest.raises(InputError, match="logistic or svm, got 'forest'"):
        classify({}, train, test, classifier="forest")
    foreign = TopicModel.from_counts([[1, 2], [2, 1]], ["eins", "zwei"])
    with pytest.raises(InputError, match="words of the model, got none"):
        classify({"foreign": foreign}, train, test)
    with pytest.raises(InputError, match="training documents have, got 'weather'"):
        classify({}, train, Corpus.from_texts(["goal", "loan"], labels=["sport", "weather"]))


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """95 % intervals of a mean over 400 experiments; below 347 hits has chance 1e-7 at 93.5 %."""
    rng, hits = np.random.default_rng(5), 0
    for _ in range(400):
        values = rng.normal(size=60)
        [mean] = resampled(lambda w, v=values: np.array([v @ w / w.sum()]), 60, n_resamples=200)
        hits += mean.interval[0] <= 0 <= mean.interval[1]
    assert 347 <= hits <= 399
