"""A real browser, and pages to look at in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reported import PAGES, hostile_run, many_topics_run, small_run, small_runs
from visits import chromium

from fedtopics import report
from fedtopics.report.comparison_page import comparison_page
from fedtopics.runs import comparison


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each of `PAGES` as a file."""
    folder = tmp_path_factory.mktemp("pages")
    made = {name: folder / f"{name}.html" for name in PAGES}
    report.write(small_run(), made["run"])
    report.write(hostile_run(), made["hostile"])
    report.write(many_topics_run(), made["many"])
    comparison.save(small_runs(), folder / "compared")
    records = comparison.load(folder / "compared")
    page = comparison_page(records, comparison.models(folder / "compared", records), title="Two <ways>")
    made["comparison"].write_text(page, "utf-8")
    return made
