"""k-means: Lloyd's algorithm from greedy k-means++ beginnings (Arthur and Vassilvitskii 2007).

    begin     a point at random; then again and again 2 + log(n_groups) points in proportion to their squared
              distance from the centers so far, of which the one that lowers the sum of these most stays
    repeat    each point goes to its nearest center, each center to the mean of its points, an empty one to
              the point farthest from its center; until no point changes or the centers hardly move
    result    of three runs the one with the least sum of squared distances

Draws, rules and the order of sums are those of scikit-learn's KMeans, with which `splitting.by_topics` began,
so that ties are settled alike: the same seed deals the same documents. For the same bits linear algebra has
to be held to one thread.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemm
from scipy.sparse import csc_array

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

N_RUNS = 3
MOST_STEPS = 300
TOLERANCE = 1e-4
BLOCK = 256


def k_means(points: Floats, n_groups: int, *, seed: int) -> Floats:
    """Centers of groups of points, shape (n_groups, dimensions)."""
    random = np.random.RandomState(seed)  # the stream of scikit-learn
    still = TOLERANCE * points.var(axis=0).mean()
    middle = points.mean(axis=0)
    points = points - middle
    best, group, least = _run(points, n_groups, random, still)
    for _ in range(N_RUNS - 1):
        centers, found, spread = _run(points, n_groups, random, still)
        if spread < least and not _refines(found, group, n_groups):
            best, group, least = centers, found, spread
    return np.asarray(best + middle)


def nearest(points: Floats, centers: Floats) -> Ints:
    """The number of the center nearest to each point, the first where several are."""
    found = np.empty(len(points), np.int64)
    lengths = _squares(centers)
    for start in range(0, len(points), BLOCK):
        block = points[start : start + BLOCK]
        # Squared distances but for the length of the point, which all of its distances share.
        distances = np.tile(lengths, (len(block), 1)).T
        distances = dgemm(-2, centers.T, block.T, 1, distances, trans_a=True, overwrite_c=True)
        found[start : start + BLOCK] = distances.argmin(axis=0)
    return found


def _run(
    points: Floats, n_groups: int, random: np.random.RandomState, still: float
) -> tuple[Floats, Ints, float]:
    """(centers, the group of each point, sum of the squared distances between them)."""
    centers = _beginning(points, n_groups, random)
    group = np.full(len(points), -1)
    for _ in range(MOST_STEPS):
        before, group = group, nearest(points, centers)
        last, centers = centers, _means(points, centers, group)
        if np.array_equal(group, before):
            break
        if _distances(centers, last).sum() <= still:
            group = nearest(points, centers)
            break
    else:
        group = nearest(points, centers)
    return centers, group, _added(_distances(points, centers[group]))


def _beginning(points: Floats, n_groups: int, random: np.random.RandomState) -> Floats:
    lengths, ones = _squares(points), np.ones(len(points))
    chosen = [random.choice(len(points), p=ones / ones.sum())]
    distances = _to_all(points[chosen], points, lengths)
    total = distances @ ones
    while len(chosen) < n_groups:
        drawn = random.uniform(size=2 + int(np.log(n_groups))) * total
        tried = np.searchsorted(np.cumsum(distances), drawn).clip(max=len(points) - 1)
        closer = np.minimum(distances, _to_all(points[tried], points, lengths))
        totals = closer @ ones[:, None]
        best = totals.argmin()
        chosen.append(tried[best])
        distances, total = closer[best], totals[best]
    return points[chosen]


def _means(points: Floats, centers: Floats, group: Ints) -> Floats:
    """The next centers: means of their points."""
    shape = (len(centers), len(points))
    means = csc_array((np.ones(len(points)), group, np.arange(len(points) + 1)), shape=shape) @ points
    sizes = np.bincount(group, minlength=len(centers)).astype(np.float64)
    _fill(means, sizes, points, centers, group)
    largest = sizes.argmax()
    for number, size in enumerate(sizes):
        # One that stays empty, as where points are equal, joins the largest.
        means[number] = means[number] * (1 / size) if size else means[largest]
    return np.asarray(means)


def _fill(sums: Floats, sizes: Floats, points: Floats, centers: Floats, group: Ints) -> None:
    """Give each empty group one of the points farthest from their centers, unless all are at theirs."""
    empty = np.flatnonzero(sizes == 0)
    if not len(empty):
        return
    distances = ((points - centers[group]) ** 2).sum(axis=1)
    if not distances.max():
        return
    farthest = np.argpartition(distances, -len(empty))[: -len(empty) - 1 : -1]
    for number, point in zip(empty, farthest, strict=True):
        sums[group[point]] -= points[point]
        sums[number] = points[point]
        sizes[number] = 1
        sizes[group[point]] -= 1


def _refines(one: Ints, other: Ints, n_groups: int) -> bool:
    """Whether no group of `one` has points of two groups of the `other`."""
    lead = np.zeros(n_groups, np.int64)
    lead[one] = other
    return bool((lead[one] == other).all())


def _squares(points: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", points, points))


def _to_all(some: Floats, points: Floats, lengths: Floats) -> Floats:
    """Squared distances, some x all points."""
    distances = -2 * (some @ points.T)
    distances += _squares(some)[:, None]
    distances += lengths
    return np.maximum(distances, 0)


def _distances(points: Floats, others: Floats) -> Floats:
    """Squared distance of each point from the other one of its row, added up in fours."""
    squares = np.square(points - others)
    whole = squares.shape[1] // 4 * 4
    fours = squares[:, :whole].reshape(len(squares), whole // 4, 4).cumsum(axis=2)[:, :, -1]
    return np.asarray(np.concatenate([fours, squares[:, whole:]], axis=1).cumsum(axis=1)[:, -1])


def _added(values: Floats) -> float:
    """Their sum, one after the other."""
    return float(values.cumsum()[-1])
