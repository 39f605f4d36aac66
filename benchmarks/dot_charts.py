"""Charts of dots as SVG text: a row for each thing, a dot for each measured value, a color for each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from fedtopics.report.svg import COLORS, GRAY, STYLE, Axis

Rows = Mapping[str, Mapping[str, Sequence[float]]]  # values by row and by series

LEFT, WIDTH, ROW, TOP = 110, 440, 26, 56
SHAPES = (  # told apart without color
    '<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" {paint}>{title}</circle>',
    '<rect x="{left:.1f}" y="{top:.1f}" width="10" height="10" {paint}>{title}</rect>',
    '<path d="M{x:.1f} {above:.1f}l6.5 11h-13z" {paint}>{title}</path>',
    '<path d="M{x:.1f} {above:.1f}l6 6l-6 6l-6-6z" {paint}>{title}</path>',
)


def dot_chart(rows: Rows, ticks: tuple[float, ...], *, title: str, x_label: str, text: str = "{:g}") -> str:
    """One axis from the first tick to the last; `text` is the form of a number."""
    series = list(dict.fromkeys(name for values in rows.values() for name in values))
    axis = Axis(ticks, LEFT, WIDTH - 24)
    bottom = TOP + ROW * len(rows)
    body = [_text(4, 18, title, bold=True), *_legend(series)]
    for tick in ticks:
        x = axis.pixel(tick)
        body.append(f'<path d="M{x:.1f} {TOP - 8}V{bottom}" stroke="{GRAY}" stroke-opacity="0.3"/>')
        body.append(_text(x, bottom + 16, text.format(tick), "middle"))
    for place, (row, values) in enumerate(rows.items()):
        y = TOP + ROW * place + 8
        body.append(_text(LEFT - 12, y + 4, row, "end"))
        for name in values:
            said = f"{row}, {name}: {{}}"
            body += [
                _dot(axis.pixel(each), y, series.index(name), said.format(text.format(round(each, 3))))
                for each in values[name]
            ]
    body.append(_text(LEFT, bottom + 34, x_label))
    return _element(body, title, bottom + 42)


def in_a_row(charts: Sequence[str], title: str, height: int) -> str:
    """Charts of this module side by side, as one picture."""
    moved = [f'<g transform="translate({WIDTH * n},0)">{chart}</g>' for n, chart in enumerate(charts)]
    return _element(moved, title, height, WIDTH * len(charts))


def height_of(n_rows: int) -> int:
    return TOP + ROW * n_rows + 42


def _dot(x: float, y: float, number: int, said: str) -> str:
    paint = f'fill="{COLORS[number]}" fill-opacity="0.85"'
    places = {"x": x, "y": y, "left": x - 5, "top": y - 5, "above": y - 6}
    return SHAPES[number].format(paint=paint, title=f"<title>{escape(said)}</title>", **places)


def _legend(series: Sequence[str]) -> list[str]:
    parts, x = [], 10.0
    for number, name in enumerate(series):
        parts += [_dot(x, 36, number, name), _text(x + 11, 40, name)]
        x += 26 + 6.6 * len(name)
    return parts


def _text(x: float, y: float, text: str, anchor: str = "start", *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{GRAY}"{weight}>{escape(text)}</text>'


def _element(body: Sequence[str], title: str, height: int, width: int = WIDTH) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="{STYLE}"><title>{escape(title)}</title>{"".join(body)}</svg>'
    )
