"""Places of the topics on a plane: similar ones near each other, spread evenly so that each can have a label.

Hellinger distances are scaled to two dimensions (classical scaling), and topics that stand too close are
pushed apart until every one has about as much room as any other. Nearness survives that, distances do not:
the page names the nearest topics of each, by their exact similarity.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SHAPE = (1.25, 1.0)  # width and height of the plane before it is fitted to a screen
ROOM = 0.86  # distance between topics, in units of what an even grid would have
N_PUSHES = 500


def places(alike: Floats) -> Floats:
    """The place of each topic, both coordinates from 0 to 1; `alike` is the similarity of each pair."""
    if len(alike) == 1:
        return np.full((1, 2), 0.5)
    found = _fitted(_scaled(alike))
    return _fitted(_spread((found + _ranks(found)) / 2 * SHAPE)) if len(alike) > 2 else found


def _scaled(alike: Floats) -> Floats:
    """Classical scaling of Hellinger distances to two dimensions."""
    squared = np.maximum(1.0 - alike, 0.0)
    centered = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-0.5 * centered)
    found = np.zeros((len(alike), 2))
    for axis, index in enumerate(range(len(values) - 1, max(-1, len(values) - 3), -1)):
        vector = vectors[:, index]
        sign = np.sign(vector[np.argmax(np.abs(vector))]) or 1.0  # else it depends on the linear algebra
        found[:, axis] = sign * vector * np.sqrt(max(values[index], 0.0))
    return found


def _ranks(found: Floats) -> Floats:
    """Of each coordinate its place in their order: crowds are drawn apart, and outliers in."""
    order = np.argsort(np.argsort(found, axis=0, kind="stable"), axis=0, kind="stable")
    return np.asarray(order / (len(found) - 1))


def _spread(found: Floats) -> Floats:
    """Topics pushed apart where they are closer than an even grid would have them, inside the plane."""
    angles = 2.399963 * np.arange(len(found))  # equal ones part in different directions
    found = found + 1e-4 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    wanted = ROOM * np.sqrt(SHAPE[0] * SHAPE[1] / len(found))
    for push in range(N_PUSHES):
        apart = found[:, None] - found
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-6)
        np.fill_diagonal(distance, np.inf)
        force = np.maximum(wanted - distance, 0.0) / distance
        step = 0.4 * (1 - push / N_PUSHES) + 0.05
        found = np.clip(found + step * (apart * force[:, :, None]).sum(axis=1), 0.0, SHAPE)
    return found


def _fitted(found: Floats) -> Floats:
    """The places stretched over the unit square."""
    extent = np.ptp(found, axis=0)
    inside = (found - found.min(axis=0)) / np.maximum(extent, 1e-9)
    return np.asarray(np.where(extent > 1e-9, inside, 0.5))
