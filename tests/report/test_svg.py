"""Charts are well-formed SVG whose points lie where the numbers say."""

from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fedtopics.errors import InputError
from fedtopics.report.svg import Line, _ticks, line_chart, side_by_side

SVG = "{http://www.w3.org/2000/svg}"


def chart_of(*lines):
    text = line_chart(lines, title="a < b & c", x_label="x", y_label="y")
    return text, ElementTree.fromstring(text)


def places(root):
    return [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter(f"{SVG}circle")]


def test_points_are_in_order_and_inside():
    _, root = chart_of(Line("one", [1, 2, 4], [10.0, 30.0, 20.0]))
    (x1, y1), (x2, y2), (x3, y3) = places(root)
    assert x1 < x2 < x3
    assert (x3 - x2) == pytest.approx(2 * (x2 - x1), abs=0.2)
    assert y2 < y3 < y1
    assert (y1 - y2) == pytest.approx(2 * (y1 - y3), abs=0.2)
    assert all(0 <= x <= 480 and 0 <= y <= 300 for x, y in places(root))


def test_text_is_escaped_and_a_legend_names_several_lines():
    text, root = chart_of(Line("<one>", [1], [1]), Line("two", [1], [2]))
    assert root.find(f"{SVG}title").text == "a < b & c"
    assert {"<one>", "two"} <= {element.text for element in root.iter(f"{SVG}text")}
    assert "<one>" not in text


@pytest.mark.parametrize(("n", "width", "height"), [(1, "480", "300"), (2, "960", "300"), (3, "960", "600")])
def test_charts_stand_side_by_side_in_rows_of_two(n, width, height):
    one, _ = chart_of(Line("one", [1, 2], [1, 2]))
    root = ElementTree.fromstring(side_by_side([one] * n))
    assert (root.get("width"), root.get("height")) == (width, height)
    assert len(list(root.iter(f"{SVG}svg"))) == 1 + n
    places = [group.get("transform") for group in root.findall(f"{SVG}g")]
    assert places == ["translate(0,0)", "translate(480,0)", "translate(0,300)"][:n]


@settings(max_examples=200, deadline=None)
@example([0.04])
@given(st.lists(st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-6), min_size=1, max_size=9))
def test_ticks_span_the_values_and_are_few(values):
    ticks = _ticks(values)
    slack = 1e-9 * max(1, *map(abs, ticks))
    assert ticks[0] <= min(values) + slack
    assert ticks[-1] >= max(values) - slack
    assert 2 <= len(ticks) <= 12


@pytest.mark.parametrize(
    "lines", [[], [Line("a", [], [])], [Line("a", [1], [])], [Line("a", [1], [float("nan")])]]
)
def test_what_cannot_be_drawn_is_named(lines):
    with pytest.raises(InputError, match="expected"):
        line_chart(lines, title="", x_label="", y_label="")
