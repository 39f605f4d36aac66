"""Line charts as SVG text: no dependency, no script, readable on light and on dark pages.

Colors are attributes, which a page's style sheet may override by class: lines, dots and keys of the n-th line
have the class `series-n`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, floor, isfinite, log10
from xml.sax.saxutils import escape

from fedtopics.errors import InputError

# Okabe and Ito's colors, told apart by color-blind readers too; those too pale for a white page are left out.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
GRAY = "#808080"
LEFT, RIGHT, TOP, BOTTOM = 68, 16, 34, 48
PER_ROW = 2  # of charts; a page is about as wide
WIDTH, HEIGHT = 480, 300
MOST_DOTS = 24  # a line of more points is drawn without
STYLE = "font-family:system-ui,sans-serif;font-size:12px"


@dataclass(frozen=True)
class Line:
    """One named line through the points (x, y); `spread` holds the lowest and highest y of each point."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    spread: Sequence[tuple[float, float]] = ()
    dashed: bool = False


@dataclass(frozen=True)
class Axis:
    """Ticks from below the smallest to above the largest value, mapped onto pixels from `start` to `end`."""

    ticks: tuple[float, ...]
    start: float
    end: float
    log: bool = False

    def pixel(self, value: float) -> float:
        low, at, high = (log10(v) if self.log else v for v in (self.ticks[0], value, self.ticks[-1]))
        return self.start + (at - low) / (high - low) * (self.end - self.start)


def line_chart(
    lines: Sequence[Line],
    *,
    title: str,
    x_label: str,
    y_label: str,
    width: int = WIDTH,
    height: int = HEIGHT,
    log_x: bool = False,
    headed: bool = True,
) -> str:
    """An `<svg>` element with these lines over common axes; a legend where there are several.

    log_x    the x axis is logarithmic: all x are above 0
    headed   the title is drawn, not only told to screen readers
    """
    _check(lines, log_x)
    beside = 26 + 7 * max(len(line.name) for line in lines) if len(lines) > 1 else 0
    places = [value for line in lines for value in line.x]
    x = Axis(_decades(places) if log_x else _ticks(places), LEFT, width - RIGHT - beside, log_x)
    heights = [value for line in lines for value in (*line.y, *chain.from_iterable(line.spread))]
    y = Axis(_ticks(heights), height - BOTTOM, TOP if headed else TOP // 3)
    drawn = [_line(line, x, y, number) for number, line in enumerate(lines)]
    head = [_text(width / 2, 20, title, "middle", bold=True)] if headed else []
    body = [*head, *_grid(x, y), *drawn]
    body += [
        _text((x.start + x.end) / 2, height - 10, x_label, "middle"),
        _text(14, (y.start + y.end) / 2, y_label, "middle", turned=True),
    ]
    if len(lines) > 1:
        body += _legend(lines, x.end + 12)
    return _element(body, title, width, height)


def side_by_side(charts: Sequence[str], width: int = WIDTH) -> str:
    """One `<svg>` element that shows charts of equal `width` in rows of `PER_ROW`, for a file of its own."""
    moved = [
        f'<g transform="translate({number % PER_ROW * width},{number // PER_ROW * HEIGHT})">{chart}</g>'
        for number, chart in enumerate(charts)
    ]
    n_rows = -(-len(charts) // PER_ROW)
    return _element(moved, "Charts", width * min(len(charts), PER_ROW), HEIGHT * n_rows)


def _element(body: Sequence[str], title: str, width: int, height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="{STYLE}"><title>{escape(title)}</title>{"".join(body)}</svg>'
    )


def _line(line: Line, x: Axis, y: Axis, number: int) -> str:
    color = f'class="series-{number % len(COLORS)}" stroke="{COLORS[number % len(COLORS)]}"'
    points = [(x.pixel(a), y.pixel(b)) for a, b in zip(line.x, line.y, strict=True)]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    dots = "".join(
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" {color} fill="{COLORS[number % len(COLORS)]}">'
        f"<title>{escape(line.name)}: {value:.5g} at {place:g}</title></circle>"
        for (a, b), place, value in zip(points, line.x, line.y, strict=True)
    )
    whiskers = "".join(
        f'<line x1="{a:.1f}" y1="{y.pixel(low):.1f}" x2="{a:.1f}" y2="{y.pixel(high):.1f}" {color}/>'
        for (a, _), (low, high) in zip(points, line.spread, strict=False)
    )
    dashes = ' stroke-dasharray="5 4"' if line.dashed else ""
    stroke = f'<polyline points="{path}" fill="none" {color} stroke-width="2"{dashes}/>'
    return stroke + whiskers + (dots if len(points) <= MOST_DOTS and not line.dashed else "")


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
        color = f'class="series-{number % len(COLORS)}" fill="{COLORS[number % len(COLORS)]}"'
        rows.append(f'<rect x="{left:.1f}" y="{y - 9}" width="10" height="10" {color}/>')
        rows.append(_text(left + 15, y, line.name, "start"))
    return rows


def _ticks(values: Sequence[float]) -> tuple[float, ...]:
    """Four to eight round numbers that span the values."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
    rough = (high - low) / 4
    power = 10.0 ** floor(log10(rough))
    step = next((factor * power for factor in (5, 2.5, 2) if factor * power <= rough), power)
    return tuple(step * number for number in range(floor(low / step), ceil(high / step) + 1))


def _decades(values: Sequence[float]) -> tuple[float, ...]:
    """1, 2, 5, 10, 20, ... around the values; powers of ten alone where that would be many."""
    first, last = floor(log10(min(values))), ceil(log10(max(values)))
    steps = (1, 2, 5) if last - first <= 3 else (1,)
    marks = [step * 10.0**power for power in range(first, max(last, first + 1) + 1) for step in steps]
    low = max(mark for mark in marks if mark <= min(values))
    high = min((mark for mark in marks if mark >= max(values) and mark > low), default=marks[-1])
    return tuple(mark for mark in marks if low <= mark <= high)


def _number(tick: float, ticks: Sequence[float]) -> str:
    decimals = max(0, 1 - floor(log10(ticks[1] - ticks[0])))
    text = f"{tick:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _check(lines: Sequence[Line], log_x: bool) -> None:
    if not lines or any(not line.x or len(line.x) != len(line.y) for line in lines):
        raise InputError("expected lines of one point or more with as many x as y, got none or others")
    if log_x and any(value <= 0 for line in lines for value in line.x):
        raise InputError("expected x above 0 on a logarithmic axis, got others; leave those points out")
    if not all(isfinite(value) for line in lines for value in (*line.x, *line.y)):
        raise InputError("expected finite numbers to draw, got others; leave those points out")
