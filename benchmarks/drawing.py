"""Charts as SVG text: lines side by side, and bars with their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from fedtopics.report.svg import COLORS, GRAY, STYLE, Line, line_chart, side_by_side

LEFT, WIDTH, ROW, TOP = 236, 540, 24, 40


def line_charts(panels: Mapping[str, Sequence[Line]], x_label: str, y_label: str = "perplexity") -> str:
    """A chart for every title, all with the same axes."""
    labels = {"x_label": x_label, "y_label": y_label}
    return side_by_side([line_chart(lines, title=title, **labels) for title, lines in panels.items()])


def bar_chart(groups: Mapping[str, Sequence[float]], *, title: str, x_label: str) -> str:
    """One bar per name, as long as the mean of its values; a line from the lowest to the highest."""
    longest = max(max(values) for values in groups.values())
    scale = (WIDTH - LEFT - 60) / longest
    height = TOP + ROW * len(groups) + 30
    body = [f'<text x="{WIDTH / 2}" y="20" text-anchor="middle" fill="{GRAY}">{escape(title)}</text>']
    for number, (name, values) in enumerate(groups.items()):
        body += _bar(name, values, TOP + ROW * number, scale)
    at = f'x="{LEFT}" y="{height - 10}"'
    body.append(f'<text {at} fill="{GRAY}">{escape(x_label)}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" style="{STYLE}"><title>{escape(title)}</title>{"".join(body)}</svg>'
    )


def _bar(name: str, values: Sequence[float], y: float, scale: float) -> list[str]:
    mean = sum(values) / len(values)
    low, high, middle = min(values) * scale, max(values) * scale, y + 8
    end = LEFT + max(mean * scale, high)
    return [
        f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end" fill="{GRAY}">{escape(name)}</text>',
        f'<rect x="{LEFT}" y="{y}" width="{mean * scale:.1f}" height="16" fill="{COLORS[0]}"/>',
        f'<line x1="{LEFT + low:.1f}" y1="{middle}" x2="{LEFT + high:.1f}" y2="{middle}" stroke="{GRAY}"/>',
        f'<text x="{end + 6:.1f}" y="{y + 12}" fill="{GRAY}">{mean:,.4g}</text>',
    ]
