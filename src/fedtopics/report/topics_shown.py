"""What the page shows of each topic: its name, its words, its neighbors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fedtopics.model import TopicModel
from fedtopics.model.merging import Changes
from fedtopics.runs.run import Run

N_LISTED = 10
N_NEIGHBORS = 4
N_SHORT = 2  # words of a topic on the map
NAMELESS = "no words of its own"
NEAR = 0.3  # similarity from which topics are called neighbors
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Card:
    """One topic as the page shows it; `words` is empty where the topic has none of its own.

    name        its label, or else the words that set it apart most
    short       the same in a word or two
    words       those that set it apart, the first first
    neighbors   the most similar other topics, with how similar they are, if they are at all
    """

    number: int
    name: str
    short: tuple[str, ...]
    share: float | None
    words: tuple[str, ...]
    neighbors: tuple[tuple[int, float], ...]


def became(run: Run) -> list[str]:
    """What became of the topics, in sentences, where the run has gone on from another."""
    told = run.record.get("update")
    if told is None:
        return []
    kinds = (tuple(told[kind]) for kind in ("stable", "new", "fading"))
    return Changes(*kinds).told(run.model.names)


def cards(model: TopicModel, alike: Floats) -> list[Card]:
    """Every topic, the largest first; `alike` is the `similarity` of the topics."""
    ids = model.top_word_ids(N_LISTED)
    near = neighbors(alike)
    made = [_card(model, topic, ids[topic], near[topic]) for topic in range(model.n_topics)]
    return sorted(made, key=lambda card: (-(card.share or 0.0), card.number))


def similarity(model: TopicModel) -> Floats:
    """Bhattacharyya coefficient of each pair of topics: 1 where equal, 0 where they share no word."""
    roots = np.sqrt(model.topic_word)
    return np.asarray(np.clip(roots @ roots.T, 0.0, 1.0))


def neighbors(alike: Floats) -> list[tuple[tuple[int, float], ...]]:
    """The most similar other topics of each topic, if they are similar at all."""
    alike = alike - 2 * np.eye(len(alike))
    order = np.argsort(-alike, axis=1, kind="stable")[:, :N_NEIGHBORS]
    return [
        tuple((int(other), float(alike[topic, other])) for other in row if alike[topic, other] >= NEAR)
        for topic, row in enumerate(order)
    ]


def _card(model: TopicModel, topic: int, ids: NDArray[np.int64], near: tuple[tuple[int, float], ...]) -> Card:
    row = model.topic_word[topic]
    share = None if model.topic_shares is None else float(model.topic_shares[topic])
    # Where all words are equally likely, the order of the vocabulary is all that a list would show.
    empty = share == 0 or (model.n_words > 1 and np.ptp(row) <= 1e-12)
    words = () if empty else tuple(model.vocabulary[word] for word in ids.tolist() if row[word] > 0)
    label = None if model.labels is None else model.labels[topic]
    is_labeled = label is not None and label == model.names[topic]
    name = model.names[topic] if is_labeled or words else NAMELESS
    short = tuple(name.split()) if is_labeled else tuple(name.split(", ")[:N_SHORT]) if words else ()
    return Card(topic, name, short, share, words, near)
