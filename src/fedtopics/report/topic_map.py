"""The topics on a plane: similar ones near each other, each as large as its share of the text."""

from collections.abc import Sequence
from itertools import product
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from fedtopics.model import TopicModel
from fedtopics.report.svg import COLORS
from fedtopics.report.topics_shown import Card

WIDTH, HEIGHT, MARGIN = 640, 400, 30
LARGEST, SMALLEST = 34.0, 4.0
LETTER, LINE, LONGEST = 6.6, 12, 16
N_PUSHES = 60


def topic_map(model: TopicModel, cards: Sequence[Card], alike: NDArray[np.float64]) -> str:
    """An `<svg>` element in which every topic is a circle that links to its card."""
    radii = _radii(model)
    places = _spread(_fit(_scaled(alike), radii), radii)
    order = [card.number for card in cards]
    circles = [_circle(card, places[card.number], radii[card.number]) for card in cards]
    labels = _labels(cards, places[order], radii[order])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="map" role="group" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'aria-label="Map of {model.n_topics} topics">{"".join(circles)}{"".join(labels)}</svg>'
    )


def _scaled(alike: NDArray[np.float64]) -> NDArray[np.float64]:
    """Classical scaling of Hellinger distances to two dimensions."""
    squared = np.maximum(1.0 - alike, 0.0)
    centered = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-0.5 * centered)
    places = np.zeros((len(alike), 2))
    for axis, index in enumerate(range(len(values) - 1, max(-1, len(values) - 3), -1)):
        vector = vectors[:, index]
        sign = np.sign(vector[np.argmax(np.abs(vector))]) or 1.0  # else it depends on the linear algebra
        places[:, axis] = sign * vector * np.sqrt(max(values[index], 0.0))
    return places


def _radii(model: TopicModel) -> NDArray[np.float64]:
    """Radii whose areas are as the shares, smaller where there are many topics."""
    shares = np.ones(model.n_topics) if model.topic_shares is None else model.topic_shares
    largest = min(LARGEST, 2.6 * LARGEST / model.n_topics**0.4)
    return np.asarray(np.maximum(np.sqrt(shares / max(float(shares.max()), 1e-12)) * largest, SMALLEST))


def _fit(places: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places stretched over the picture."""
    edge = MARGIN + float(radii.max()) / 2
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    box = np.array([WIDTH, HEIGHT]) - 2 * edge
    inside = np.where(extent > 1e-9, (places - low) / np.maximum(extent, 1e-9), 0.5)
    return np.asarray(edge + inside * box)


def _spread(places: NDArray[np.float64], radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """Circles pushed apart where they cover each other, and kept in the picture."""
    places = places + 1e-3 * np.stack(
        [np.cos(np.arange(len(places))), np.sin(np.arange(len(places)))], axis=1
    )
    wanted = 0.9 * (radii[:, None] + radii)
    for _ in range(N_PUSHES):
        apart = places[:, None] - places
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-6)
        push = np.where(distance < wanted, (wanted - distance) / distance, 0.0)
        np.fill_diagonal(push, 0.0)
        places = places + 0.25 * (apart * push[:, :, None]).sum(axis=1)
        edges = np.stack([radii + 2, radii + 2], axis=1)
        places = np.clip(places, edges, np.array([WIDTH, HEIGHT]) - edges)
    return places


def _circle(card: Card, place: NDArray[np.float64], radius: float) -> str:
    share = "" if card.share is None else f", {card.share:.1%}"
    told = f"Topic {card.number}{share}: {' '.join(word.text for word in card.words[:5]) or card.name}"
    return (
        f'<a href="#topic-{card.number}"><title>{escape(told)}</title>'
        f'<circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{radius:.1f}" fill="{COLORS[0]}" '
        f'fill-opacity="0.25" stroke="{COLORS[0]}"/></a>'
    )


def _labels(cards: Sequence[Card], places: NDArray[np.float64], radii: NDArray[np.float64]) -> list[str]:
    """A telling word on each topic, below or above it where that is taken; left out where nothing is free."""
    taken: list[tuple[float, float, float]] = []
    used: set[str] = set()
    drawn = []
    for card, (x, y), radius in zip(cards, places.tolist(), radii.tolist(), strict=True):
        candidates = [card.label] if card.label else [word for word in card.telling if word not in used]
        for text, height in product(candidates[:1], (y, y + radius + 8, y - radius - 8)):
            width = LETTER * min(len(text), LONGEST) + 4
            middle = min(max(x, width / 2), WIDTH - width / 2)
            if _is_free(middle, height, width, taken):
                taken.append((middle, height, width))
                used.add(text)
                drawn.append(_label(text, middle, height))
                break
    return drawn


def _is_free(x: float, y: float, width: float, taken: Sequence[tuple[float, float, float]]) -> bool:
    inside = LINE / 2 <= y <= HEIGHT - LINE / 2
    return inside and all(abs(x - a) > (width + w) / 2 or abs(y - b) > LINE for a, b, w in taken)


def _label(text: str, x: float, y: float) -> str:
    short = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{escape(short)}</text>'
