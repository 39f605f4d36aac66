"""The server between the phases: from totals to a basis, from groups to the first topics."""

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.hush import beginning, contributions
from fedtopics.methods.hush.beginning import Basis
from fedtopics.protocol.turn import Arrays

RARE, LEAST = 0.4, 1e-3  # weights of words in features
SETTLED = 3  # last rounds of k-means, in which no group begins anew


def unigram(state: Arrays) -> NDArray[np.float64]:
    """The share of each word in the totals."""
    return np.asarray(state["totals"] / state["totals"].sum())


def weights(state: Arrays) -> NDArray[np.float32]:
    """How much the presence of each word counts."""
    return beginning.rarity(unigram(state), RARE, LEAST)


def begun(
    state: Arrays,
    products: NDArray[np.float64],
    n_frequent: int,
    rank: int,
    n_topics: int,
    generator: np.random.Generator,
) -> Arrays:
    """The private basis, and random centers in it."""
    frequent = beginning.frequent_words(state["totals"], n_frequent)
    found = beginning.basis(products, n_frequent, rank)
    near = beginning.nearness(state["vectors"], frequent)
    projection = weights(state)[:, None] * (near @ found.axes)
    return {
        "frequent": frequent,
        "common": found.common,
        "axes": found.axes,
        "projection": projection.astype(np.float32),
        "centers": beginning.first_centers(n_topics, rank, generator),
        "grouped": np.array(0),
    }


def regrouped(
    state: Arrays, sums: NDArray[np.float64], n_groupings: int, generator: np.random.Generator
) -> Arrays:
    """The next centers; after the last round of k-means the topics that they stand for."""
    done = int(state["grouped"]) + 1
    sizes = sums[:, -1] / contributions.MARK
    settle = done > n_groupings - SETTLED
    centers = beginning.next_centers(sums[:, :-1], sizes, generator, settle)
    after = {"centers": centers, "grouped": np.array(done)}
    if done < n_groupings:
        return after
    found = Basis(state["common"], state["axes"])
    words = (unigram(state), state["frequent"], weights(state))
    phi = beginning.first_topics(*words, found, centers, state["vectors"])
    shares = np.full(len(centers), 1 / len(centers))
    return after | {"phi": phi, "shares": shares, "counted": np.array(0)}
