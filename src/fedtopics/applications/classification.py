"""Documents sorted into classes by their topics: which model's mixtures tell a classifier most?

    features     the topic mixture of each document (`TopicModel.transform`), each topic scaled to unit
                 variance; with `words` also the TF-IDF of the document's words, scaled to length one
    classifier   logistic regression or a linear support vector machine
    scores       accuracy, precision, recall, F1 and AUC on documents that the classifier has not seen, with
                 bootstrap intervals; all models are resampled alike, so that their differences have them too

The labels are used by the classifier alone. Mixtures of labeled documents have to be where the classifier is
trained: that step is not priced by a run's ledger. It costs nothing where one party trains on its own.

By scikit-learn, which `fedtopics[sklearn]` brings.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.applications.bootstrap import N_RESAMPLES, Floats, Score, resampled
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.privacy import check_number
from fedtopics.progress import track
from fedtopics.sampling.arguments import seed_number

CLASSIFIERS = ("logistic", "svm")
CONTROL, WORDS = "most frequent class", "words alone"
TEST_SHARE = 0.2
MOST_STEPS = 1000

Features: TypeAlias = Any  # a dense array or a sparse matrix, documents x features


@dataclass(frozen=True)
class Classified:
    """How well one kind of `features` tells the classes apart, by the `scores` of its name."""

    features: str
    scores: dict[str, Score]


def split_by_class(corpus: Corpus, *, test_share: float = TEST_SHARE, seed: int) -> tuple[Corpus, Corpus]:
    """(train, test): `test_share` of every class of `corpus`, drawn at random by `seed`, is for testing."""
    split = _scikit_learn("model_selection").train_test_split
    check_number("test share", test_share, open_minimum=True)
    seed = seed_number(seed)
    labels = checked_labels(corpus)
    names, sizes = np.unique(labels, return_counts=True)
    if sizes.min() < 2:
        rare = names[sizes.argmin()]
        raise InputError(
            f"expected at least 2 documents of every class to split, got one of {quoted(rare)}; leave it out"
        )
    try:
        train, test = split(
            np.arange(corpus.n_docs), test_size=test_share, random_state=seed, stratify=labels
        )
    except ValueError as error:
        raise InputError(f"cannot split the classes: {error}; give more documents") from None
    return corpus.select(np.sort(train)), corpus.select(np.sort(test))


def split_by_column(corpus: Corpus) -> tuple[Corpus, Corpus]:
    """(train, test) as the own split of `corpus` says, which was read as its parties."""
    parts = np.array(corpus.parties or (), dtype=str)
    if not {"train", "test"} <= set(parts.tolist()):
        found = sorted(set(parts.tolist()))
        got = ", ".join(map(quoted, found[:5])) or "none"
        more = f" and {len(found) - 5} others" if len(found) > 5 else ""
        raise InputError(f"expected documents of the parts train and test, got {got}{more}")
    return corpus.select(parts == "train"), corpus.select(parts == "test")


def checked_labels(corpus: Corpus, documents: str = "documents") -> NDArray[np.str_]:
    """The label of each document; an error where one is missing or all are the same.

    documents   what the errors call them
    """
    if corpus.labels is None:
        raise InputError(
            f"expected {documents} with labels, got none; name their column by --label-column (label_column)"
        )
    if missing := corpus.labels.count(""):
        raise InputError(
            f"expected {documents} with labels, got none for {missing} of {corpus.n_docs}, the first being "
            f"number {corpus.labels.index('') + 1}; label or leave them out"
        )
    labels = np.array(corpus.labels, dtype=str)
    if len(set(corpus.labels)) < 2:
        found = f"all {corpus.n_docs} are {quoted(corpus.labels[0])}" if corpus.labels else "no document"
        raise InputError(f"expected {documents} of two classes or more, got one: {found}")
    return labels


def classify(
    models: Mapping[str, TopicModel],
    train: Corpus,
    test: Corpus,
    *,
    classifier: str = "logistic",
    words: bool = False,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    n_threads: int | None = None,
    progress: bool | None = False,
) -> list[Classified]:
    """The scores of each model's topics, after those of a control that ignores the documents.

    models        by the names that are shown
    train, test   labeled documents: those that the classifier learns from, and others
    classifier    "logistic" or "svm"
    words         add TF-IDF features to every model's, and show what they do alone
    n_resamples   bootstrap samples of the test documents, for the intervals
    seed          of the classifier
    n_threads     for the mixtures (default: all cores); the result does not depend on it
    progress      a bar over the models; None shows it on a terminal
    """
    if classifier not in CLASSIFIERS:
        raise InputError(f"classifier must be {' or '.join(CLASSIFIERS)}, got {quoted(classifier)}")
    seed = seed_number(seed)
    given, asked = _numbered(train, test)
    shared = _tfidf(train, test) if words else None

    def scored(name: str, decisions: Floats) -> Classified:
        found = resampled(scorer(asked, decisions), test.n_docs, n_resamples=n_resamples)
        return Classified(name, dict(zip(NAMES, found, strict=True)))

    frequent = np.broadcast_to(np.bincount(given) / len(given), (test.n_docs, int(given.max()) + 1))
    results = [scored(CONTROL, frequent)]
    if shared is not None:
        results.append(scored(WORDS, _decisions(*shared, given, classifier, seed)))
    for name, model in track(models.items(), "Classifying", len(models), shown=progress):
        features = _joined(_mixtures(model, train, test, n_threads), shared)
        results.append(scored(name, _decisions(*features, given, classifier, seed)))
    return results


def _numbered(train: Corpus, test: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Classes as numbers in alphabetical order; of ham and spam, neg and pos, the second is positive."""
    names = np.unique(checked_labels(train, "training documents"))
    labels = checked_labels(test, "test documents")
    if unknown := sorted(set(labels.tolist()) - set(names.tolist())):
        raise InputError(f"expected test labels that the training documents have, got {quoted(unknown[0])}")
    return np.searchsorted(names, np.array(train.labels, dtype=str)), np.searchsorted(names, labels)


def _mixtures(
    model: TopicModel, train: Corpus, test: Corpus, n_threads: int | None
) -> tuple[Features, Features]:
    scaler = _scikit_learn("preprocessing").StandardScaler()
    seen = model.read(train)
    if not seen.n_tokens:
        raise InputError("expected documents with words of the model, got none; is it of another language?")
    features = scaler.fit_transform(model.transform(seen, n_threads=n_threads).astype(np.float64))
    return features, scaler.transform(model.transform(test, n_threads=n_threads).astype(np.float64))


def _tfidf(train: Corpus, test: Corpus) -> tuple[Features, Features]:
    weights = _scikit_learn("feature_extraction.text").TfidfTransformer(sublinear_tf=True)
    return _narrow(weights.fit_transform(train.to_sparse())), _narrow(weights.transform(test.to_sparse()))


def _joined(
    mixtures: tuple[Features, Features], words: tuple[Features, Features] | None
) -> tuple[Features, Features]:
    from scipy.sparse import csr_array, hstack

    if words is None:
        return mixtures
    # A mixture gets the weight of a document's words: both have length one on average.
    weight = 1 / np.sqrt(mixtures[0].shape[1])
    first, second = (
        hstack([csr_array(weight * topics), counts], format="csr")
        for topics, counts in zip(mixtures, words, strict=True)
    )
    return _narrow(first), _narrow(second)


def _narrow(matrix: Features) -> Features:
    """The same sparse matrix with 32-bit indices, which the support vector machine asks for."""
    matrix.indices, matrix.indptr = (part.astype(np.int32) for part in (matrix.indices, matrix.indptr))
    return matrix


def _decisions(train: Features, test: Features, classes: NDArray[Any], kind: str, seed: int) -> Floats:
    """How much each test document looks like each class, shape (n_docs, n_classes)."""
    options: dict[str, Any] = {"random_state": seed, "max_iter": MOST_STEPS}
    if kind == "svm":
        classifier = _scikit_learn("svm").LinearSVC(dual="auto", **options)
    else:
        classifier = _scikit_learn("linear_model").LogisticRegression(**options)
    decisions: Floats = classifier.fit(train, classes).decision_function(test)
    return np.stack([-decisions, decisions], axis=1) if decisions.ndim == 1 else decisions


def _scikit_learn(module: str) -> Any:
    try:
        return import_module(f"sklearn.{module}")
    except ImportError:
        raise InputError("classifiers need scikit-learn: pip install 'fedtopics[sklearn]'") from None


NAMES = ("accuracy", "precision", "recall", "f1", "auc")
Ints: TypeAlias = NDArray[np.int64]


def scorer(truth: Ints, decisions: Floats) -> Callable[[Floats], Floats]:
    """The scores by `NAMES`, as a function of the weight of each document.

    Of two classes, precision, recall and F1 are those of the positive one. Of more they are plain means over
    the classes, and AUC is the mean of each class against the rest.

    truth       class of each document, a number from 0; of two classes 1 is the positive one
    decisions   how much each document looks like each class, shape (n_docs, n_classes)
    """
    n_classes = decisions.shape[1]
    cells = truth * n_classes + decisions.argmax(axis=1)
    judged = [1] if n_classes == 2 else list(range(n_classes))
    areas = [_area(truth == k, decisions[:, k]) for k in judged]

    def scores(weights: Floats) -> Floats:
        confusion = np.bincount(cells, weights, n_classes**2).reshape(n_classes, n_classes)
        right = np.diag(confusion)[judged]
        precision = _share(right, confusion.sum(axis=0)[judged])
        recall = _share(right, confusion.sum(axis=1)[judged])
        f1 = _share(2 * precision * recall, precision + recall)
        area = [found for of_class in areas if (found := of_class(weights)) is not None]
        means = [float(values.mean()) for values in (precision, recall, f1)]
        means.append(float(np.mean(area)) if area else np.nan)
        return np.array([np.trace(confusion) / weights.sum(), *means])

    return scores


def _area(positive: NDArray[np.bool_], score: Floats) -> Callable[[Floats], float | None]:
    """Area under the ROC curve: how often a positive scores above a negative, ties count a half.

    None where a resample has documents of one kind only.
    """
    order = np.argsort(score, kind="stable")
    positive = positive[order]
    starts = np.flatnonzero(np.diff(score[order], prepend=-np.inf))

    def area(weights: Floats) -> float | None:
        weights = weights[order]
        above = np.add.reduceat(np.where(positive, weights, 0.0), starts)
        below = np.add.reduceat(np.where(positive, 0.0, weights), starts)
        pairs = above.sum() * below.sum()
        won = above @ (np.cumsum(below) - below / 2)
        return float(won / pairs) if pairs else None

    return area


def _share(part: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """part / whole, 0 where the whole is 0."""
    shares: Floats = np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
    return shares
