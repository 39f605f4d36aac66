"""The tree of topics as a drawing beside a list of them: similar ones in neighboring rows."""

from collections.abc import Sequence
from dataclasses import dataclass

from fedtopics.model.tree import Join

ROW = 28  # height of a row of the list, in pixels; explorer.css has the same
WIDTH = 120
EDGE = 4


@dataclass(frozen=True)
class DrawnTree:
    """The `order` of the topics from top to bottom, and an `svg` of as many rows of `ROW` pixels."""

    order: tuple[int, ...]
    svg: str


def drawn_tree(joins: Sequence[Join], n_topics: int) -> DrawnTree:
    """The tree that these `joins` make, its leaves at the right; the larger branch is above."""
    order = _order(joins, n_topics)
    heights = {topic: (row + 0.5) * ROW for row, topic in enumerate(order)}
    depths: dict[int, float] = dict.fromkeys(range(n_topics), float(WIDTH))
    lines = []
    for number, join in enumerate(joins):
        node = n_topics + number
        left = EDGE + (WIDTH - 2 * EDGE) * (1 - (number + 1) / len(joins)) ** 1.5
        upper, lower = sorted((join.first, join.second), key=lambda child: heights[child])
        lines.append(
            f"M{depths[upper]:.1f} {heights[upper]:.1f}H{left:.1f}V{heights[lower]:.1f}H{depths[lower]:.1f}"
        )
        heights[node] = (heights[upper] + heights[lower]) / 2
        depths[node] = left
    box = (
        f'viewBox="0 0 {WIDTH} {ROW * n_topics}" preserveAspectRatio="none" style="height:{ROW * n_topics}px"'
    )
    svg = f'<svg class="tree" {box} aria-hidden="true"><path d="{"".join(lines)}"/></svg>'
    return DrawnTree(tuple(order), svg)


def _order(joins: Sequence[Join], n_topics: int) -> list[int]:
    """Leaves from top to bottom."""

    def share(node: int) -> float:
        return joins[node - n_topics].share if node >= n_topics else 0.0

    order: list[int] = []
    waiting = [n_topics + len(joins) - 1] if joins else [0]
    while waiting:
        node = waiting.pop()
        if node < n_topics:
            order.append(node)
            continue
        join = joins[node - n_topics]
        waiting += sorted((join.first, join.second), key=lambda child: (share(child), -child))
    return order
