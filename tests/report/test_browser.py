"""The pages in a real browser: shown, searched, switched, printed, and asking nothing of the network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from reported import HOSTILE, hostile_run, large_page, small_run, small_runs

from fedtopics import report
from fedtopics.report.comparison_page import comparison_page

NAMELESS = """
    [...document.querySelectorAll("a, button, input")]
        .filter(one => !(one.textContent.trim() || one.ariaLabel || one.labels?.length)).length
"""
PAGES = ("run", "hostile", "comparison")
DESKTOP, PHONE = {"width": 1200, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make setup")
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium was found; `make system` installs it on Debian and Ubuntu")
    with sync_api.sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
            )
        except sync_api.Error as error:
            pytest.skip(f"Chromium does not start here: {str(error).splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made = {name: folder / f"{name}.html" for name in PAGES}
    report.write(small_run(), made["run"])
    report.write(hostile_run(), made["hostile"])
    made["comparison"].write_text(comparison_page([run.record for run in small_runs()]), "utf-8")
    return made


class Visit:
    """A page in a window of its own, with everything it complained about or asked for."""

    def __init__(
        self, browser: Any, path: Path, *, viewport: dict[str, int] = DESKTOP, **options: Any
    ) -> None:
        self.context = browser.new_context(viewport=viewport, **options)
        self.page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("dialog", lambda dialog: self.trouble.append(f"dialog: {dialog.message}"))
        self.page.on("request", self._request)
        self.page.goto(path.as_uri())

    def _request(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.trouble.append(request.url)

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def shown(self) -> list[str]:
        """The topics that the search leaves."""
        return self.page.eval_on_selector_all(".topic:not([hidden])", "cards => cards.map(card => card.id)")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_complaint_no_request_and_nothing_wider_than_the_screen(
    browser: Any, files: dict[str, Path], name: str, viewport: dict[str, int]
) -> None:
    with Visit(browser, files[name], viewport=viewport) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert visit.page.title() != "broken"
        visit.page.wait_for_timeout(50)
        assert visit.trouble == []


def test_search_finds_words_that_are_listed_and_words_that_are_not(
    browser: Any, files: dict[str, Path]
) -> None:
    with Visit(browser, files["run"]) as visit:
        page = visit.page
        assert len(visit.shown()) == 4
        first = page.locator(".topic .words bdi").first.inner_text()
        page.keyboard.press("/")
        page.keyboard.type(first)
        assert page.evaluate("document.activeElement.id") == "query"
        found = visit.shown()
        assert 1 <= len(found) < 4
        assert page.locator("#status").inner_text() == f"{len(found)} of 4 topics"
        assert page.locator("#found li").first.inner_text().startswith(f"{first}: topic ")
        assert page.locator(".words li.hit").count() >= 1
        page.keyboard.press("Escape")
        assert len(visit.shown()) == 4
        page.fill("#query", "no such word")
        assert visit.shown() == []
        page.goto(f"{files['run'].as_uri()}#topic-2")
        assert "topic-2" in visit.shown()
        assert visit.trouble == []


def test_hostile_words_can_be_searched_and_stay_words(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["hostile"]) as visit:
        for word in HOSTILE:
            visit.page.fill("#query", word)
            assert visit.page.locator("#found li bdi").first.inner_text() == word
        assert visit.page.locator("#found script, #found img").count() == 0
        assert visit.page.locator("#topic-3").inner_text().count("No words of its own") == 1
        assert visit.trouble == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_until_the_reader_chooses(
    browser: Any, files: dict[str, Path], scheme: str
) -> None:
    with Visit(browser, files["run"], color_scheme=scheme) as visit:

        def is_dark() -> bool:
            color = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
            return sum(map(int, color.removeprefix("rgb(").rstrip(")").split(","))) < 3 * 128

        assert is_dark() == (scheme == "dark")
        visit.page.focus("#theme")
        visit.page.keyboard.press("Enter")
        assert is_dark() == (scheme == "light")
        visit.page.reload()
        assert is_dark() == (scheme == "light")


def test_every_topic_is_reached_by_keyboard_and_named(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["run"]) as visit:
        links = visit.page.locator("svg.map a")
        assert links.count() == 4
        links.first.focus()
        visit.page.keyboard.press("Enter")
        assert visit.page.evaluate("location.hash").startswith("#topic-")
        assert visit.page.evaluate(NAMELESS) == 0
        levels = visit.page.eval_on_selector_all("h1, h2, h3", "all => all.map(e => +e.tagName[1])")
        assert levels[0] == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_print_shows_all_topics_on_paper(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["run"], color_scheme="dark") as visit:
        visit.page.fill("#query", "no such word")
        visit.page.emulate_media(media="print", color_scheme="light")
        assert visit.page.locator("nav").is_hidden()
        assert visit.page.locator(".topic").first.is_visible()
        assert len(visit.page.pdf()) > 10_000


def test_the_largest_model_opens_and_is_searched(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    path.write_text(large_page(), "utf-8")
    with Visit(browser, path) as visit:
        word = visit.page.locator(".topic .words bdi").first.inner_text()
        visit.page.fill("#query", word)
        assert visit.page.locator("#found li").first.inner_text().startswith(f"{word}: topic ")
        assert visit.trouble == []


@pytest.mark.nightly
def test_the_largest_model_opens_in_under_a_second(browser: Any, tmp_path: Path) -> None:
    """By the clock, so the quickest of five: the machine may be busy with something else."""
    path = tmp_path / "large.html"
    path.write_text(large_page(), "utf-8")
    opened = []
    for _ in range(5):
        with Visit(browser, path) as visit:
            opened.append(visit.page.evaluate("performance.getEntriesByType('navigation')[0].domComplete"))
    assert min(opened) < 1000, opened


def test_curves_have_a_line_for_each_method_and_bars_for_seeds(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["comparison"]) as visit:
        charts = visit.page.locator("#curves svg")
        assert charts.count() == 2
        names = charts.first.locator("text").all_text_contents()
        assert {"calm", "shared", "alone", "proved epsilon (word add/remove)"} <= set(names)
        assert charts.first.locator("circle").count() == 2
        assert visit.page.locator("#runs tbody tr").count() == 4
        assert visit.trouble == []
