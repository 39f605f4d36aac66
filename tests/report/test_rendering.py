"""Any page: nothing is loaded, nothing is markup but ours, and its colors can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from report.elements import Elements
from reported import HOSTILE, hostile_run, large_page, small_run

from fedtopics import report
from fedtopics.errors import InputError
from fedtopics.report.rendering import TEMPLATES
from fedtopics.report.run_page import run_page


def test_nothing_is_loaded_and_nothing_is_markup_but_ours() -> None:
    page = run_page(small_run())
    for made in (page, run_page(hostile_run())):
        elements = Elements(made).found
        assert not [tag for tag, _ in elements if tag in ("img", "iframe", "object", "embed", "base", "form")]
        assert [attributes.get("type") for tag, attributes in elements if tag == "script"] == [
            "application/json",
            None,
        ]
        addresses = [
            value
            for _, attributes in elements
            for name, value in attributes.items()
            if name in ("src", "href")
        ]
        assert all(address.startswith("#") or address == "data:," for address in addresses)
        assert not [name for _, attributes in elements for name in attributes if name.startswith("on")]
        assert "@import" not in made
        assert "url(" not in made


def test_words_appear_as_they_are() -> None:
    text = Elements(run_page(hostile_run())).text
    for word in HOSTILE:
        assert " ".join(word.split()) in text
    assert "No words of its own" in text


def test_a_page_is_written_once(tmp_path: Path) -> None:
    path = report.write(small_run(), tmp_path / "page.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    with pytest.raises(InputError, match="exists"):
        report.write(small_run(), path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.nightly
def test_the_largest_models_stay_below_two_megabytes() -> None:
    assert len(large_page().encode()) < 2e6
    assert "any of 50,000 words" in large_page()


@pytest.mark.parametrize("theme", [0, 1])
def test_colors_have_enough_contrast(theme: int) -> None:
    """WCAG 2.2 AA: 4.5 to 1 for text, in both themes."""
    style = (TEMPLATES / "style" / "colors.css").read_text()
    colors = dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", style.split("}")[theme]))
    text = ("ink", "soft", "accent", "good", "fair", "poor")
    pairs = [(fore, back) for fore in text for back in ("paper", "card")]
    pairs += [("ink", "tint"), ("soft", "tint"), ("ink", "note")]
    for fore, back in pairs:
        assert contrast(colors[fore], colors[back]) >= 4.5, (fore, back)
    for series in range(6):
        assert contrast(colors[f"s{series}"], colors["paper"]) >= 3


def contrast(first: str, second: str) -> float:
    lights = sorted(map(luminance, (first, second)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
