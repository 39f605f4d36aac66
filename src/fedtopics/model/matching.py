"""Topics of different models brought together: which are the same, what they are together, who has them.

Models are folded into the global one, one after another (FTM Algorithm 2). Redundant topics are found by

    jaccard      rho = sum_w min(p_w, q_w) / sum_w max(p_w, q_w) over the top words of each topic, all pairs
                 with rho >= threshold, joined by union-find (FTM Eq. 17): can chain many topics into one
    assignment   the best one-to-one matching of old and new topics by Bhattacharyya similarity
                 sum_w sqrt(p_w q_w) of what is above the smoothing base, its pairs with similarity >=
                 threshold: cannot chain

and merged with weights by the amount of data behind each topic: (sum w_i z_i) / (sum w_i).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
MATCHINGS = ("assignment", "jaccard")
DEFAULT_THRESHOLD = {"assignment": 0.5, "jaccard": 0.3}


@dataclass(frozen=True)
class Matching:
    """How topics are found to be the same.

    threshold  least similarity; None: 0.5 for assignment, 0.3 for jaccard
    n_top      top words that jaccard compares
    """

    kind: str = "assignment"
    threshold: float | None = None
    n_top: int = 50

    def __post_init__(self) -> None:
        if self.kind not in MATCHINGS:
            raise InputError(f"matching must be {' or '.join(MATCHINGS)}, got {quoted(self.kind)}")
        if self.threshold is not None and not 0 < self.threshold < 1:
            raise InputError(f"the similarity threshold must lie in (0, 1), got {self.threshold}")
        if self.n_top < 1:
            raise InputError(f"the number of top words must be at least 1, got {self.n_top}")

    @property
    def limit(self) -> float:
        return DEFAULT_THRESHOLD[self.kind] if self.threshold is None else self.threshold

    def check(self, n_words: int) -> None:
        """Refuse a vocabulary with fewer words than are compared."""
        if self.kind == "jaccard" and self.n_top > n_words:
            raise InputError(
                f"expected at most {n_words} top words, the size of the vocabulary, got {self.n_top}; "
                "take fewer (top_words of ftm, n_top of align)"
            )

    def similarity(self, first: Floats, second: Floats) -> Floats:
        """Similarities (n_first, n_second) of topics in rows."""
        self.check(first.shape[1])
        if self.kind == "jaccard":
            return jaccard(first, second, self.n_top)
        return bhattacharyya(subtract_base(first), subtract_base(second))

    def pairs(self, old: Floats, new: Floats) -> list[tuple[int, int]]:
        """Rows of [old; new] that are the same topic."""
        if self.kind == "assignment":
            return self._assigned(old, new)
        every = np.concatenate([old, new])
        first, second = np.nonzero(np.triu(self.similarity(every, every) >= self.limit, k=1))
        return list(zip(first.tolist(), second.tolist(), strict=True))

    def _assigned(self, old: Floats, new: Floats) -> list[tuple[int, int]]:
        from scipy.optimize import linear_sum_assignment

        similarity = self.similarity(old, new)
        chosen = zip(*linear_sum_assignment(similarity, maximize=True), strict=True)
        return [(int(i), len(old) + int(j)) for i, j in chosen if similarity[i, j] >= self.limit]


@dataclass(frozen=True, eq=False)
class WeightedTopics:
    """Topics of one model: probabilities (n_topics, n_words), and the amount of data behind each topic."""

    probabilities: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class Integrated:
    """The global topics, and for each model the global topic that each of its own went into."""

    topics: WeightedTopics
    members: tuple[Ints, ...]


def integrate(models: Sequence[WeightedTopics], matching: Matching) -> Integrated:
    """All models folded into one, in the order given."""
    if not models:
        raise InputError("expected at least one model to integrate, got none")
    _check_words(models)
    merged, members = models[0], [np.arange(len(models[0].weights))]
    for model in models[1:]:
        n_old, n_new = len(merged.weights), len(model.weights)
        group = _groups(n_old + n_new, matching.pairs(merged.probabilities, model.probabilities))
        merged = _merge(merged, model, group)
        members = [*(group[:n_old][member] for member in members), group[n_old:]]
    return Integrated(merged, tuple(members))


def compose(own: WeightedTopics, whole: WeightedTopics, matching: Matching) -> Ints:
    """The global topic that replaces each local one, -1 where it is kept (FTM Algorithm 3).

    Each takes the most similar global topic that none before it took, if that is similar enough. The printed
    algorithm also removes global topics that it did not use.
    """
    similarity = matching.similarity(own.probabilities, whole.probabilities)
    chosen = np.full(len(own.weights), -1, np.int64)
    for topic, row in enumerate(similarity):
        best = int(row.argmax())
        if row[best] >= matching.limit:
            chosen[topic] = best
            similarity[:, best] = -1
    return chosen


def jaccard(first: Floats, second: Floats, n_top: int) -> Floats:
    """Weighted Jaccard similarity of the top words of topics (FTM Eq. 17)."""
    first, second = _top(first, n_top), _top(second, n_top)
    common = np.array([np.minimum(row, second).sum(axis=1) for row in first]).reshape(len(first), len(second))
    union = first.sum(axis=1)[:, None] + second.sum(axis=1) - common
    result: Floats = common / np.maximum(union, np.finfo(float).tiny)
    return result


def bhattacharyya(first: Floats, second: Floats) -> Floats:
    """sum_w sqrt(p_w q_w), one for equal topics."""
    result: Floats = np.sqrt(first) @ np.sqrt(second).T
    return result


def subtract_base(probabilities: Floats) -> Floats:
    """Topics without the part that smoothing gave to every word alike: what is above the smallest entry.

    A base that all topics share makes all of them similar. A row that has nothing else stays as it is.
    """
    above = probabilities - probabilities.min(axis=1, keepdims=True)
    sums = above.sum(axis=1, keepdims=True)
    return np.where(sums > 0, above / np.where(sums > 0, sums, 1), probabilities)


def normalize(counts: Floats) -> WeightedTopics:
    """Topic-wise normalization of counts (n_topics, n_words), with the sums as weights.

    FTM calls it encryption. It is none: where counts are whole numbers, dividing each row by its smallest
    entry gives them back. What leaves a party must be private before.
    """
    sums = counts.sum(axis=1)
    return WeightedTopics(counts / np.where(sums > 0, sums, 1)[:, None], sums)


def _check_words(models: Sequence[WeightedTopics]) -> None:
    sizes = sorted({model.probabilities.shape[1] for model in models})
    if len(sizes) > 1:
        raise InputError(f"models must have one vocabulary, got {len(sizes)} of sizes {sizes}")


def _groups(n: int, pairs: Iterable[tuple[int, int]]) -> Ints:
    """The number of each item's set after joining all pairs (union-find), in order of first members."""
    parent = list(range(n))

    def root(item: int) -> int:
        while parent[item] != item:
            parent[item] = item = parent[parent[item]]
        return item

    for one, other in pairs:
        low, high = sorted((root(one), root(other)))
        parent[high] = low
    return np.unique([root(item) for item in range(n)], return_inverse=True)[1].astype(np.int64)


def _merge(old: WeightedTopics, new: WeightedTopics, group: Ints) -> WeightedTopics:
    weights = np.concatenate([old.weights, new.weights])
    probabilities = np.concatenate([old.probabilities, new.probabilities])
    sums = np.asarray(np.bincount(group, weights), np.float64)
    # Topics without data count alike among themselves.
    shares = np.where(sums[group] > 0, weights, 1.0)
    shares /= np.bincount(group, shares)[group]
    merged = np.zeros((len(sums), probabilities.shape[1]))
    np.add.at(merged, group, shares[:, None] * probabilities)
    return WeightedTopics(merged, sums)


def _top(topics: Floats, n_top: int) -> Floats:
    """Topics with all but their n_top most probable words set to zero."""
    if n_top >= topics.shape[1]:
        return topics
    kept = np.argpartition(-topics, n_top - 1, axis=1)[:, :n_top]
    result = np.zeros_like(topics)
    np.put_along_axis(result, kept, np.take_along_axis(topics, kept, axis=1), axis=1)
    return result
