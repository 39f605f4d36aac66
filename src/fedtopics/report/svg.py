"""Line charts as SVG text: no dependency, no script, readable on light and on dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from xml.sax.saxutils import escape

from fedtopics.errors import InputError

# Okabe and Ito's colors, told apart by color-blind readers too; those too pale for a white page are left out.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
GRAY = "#808080"
LEFT, RIGHT, TOP, BOTTOM = 68, 16, 34, 48
STYLE = "font-family:system-ui,sans-serif;font-size:12px"


@dataclass(frozen=True)
class Line:
    """One named line through the points (x, y)."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Axis:
    """Ticks from below the smallest to above the largest value, mapped onto pixels from `start` to `end`."""

    ticks: tuple[float, ...]
    start: float
    end: float

    def pixel(self, value: float) -> float:
        low, high = self.ticks[0], self.ticks[-1]
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def line_chart(
    lines: Sequence[Line], *, title: str, x_label: str, y_label: str, width: int = 480, height: int = 300
) -> str:
    """An `<svg>` element with these lines over common axes; a legend where there are several."""
    _check(lines)
    beside = 26 + 7 * max(len(line.name) for line in lines) if len(lines) > 1 else 0
    x = Axis(_ticks([value for line in lines for value in line.x]), LEFT, width - RIGHT - beside)
    y = Axis(_ticks([value for line in lines for value in line.y]), height - BOTTOM, TOP)
    drawn = [_line(line, x, y, COLORS[number % len(COLORS)]) for number, line in enumerate(lines)]
    body = [_text(width / 2, 20, title, "middle", bold=True), *_grid(x, y), *drawn]
    body += [
        _text((x.start + x.end) / 2, height - 10, x_label, "middle"),
        _text(14, (y.start + y.end) / 2, y_label, "middle", turned=True),
    ]
    if len(lines) > 1:
        body += _legend(lines, x.end + 12)
    return _element(body, title, width, height)


def side_by_side(charts: Sequence[str], width: int = 480, height: int = 300) -> str:
    """One `<svg>` element that shows charts of equal size in a row, for a file of its own."""
    moved = [
        f'<g transform="translate({number * width},0)">{chart}</g>' for number, chart in enumerate(charts)
    ]
    return _element(moved, "Charts", width * len(charts), height)


def _element(body: Sequence[str], title: str, width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="{STYLE}"><title>{escape(title)}</title>{"".join(body)}</svg>'
    )


def _line(line: Line, x: Axis, y: Axis, color: str) -> str:
    points = [(x.pixel(a), y.pixel(b)) for a, b in zip(line.x, line.y, strict=True)]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    dots = "".join(
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{color}"><title>{escape(line.name)}: '
        f"{value:.5g} at {place:g}</title></circle>"
        for (a, b), place, value in zip(points, line.x, line.y, strict=True)
    )
    return f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>{dots}'


def _grid(x: Axis, y: Axis) -> list[str]:
    lines = [_rule(x.start, y.pixel(tick), x.end, y.pixel(tick)) for tick in y.ticks]
    lines += [_rule(x.pixel(tick), y.start, x.pixel(tick), y.start + 4) for tick in x.ticks]
    lines += [_text(x.start - 6, y.pixel(tick) + 4, _number(tick, y.ticks), "end") for tick in y.ticks]
    lines += [_text(x.pixel(tick), y.start + 18, _number(tick, x.ticks), "middle") for tick in x.ticks]
    return lines


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{GRAY}" stroke-opacity="0.35"/>'


def _text(x: float, y: float, text: str, anchor: str, *, bold: bool = False, turned: bool = False) -> str:
    extra = ' font-weight="bold"' if bold else ""
    extra += f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    place = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text {place} text-anchor="{anchor}" fill="{GRAY}"{extra}>{escape(text)}</text>'


def _legend(lines: Sequence[Line], left: float) -> list[str]:
    """Names of the lines, beside the chart."""
    rows = []
    for number, line in enumerate(lines):
        y = TOP + 10 + 16 * number
        rows.append(f'<rect x="{left:.1f}" y="{y - 9}" width="10" height="10" fill="{COLORS[number % 6]}"/>')
        rows.append(_text(left + 15, y, line.name, "start"))
    return rows


def _ticks(values: Sequence[float]) -> tuple[float, ...]:
    """Four to eight round numbers that span the values."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    rough = (high - low) / 4
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (5, 2.5, 2, 1) if factor * power <= rough)
    return tuple(step * number for number in range(floor(low / step), ceil(high / step) + 1))


def _number(tick: float, ticks: Sequence[float]) -> str:
    decimals = max(0, 1 - floor(log10(ticks[1] - ticks[0])))
    text = f"{tick:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _check(lines: Sequence[Line]) -> None:
    if not lines or any(not line.x or len(line.x) != len(line.y) for line in lines):
        raise InputError("expected lines of one point or more with as many x as y, got none or others")
    if not all(isfinite(value) for line in lines for value in (*line.x, *line.y)):
        raise InputError("expected finite numbers to draw, got others; leave those points out")
