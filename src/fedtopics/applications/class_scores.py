"""Scores of a classifier on labeled documents: accuracy, precision, recall, F1 and AUC.

Two classes: precision, recall and F1 are those of the positive class. More: plain means over the classes, and
AUC is the mean of each class against the rest.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.applications.bootstrap import Floats

NAMES = ("accuracy", "precision", "recall", "f1", "auc")
Ints: TypeAlias = NDArray[np.int64]


def scorer(truth: Ints, decisions: Floats) -> Callable[[Floats], Floats]:
    """The scores by `NAMES`, as a function of the weight of each document.

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
        means = [values.mean() for values in (precision, recall, f1)]
        means.append(np.mean(area) if area else np.nan)
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
