"""Which topics models have in common: `align` puts the topics of several models side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError
from fedtopics.model.matching import Matching, WeightedTopics, integrate
from fedtopics.model.topic_model import TopicModel


@dataclass(frozen=True, eq=False)
class AlignedTopic:
    """One topic and where it is found.

    id             stays the same when models are trained again and aligned with `previous`
    members        numbers of this topic in each model that has it, by the name of the model
    probabilities  of every word, mean over the members by the data behind them
    top_words      the most probable ones
    """

    id: int
    members: Mapping[str, tuple[int, ...]]
    probabilities: NDArray[np.float64]
    top_words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Alignment:
    """All topics of all models, the same ones together, in the order of their ids.

    names       of the models
    vocabulary  that of all of them
    topics      with where each is found
    seen        every topic that ever had an id, for the next alignment
    """

    names: tuple[str, ...]
    vocabulary: tuple[str, ...]
    topics: tuple[AlignedTopic, ...]
    seen: Mapping[int, NDArray[np.float64]]

    def shared(self, *names: str) -> tuple[AlignedTopic, ...]:
        """Topics that all models of these `names` have (by default: that all models have)."""
        wanted = set(self._known(names or self.names))
        return tuple(topic for topic in self.topics if wanted <= set(topic.members))

    def only(self, name: str) -> tuple[AlignedTopic, ...]:
        """Topics that the model of this `name` has and no other."""
        self._known((name,))
        return tuple(topic for topic in self.topics if set(topic.members) == {name})

    def ids(self, name: str) -> tuple[int, ...]:
        """The id of each topic of the model of this `name`, in the model's order."""
        self._known((name,))
        places = {place: topic.id for topic in self.topics for place in topic.members.get(name, ())}
        return tuple(places[place] for place in sorted(places))

    def _known(self, names: Sequence[str]) -> Sequence[str]:
        if unknown := sorted(set(names) - set(self.names)):
            raise InputError(f"expected models among {', '.join(self.names)}, got {', '.join(unknown)}")
        return names

    def __str__(self) -> str:
        rows = [
            f"{topic.id:4}  {', '.join(topic.members)}: {' '.join(topic.top_words)}" for topic in self.topics
        ]
        return "\n".join(rows)


def align(
    models: Mapping[str, TopicModel] | Sequence[TopicModel],
    *,
    previous: Alignment | None = None,
    matching: str = "assignment",
    threshold: float | None = None,
    n_top: int = 50,
    n_words: int = 5,
) -> Alignment:
    """Topics of several models over one vocabulary side by side, found to be the same or not.

    models     by name, or a sequence (named "0", "1", ...); they may have different numbers of topics
    previous   an earlier alignment: topics found there keep their ids, new ones get ids never used before
    matching   "assignment": one topic of a model to one of another, by Bhattacharyya similarity of what is
               above the smoothing; "jaccard": all pairs whose `n_top` top words are alike (FTM, CIKM 2019)
    threshold  least similarity (default 0.5 and 0.3)
    n_words    top words that each aligned topic shows

    >>> north = TopicModel([[0.7, 0.3, 0, 0], [0, 0, 0.4, 0.6]], [0.1, 0.1], ("tax", "law", "rain", "sun"))
    >>> south = TopicModel([[0, 0, 0.5, 0.5]], [0.1], ("tax", "law", "rain", "sun"))
    >>> print(align({"north": north, "south": south}, n_words=2))
       0  north: tax law
       1  north, south: sun rain
    """
    named = dict(models) if isinstance(models, Mapping) else {str(i): m for i, m in enumerate(models)}
    vocabulary = _one_vocabulary(named, previous)
    old = {} if previous is None else dict(previous.seen)
    # Topics of the past have no data: they attract, and do not change what they attract.
    folded = [WeightedTopics(np.array(list(old.values())), np.zeros(len(old)))] if old else []
    folded += [_weighted(model) for model in named.values()]
    merged = integrate(folded, Matching(matching, threshold, n_top))
    ids = _ids(merged.members[0] if old else np.zeros(0, np.int64), list(old), len(merged.topics.weights))
    members = merged.members[1:] if old else merged.members
    topics = []
    for group in np.unique(np.concatenate(members)):
        places = {name: np.flatnonzero(went == group) for name, went in zip(named, members, strict=True)}
        found = {name: tuple(at.tolist()) for name, at in places.items() if len(at)}
        probabilities = merged.topics.probabilities[group]
        words = tuple(vocabulary[w] for w in np.argsort(-probabilities, kind="stable")[:n_words])
        topics.append(AlignedTopic(ids[int(group)], found, probabilities, words))
    topics.sort(key=lambda topic: topic.id)
    return Alignment(
        tuple(named), vocabulary, tuple(topics), old | {topic.id: topic.probabilities for topic in topics}
    )


def _one_vocabulary(models: Mapping[str, TopicModel], previous: Alignment | None) -> tuple[str, ...]:
    if not models:
        raise InputError("expected at least one model to align, got none")
    vocabularies = {name: model.vocabulary for name, model in models.items()}
    if previous is not None:
        vocabularies["previous"] = previous.vocabulary
    first = next(iter(vocabularies))
    for name, vocabulary in vocabularies.items():
        if vocabulary != vocabularies[first]:
            raise InputError(
                f"models must have one vocabulary, got {quoted(name)} with another than {quoted(first)}; "
                "train them with vocabulary=..."
            )
    return vocabularies[first]


def _weighted(model: TopicModel) -> WeightedTopics:
    shares = model.topic_shares
    weights = np.full(model.n_topics, 1 / model.n_topics) if shares is None else np.maximum(shares, 1e-12)
    return WeightedTopics(model.topic_word, weights)


def _ids(old_groups: NDArray[np.int64], old_ids: list[int], n_groups: int) -> dict[int, int]:
    """An id for every group: the smallest old one in it, or the next never used."""
    ids: dict[int, int] = {}
    for group, identity in zip(old_groups.tolist(), old_ids, strict=True):
        ids[group] = min(identity, ids.get(group, identity))
    fresh = max(old_ids, default=-1) + 1
    for group in range(n_groups):
        if group not in ids:
            ids[group] = fresh
            fresh += 1
    return ids
