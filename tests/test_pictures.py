"""Pictures of the docs are small, hold no script, and stand on a page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PICTURES = sorted((ROOT / "docs" / "pictures").iterdir())
SHOTS = {path.stem for path in PICTURES if path.suffix == ".png"}
TEXTS = "".join(
    page.read_text(encoding="utf-8") for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
)


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_and_stands_on_a_page(path: Path) -> None:
    assert path.stat().st_size < (150_000 if path.suffix == ".png" else 300_000)
    assert f"pictures/{path.name}" in TEXTS


@pytest.mark.parametrize(
    "path", [path for path in PICTURES if path.suffix == ".svg"], ids=lambda path: path.name
)
def test_a_drawing_runs_and_fetches_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<script|<foreignObject|\bon\w+=|@import|url\((?!#)", text)
    assert set(re.findall(r"https?://[^\"\s<]+", text)) <= {"http://www.w3.org/2000/svg"}


def test_the_moving_picture_moves_and_stands_still_where_that_is_wanted() -> None:
    text = (ROOT / "docs" / "pictures" / "simulate.svg").read_text(encoding="utf-8")
    assert text.count("@keyframes") > 3
    assert "prefers-reduced-motion" in text


def test_every_page_is_shown_in_both_themes_and_widths() -> None:
    pages = {name.rsplit("-", 2)[0] for name in SHOTS}
    assert {"report", "comparison"} <= pages
    assert {
        f"{page}-{look}-{wide}" for page in pages for look in ("light", "dark") for wide in (390, 1180)
    } == SHOTS
