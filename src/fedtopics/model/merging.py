"""Two models in one, and what became of topics: over the words of both, at no cost in privacy.

Topics that are the same (one to one, by Bhattacharyya similarity of what is above the smoothing) become one,
each with the weight of the text behind it. All others stay. The first model's topics keep their numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError
from fedtopics.model.matching import bhattacharyya, subtract_base
from fedtopics.model.topic_model import TopicModel

Floats: TypeAlias = NDArray[np.float64]
SAME = 0.5  # least similarity of topics that are taken for one
FADING = 0.5  # a topic has faded where its share of new text is less than so much of what it was
SMALLEST = 1e-12


def merge(first: TopicModel, second: TopicModel, *, threshold: float = SAME) -> TopicModel:
    """One model with the topics of both; vocabularies may differ.

    first, second   models; where one does not say how much text is behind it, both count alike
    threshold       least similarity, from 0 to 1, of two topics that become one

    >>> north = TopicModel.from_counts([[6, 4, 0], [0, 0, 10]], ["tax", "law", "rain"])
    >>> south = TopicModel.from_counts([[5, 5, 0]], ["rain", "sun", "goal"])
    >>> merge(north, south).top_words(2, by="probable")
    [['tax', 'law'], ['rain', 'sun']]
    """
    for model in (first, second):
        if not isinstance(model, TopicModel):
            raise InputError(f"expected two models, got {type(model).__name__}; a run has one as run.model")
    if not 0 <= threshold <= 1:
        raise InputError(f"expected a threshold from 0 to 1, got {threshold}")
    vocabulary = union(first.vocabulary, second.vocabulary)
    ours, theirs = widened(first, vocabulary), widened(second, vocabulary)
    group = matched(ours, theirs, threshold)
    counts = np.zeros((max(ours.n_topics, int(group.max()) + 1), len(vocabulary)))
    amounts = _amounts(ours, theirs)
    counts[: ours.n_topics] = _weighted(ours, amounts[0])
    np.add.at(counts, group, _weighted(theirs, amounts[1]))
    sums = counts.sum(axis=1)
    new = np.flatnonzero(group >= ours.n_topics)
    known = first.n_tokens is not None and second.n_tokens is not None
    return replace(
        ours,
        topic_word=counts / np.maximum(sums, SMALLEST)[:, None],
        alpha=np.concatenate([ours.alpha, theirs.alpha[new]]),
        labels=_labels(ours, theirs, new),
        topic_shares=sums / sums.sum(),
        company=None,
        n_tokens=float(first.n_tokens or 0) + float(second.n_tokens or 0) if known else None,
        language=first.language if first.language == second.language else None,
        card={"method": "merge", "of": [dict(first.card), dict(second.card)]},
    )


def union(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    """The words of both, those of the first in their order."""
    return tuple(dict.fromkeys([*one, *other]))


def widened(model: TopicModel, vocabulary: Sequence[str]) -> TopicModel:
    """The model over a `vocabulary` that has all of its words; new ones are as rare as the rarest."""
    if tuple(vocabulary) == model.vocabulary:
        return model
    place = {word: number for number, word in enumerate(vocabulary)}
    if missing := [word for word in model.vocabulary if word not in place]:
        raise InputError(f"expected a vocabulary with the words of the model, got one without {missing[0]!r}")
    topics = np.repeat(model.topic_word.min(axis=1, keepdims=True), len(vocabulary), axis=1)
    topics[:, [place[word] for word in model.vocabulary]] = model.topic_word
    wide = topics / topics.sum(axis=1, keepdims=True)
    return replace(model, topic_word=wide, vocabulary=tuple(vocabulary), company=None)


def matched(old: TopicModel, new: TopicModel, threshold: float) -> NDArray[np.int64]:
    """The old topic that each new one is, over one vocabulary; new ones have numbers after the old."""
    from scipy.optimize import linear_sum_assignment  # half a second to import

    alike = bhattacharyya(subtract_base(new.topic_word), subtract_base(old.topic_word))
    rows, columns = linear_sum_assignment(-alike)
    group = np.full(new.n_topics, -1, np.int64)
    near = alike[rows, columns] >= threshold
    group[rows[near]] = columns[near]
    free = np.flatnonzero(group < 0)
    group[free] = old.n_topics + np.arange(len(free))
    return group


def still_called(old: TopicModel, new: TopicModel, became: "Changes") -> TopicModel:
    """The `new` model with the labels of topics that are what they were."""
    if old.labels is None:
        return new
    return replace(new, labels=None).set_topic_labels({k: old.labels[k] for k in became.stable})


@dataclass(frozen=True)
class Changes:
    """What became of topics when a model was updated, by their numbers in the new model.

    stable   topics that are what they were      new      topics that were not there, or are others now
    fading   topics that hardly any new text is in
    """

    stable: tuple[int, ...]
    new: tuple[int, ...]
    fading: tuple[int, ...]

    def to_dict(self) -> dict[str, list[int]]:
        """For the record of a run."""
        return {"stable": list(self.stable), "new": list(self.new), "fading": list(self.fading)}

    def told(self, names: Sequence[str]) -> list[str]:
        """In sentences, with the `names` of the topics.

        >>> Changes((0,), (1,), ()).told(["tax", "rain"])
        ['1 of 2 topics are what they were', 'new: 1 (rain)']
        """
        lines = [f"{len(self.stable)} of {len(names)} topics are what they were"]
        for word, topics in (("new", self.new), ("fading", self.fading)):
            lines += [f"{word}: " + ", ".join(f"{k} ({names[k]})" for k in topics)] if topics else []
        return lines


def changes(old: TopicModel, new: TopicModel) -> Changes:
    """What became of the topics of `old` in `new`, whose topics go by the same numbers."""
    wide = widened(old, union(new.vocabulary, old.vocabulary))
    now = widened(new, wide.vocabulary)
    n_common = min(old.n_topics, new.n_topics)
    before, after = subtract_base(wide.topic_word[:n_common]), subtract_base(now.topic_word[:n_common])
    same = np.sqrt(before * after).sum(axis=1) >= SAME
    added = _added_shares(old, new)[:n_common]
    faded = same & (added < FADING * _shares(old)[:n_common])
    return Changes(
        tuple(np.flatnonzero(same).tolist()),
        (*np.flatnonzero(~same).tolist(), *range(n_common, new.n_topics)),
        tuple(np.flatnonzero(faded).tolist()),
    )


def _added_shares(old: TopicModel, new: TopicModel) -> Floats:
    """Shares of the topics in the text that was added."""
    if old.n_tokens is None or new.n_tokens is None or new.n_tokens <= old.n_tokens:
        return _shares(new)
    before = np.zeros(new.n_topics)
    before[: old.n_topics] = _shares(old)[: new.n_topics] * old.n_tokens
    added = np.maximum(_shares(new) * new.n_tokens - before, 0)
    return np.asarray(added / max(added.sum(), SMALLEST))


def _shares(model: TopicModel) -> Floats:
    return np.full(model.n_topics, 1 / model.n_topics) if model.topic_shares is None else model.topic_shares


def _amounts(*models: TopicModel) -> list[float]:
    found = [model.n_tokens for model in models]
    return [float(each) for each in found if each] if all(found) else [1.0] * len(models)


def _weighted(model: TopicModel, amount: float) -> Floats:
    return np.asarray(model.topic_word * np.maximum(_shares(model) * amount, SMALLEST)[:, None])


def _labels(ours: TopicModel, theirs: TopicModel, new: NDArray[np.int64]) -> tuple[str, ...] | None:
    if ours.labels is None and theirs.labels is None:
        return None
    own = ours.labels or ours.names
    return (*own, *((theirs.labels or theirs.names)[topic] for topic in new.tolist()))
