"""The pages in a real browser: shown, explored, switched, printed, and asking nothing of the network."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reported import HOSTILE, PAGES, many_topics_run, small_run
from visits import DESKTOP, PHONE, Visit

NAMELESS = """
    [...document.querySelectorAll("a, button, input, textarea, select, canvas, summary")]
        .filter(one => !(one.textContent.trim() || one.ariaLabel || one.labels?.length)).length
"""


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_no_complaint_no_request_and_nothing_wider_than_the_screen(
    browser: Any, files: dict[str, Path], name: str, viewport: dict[str, int]
) -> None:
    with Visit(browser, files[name], viewport=viewport) as visit:
        assert visit.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        assert visit.page.title() != "broken"
        visit.page.wait_for_timeout(50)
        assert visit.trouble == []


def test_the_slider_goes_from_probable_to_distinctive_words(browser: Any, files: dict[str, Path]) -> None:
    model = many_topics_run().model
    frequent = model.word_frequencies
    with Visit(browser, files["many"], "#topic-5&words=0") as visit:
        probable = visit.words()
        assert probable == model.top_words(len(probable), by="probable")[5]
        visit.page.focus("#distinctive")
        visit.page.keyboard.press("End")
        distinctive = visit.words()
        assert distinctive != probable
        index = {word: number for number, word in enumerate(model.vocabulary)}

        def lift(words: list[str]) -> float:
            ids = [index[word] for word in words]
            return float(np.mean(model.topic_word[5][ids] / frequent[ids]))

        assert lift(distinctive) > lift(probable)
        shown = model.top_words(len(distinctive))[5]
        assert distinctive[:3] == shown[:3]
        assert len(set(distinctive) & set(shown)) >= len(shown) - 1  # of rounded numbers
        visit.settled("#topic-5")
        shown = visit.page.locator("#topic-words .lift").first.inner_text()
        assert float(shown.rstrip("×")) == pytest.approx(lift(distinctive[:1]), rel=0.1)


def test_words_that_stand_together_come_first_where_they_do_everywhere(
    browser: Any, files: dict[str, Path]
) -> None:
    model = small_run().model
    assert model.company is not None
    with Visit(browser, files["run"]) as visit:
        for topic in range(model.n_topics):
            visit.page.goto(f"{visit.address}#topic-{topic}")
            visit.page.wait_for_function(f"() => state.topic === {topic}")
            n_kept = model.company.shape[1]
            assert visit.words()[:n_kept] == model.top_words(n_kept)[topic]


def test_neighbors_are_named_and_lead_there_and_parties_have_bars(
    browser: Any, files: dict[str, Path]
) -> None:
    with Visit(browser, files["many"]) as visit:
        link = visit.page.locator("#neighbors a").first
        name = link.inner_text()
        link.click()
        assert visit.page.locator("#topic-name").inner_text() == name
        shares = visit.page.locator("#party-bars li")
        assert shares.count() == 2
        assert "%" in shares.first.inner_text()
        visit.page.uncheck("#color")
        visit.page.wait_for_function("() => location.hash.includes('color=none')")


def test_hostile_words_can_be_searched_and_stay_words(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["hostile"]) as visit:
        for word in HOSTILE:
            visit.page.fill("#query", word)
            assert visit.page.locator("#found li bdi").first.inner_text() == word
        assert visit.page.locator("#found script, #found img").count() == 0
        visit.page.goto(f"{visit.address}#topic-3")
        assert visit.page.locator("#topic-words").inner_text().endswith("no words of its own.")
        for text in ("#topic-99", "#topic-x&words=7e9&zoom=a,b,c&find=%3Cimg%20src=x%3E", "#%"):
            visit.page.goto(f"{visit.address}{text}")
        assert visit.trouble == []


def test_an_address_that_was_cut_off_breaks_no_page(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["hostile"]) as visit:
        visit.page.goto("about:blank")
        visit.page.goto(f"{visit.address}#find=caf%C3%")
        assert visit.page.locator("#explorer").is_visible()
        assert visit.trouble == []


def test_a_link_that_is_followed_while_the_address_waits_to_be_written_holds(
    browser: Any, files: dict[str, Path]
) -> None:
    with Visit(browser, files["many"]) as visit:
        visit.page.evaluate("() => { choose({ find: 'w' }); history.pushState(null, '', '#topic-3'); }")
        visit.page.wait_for_timeout(300)
        assert visit.page.evaluate("() => location.hash") == "#topic-3"
        visit.page.evaluate("() => choose({ find: 'wo' })")
        visit.page.wait_for_function("() => location.hash.includes('find=wo')")


def test_topics_are_listed_as_a_tree_by_size_and_by_name(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["many"]) as visit:
        names = visit.page.locator("#all-topics tbody th bdi")
        assert visit.page.locator("svg.tree").is_visible()
        visit.page.click("[data-order=name]")
        assert names.all_inner_texts() == sorted(names.all_inner_texts())
        assert visit.page.locator("svg.tree").is_hidden()
        visit.page.click("[data-order=size]")
        shares = visit.evaluate(
            "[...document.querySelectorAll('#all-topics tbody tr')].map(r => +r.dataset.share)"
        )
        assert shares == sorted(shares, reverse=True)
        visit.page.click("[data-order=tree]")
        row = visit.page.locator("#all-topics tbody tr").nth(2)
        row.locator("a").click()
        assert visit.chosen() == int(row.get_attribute("data-topic"))
        height = visit.evaluate(
            "document.querySelector('#all-topics tbody tr').getBoundingClientRect().height"
        )
        assert height == 28  # as the drawing beside it has it


def test_parties_can_be_sorted_by_a_click(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["many"]) as visit:
        head = visit.page.locator("#party-table thead th").nth(1)

        def values() -> list[float]:
            script = (
                "[...document.querySelectorAll('#party-table tbody tr')].map(r => +r.cells[1].dataset.value)"
            )
            found: list[float] = visit.evaluate(script)
            return found

        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert values() == sorted(values(), reverse=True)
        head.locator("button").focus()
        visit.page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        assert values() == sorted(values())
        assert "the mean of all parties" in visit.page.locator(".apart").inner_text()


def test_another_epsilon_is_a_forecast_with_odds_and_loss(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["run"]) as visit:
        get = visit.page.locator
        assert get("#outlook-kind").inner_text() == "This run"
        assert get("#outlook-worth").inner_text() == "hardly protected"
        visit.page.focus("#epsilon")
        visit.page.keyboard.press("Home")
        assert get("#outlook-kind").inner_text() == "Forecast"
        assert get("#outlook-told").inner_text() == "epsilon 0.25 (word add/remove)"
        assert get("#outlook-worth").inner_text() == "protected"
        assert get("#outlook-odds").inner_text() == "1.3-fold"
        assert get("#outlook-loss").inner_text().startswith("+")
        assert get("#outlook-rises .told").all_inner_texts()[0] == "56.2 %"
        assert "forecast" in get("#epsilon").get_attribute("aria-valuetext")
        visit.page.click("#outlook-back")
        assert get("#outlook-kind").inner_text() == "This run"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_system_until_the_reader_chooses(
    browser: Any, files: dict[str, Path], scheme: str
) -> None:
    with Visit(browser, files["run"], color_scheme=scheme) as visit:

        def is_dark() -> bool:
            color = visit.evaluate("getComputedStyle(document.body).backgroundColor")
            return sum(map(int, color.removeprefix("rgb(").rstrip(")").split(","))) < 3 * 128

        assert is_dark() == (scheme == "dark")
        visit.page.focus("#theme")
        visit.page.keyboard.press("Enter")
        assert is_dark() == (scheme == "light")
        visit.page.reload()
        assert is_dark() == (scheme == "light")


def test_everything_is_named_and_the_chosen_topic_is_told(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["run"]) as visit:
        assert visit.evaluate(NAMELESS) == 0
        levels = visit.page.eval_on_selector_all(
            "h1, h2, h3, h4", "all => all.filter(e => !e.closest('[hidden]')).map(e => +e.tagName[1])"
        )
        assert levels[0] == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
        live = visit.page.locator("[aria-live=polite]")
        visit.page.focus("#map")
        before = live.inner_text()
        visit.page.keyboard.press("End")
        assert live.inner_text() != before
        assert visit.page.locator("#map").get_attribute("aria-describedby") == "map-help"
        reached = set()
        visit.page.focus("#query")
        for _ in range(14):
            visit.page.keyboard.press("Tab")
            reached.add(visit.evaluate("document.activeElement.id"))
        assert {"map", "zoom-in", "color", "previous", "next", "distinctive"} <= reached


def test_details_are_folded_until_a_link_or_paper_opens_them(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["run"]) as visit:
        assert visit.page.locator("details[open]").count() == 0
        visit.page.click("a[href='#ledger']")
        visit.page.wait_for_selector("#ledger[open]")
        assert visit.page.locator("#ledger table").first.is_visible()


def test_print_shows_all_topics_on_paper(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["many"], color_scheme="dark") as visit:
        visit.page.fill("#query", "no such word")
        visit.page.emulate_media(media="print", color_scheme="light")
        assert visit.page.locator("nav").is_hidden()
        assert visit.page.locator("#row-3").is_visible()
        visit.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert visit.page.locator("details:not([open])").count() == 0
        assert visit.page.locator("#ledger table").first.is_visible()
        assert len(visit.page.pdf()) > 20_000
        visit.evaluate("dispatchEvent(new Event('afterprint'))")
        assert visit.page.locator("details[open]").count() == 0
        assert visit.evaluate("document.documentElement.dataset.theme") is None
        assert visit.trouble == []


def test_curves_have_a_line_for_each_method_and_bars_for_seeds(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["comparison"]) as visit:
        charts = visit.page.locator("#curves svg")
        assert charts.count() == 2
        names = charts.first.locator("text").all_text_contents()
        assert {"calm", "shared", "alone", "proved epsilon (word add/remove)"} <= set(names)
        assert charts.first.locator("circle").count() == 2
        assert visit.page.locator("#runs tbody tr").count() == 4
        assert visit.trouble == []


def test_topics_of_all_runs_stand_side_by_side(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["comparison"], "#with=1") as visit:
        page = visit.page
        heads = page.locator("#aligned-heads th")
        names = heads.all_inner_texts()
        assert names[0] == "shared"
        assert "calm, epsilon 2 (word add/remove)" in names
        rows = page.locator("#aligned-table tbody tr")
        everything = rows.count()
        assert everything >= 4
        own = [
            set(text.split())
            for text in page.locator("#aligned-table tbody td:first-child").all_inner_texts()
        ]
        assert own[0] & set(small_run("shared", None).model.vocabulary)
        lost = page.locator("td.aligned.lost").count() + page.locator("td.aligned.changed").count()
        new = page.locator("td.aligned.new").count()
        told = page.locator("#aligned-counts").inner_text()
        assert "compared with" in told
        page.check("#only")
        assert rows.count() <= everything
        assert page.locator("td.aligned.lost, td.aligned.changed").count() == lost
        assert rows.count() <= lost + new
        page.uncheck("#only")
        page.select_option("#with", "0")
        assert heads.first.inner_text() == "alone"
        page.wait_for_function("() => location.hash === '#with=0'")
        page.fill("#topic-query", "no such word")
        assert rows.count() == 0
        page.keyboard.press("Escape")
        assert rows.count() >= 4
        assert visit.trouble == []
