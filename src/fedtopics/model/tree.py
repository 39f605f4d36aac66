"""Topics that are alike, joined two by two until one is left: a tree of topics, and models of fewer topics.

Of all pairs those two are joined that lose least of what topics say about words (the agglomerative
information bottleneck: N. Slonim, N. Tishby, NIPS 1999). With w the share of a topic and H the entropy,

    loss(i, j) = (w_i + w_j) H(m) - w_i H(p_i) - w_j H(p_j),     m = (w_i p_i + w_j p_j) / (w_i + w_j)

so small topics join others before large ones do, and equal ones at once. Nothing but the model is needed: a
tree, or a model of fewer topics, costs no privacy. All words beyond the most frequent thousands are taken for
one, which hardly moves a loss and saves most of the time.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from fedtopics.errors import InputError

Floats: TypeAlias = NDArray[np.float64]
SMALLEST = 1e-300
MOST_WORDS = 4000


@dataclass(frozen=True)
class Join:
    """Two nodes of a tree that are one from here on: topics are nodes 0 to K - 1, joins follow in order.

    first, second   the nodes, the smaller number first
    loss            what is lost of what topics say about words, in nats per token
    share           of all text that is in the topics below
    """

    first: int
    second: int
    loss: float
    share: float


def joins(topic_word: Floats, shares: Floats) -> tuple[Join, ...]:
    """How topics are joined, the most alike first, until one is left.

    >>> found = joins(np.array([[1.0, 0.0], [0.0, 1.0], [0.9, 0.1]]), np.ones(3) / 3)
    >>> [(join.first, join.second) for join in found]
    [(0, 2), (1, 3)]
    """
    n_topics = len(topic_word)
    words, weights = _lumped(np.asarray(topic_word, np.float64)), np.array(shares, np.float64)
    node = np.arange(n_topics)
    alive = np.ones(n_topics, bool)
    losses = np.full((n_topics, n_topics), np.inf)
    for topic in range(n_topics - 1):
        losses[topic, topic + 1 :] = _losses(words, weights, topic, np.arange(topic + 1, n_topics))
    found = []
    for number in range(n_topics - 1):
        first, second = (int(place) for place in np.unravel_index(np.argmin(losses), losses.shape))
        low, high = sorted((int(node[first]), int(node[second])))
        share = weights[first] + weights[second]
        found.append(Join(low, high, max(0.0, float(losses[first, second])), float(share)))
        words[first] = _mean(words, weights, first, second)
        weights[first], node[first], alive[second] = share, n_topics + number, False
        losses[second], losses[:, second] = np.inf, np.inf
        others = np.flatnonzero(alive & (np.arange(n_topics) != first))
        anew = _losses(words, weights, first, others)
        losses[np.minimum(first, others), np.maximum(first, others)] = anew
    return tuple(found)


def groups(found: tuple[Join, ...], n_groups: int) -> NDArray[np.int64]:
    """The group of each topic where as many joins are made as leave `n_groups`, numbered by first topic.

    >>> groups((Join(0, 2, 0.1, 0.6), Join(1, 3, 0.5, 1.0)), 2).tolist()
    [0, 1, 0]
    """
    n_topics = len(found) + 1
    if not 1 <= n_groups <= n_topics:
        raise InputError(f"expected from 1 to {n_topics} topics, got {n_groups}")
    members = {topic: [topic] for topic in range(n_topics)}
    for number, join in enumerate(found[: n_topics - n_groups]):
        members[n_topics + number] = sorted(members.pop(join.first) + members.pop(join.second))
    group = np.empty(n_topics, np.int64)
    for number, topics in enumerate(sorted(members.values())):
        group[topics] = number
    return group


def drawn(found: tuple[Join, ...], names: list[str]) -> list[str]:
    """The tree as lines of text, the largest branch first; `names` are of the topics.

    >>> print("\\n".join(drawn((Join(0, 2, 0.1, 0.6), Join(1, 3, 0.5, 1.0)), ["tax", "war", "money"])))
    ├─ war
    └─┬─ tax
      └─ money
    """
    n_topics = len(names)
    lines: list[str] = []

    def below(node: int, before: str, branch: str, after: str) -> None:
        if node < n_topics:
            lines.append(f"{before}{branch} {names[node]}")
            return
        join = found[node - n_topics]
        below(join.first, before, f"{branch}┬─" if branch else "├─", f"{after}│ ")
        below(join.second, before + after, "└─", "  ")

    if n_topics == 1:
        return [names[0]]
    below(n_topics + len(found) - 1, "", "", "")
    return lines


def _lumped(topic_word: Floats) -> Floats:
    """A copy with the most frequent words, and one column for all others."""
    if topic_word.shape[1] <= MOST_WORDS + 1:
        return topic_word.copy()
    order = np.argsort(-topic_word.sum(axis=0), kind="stable")
    kept, others = np.sort(order[:MOST_WORDS]), order[MOST_WORDS:]
    return np.column_stack([topic_word[:, kept], topic_word[:, others].sum(axis=1)])


def _mean(words: Floats, weights: Floats, first: int, second: int | NDArray[np.int64]) -> Floats:
    """The topic that two become; `second` may be several, each by itself."""
    one, other = weights[first], weights[second]
    part = np.asarray(one / np.maximum(one + other, SMALLEST))
    part = np.where(one + other > 0, part, 0.5)[..., None]
    return np.asarray(part * words[first] + (1 - part) * words[second])


def _losses(words: Floats, weights: Floats, topic: int, others: NDArray[np.int64]) -> Floats:
    """What is lost where a topic is joined with each of the others."""
    if not len(others):
        return np.zeros(0)
    whole = (weights[topic] + weights[others]) * _entropies(_mean(words, weights, topic, others))
    own = weights[topic] * _entropies(words[topic][None])[0] + weights[others] * _entropies(words[others])
    return np.asarray(whole - own)


def _entropies(rows: Floats) -> Floats:
    return np.asarray(-(rows * np.log(np.maximum(rows, SMALLEST))).sum(axis=1))
