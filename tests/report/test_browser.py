"""The pages in a real browser: shown, explored, switched, printed, and asking nothing of the network."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reported import HOSTILE, hostile_run, large_page, many_topics_run, small_run, small_runs
from visits import DESKTOP, PHONE, Visit

from fedtopics import report
from fedtopics.documents.text.tokens import tokenizer_for
from fedtopics.report.comparison_page import comparison_page
from fedtopics.runs import comparison

NAMELESS = """
    [...document.querySelectorAll("a, button, input, textarea, select, canvas, summary")]
        .filter(one => !(one.textContent.trim() || one.ariaLabel || one.labels?.length)).length
"""
PAGES = ("run", "hostile", "many", "comparison")
TOLERANCE = 0.02  # of a share of a text, between this page and `TopicModel.transform`


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
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


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_labels_never_overlap_and_none_that_is_shown_vanishes(
    browser: Any, files: dict[str, Path], viewport: dict[str, int]
) -> None:
    with Visit(browser, files["many"], viewport=viewport) as visit:
        before: set[int] = set()
        for zoom in (1, 1.05, 1.2, 1.5, 2, 3, 5):
            labels = visit.evaluate(
                "z => { topicMap.show(z, 0.4, 0.6, { still: true }); return topicMap.shownLabels(); }", zoom
            )
            for one, other in combinations(labels, 2):
                assert (
                    one["left"] + one["w"] <= other["left"]
                    or other["left"] + other["w"] <= one["left"]
                    or one["top"] + one["h"] <= other["top"]
                    or other["top"] + other["h"] <= one["top"]
                ), (zoom, one, other)
            shown = {label["topic"] for label in labels}
            assert before <= shown, zoom
            before = shown
        assert len(shown) == 30
        visit.evaluate("topicMap.show(1, 0.5, 0.5, { still: true })")
        assert len(visit.evaluate("topicMap.shownLabels()")) == 30  # two words each, all at once


def test_a_topic_is_chosen_on_the_map_and_stands_in_the_address(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["many"]) as visit:
        box = visit.page.locator("#map").bounding_box()
        x, y = visit.evaluate("topicMap.positionOf(7)")
        visit.page.mouse.move(box["x"] + x, box["y"] + y)
        assert visit.page.locator("#tip").is_visible()
        visit.page.mouse.click(box["x"] + x, box["y"] + y)
        assert visit.chosen() == 7
        visit.settled("#topic-7")
        name = visit.page.locator("#topic-name").inner_text()
        assert name == many_topics_run().model.names[7]
        visit.page.reload()
        assert visit.chosen() == 7
        assert visit.page.locator("#row-7").get_attribute("data-chosen") is not None
        assert visit.trouble == []


def test_the_map_zooms_and_pans_with_buttons_wheel_and_pointer(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["many"]) as visit:
        box = visit.page.locator("#map").bounding_box()
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        visit.page.click("#zoom-in")
        visit.page.wait_for_function("() => topicMap.view().zoom === 1.6")
        before = visit.evaluate("topicMap.view()")
        visit.page.mouse.move(*middle)
        visit.page.mouse.wheel(0, -1)  # the page has the wheel until the map is in use
        assert visit.evaluate("topicMap.view().zoom") == before["zoom"]
        visit.page.mouse.down()
        visit.page.mouse.move(middle[0] - 80, middle[1] - 40, steps=4)
        visit.page.mouse.up()
        moved = visit.evaluate("topicMap.view()")
        assert visit.evaluate("topicMap.canvas.style.touchAction") == "none"
        assert moved["x"] == pytest.approx(before["x"] - 80)
        visit.page.mouse.wheel(0, -300)
        visit.page.wait_for_function("zoom => topicMap.view().zoom > zoom", arg=moved["zoom"])
        zoomed = visit.evaluate("topicMap.view()")
        visit.page.wait_for_function(
            "zoom => location.hash.includes(`zoom=${+zoom.toFixed(3)},`)", arg=zoomed["zoom"]
        )
        visit.page.reload()
        again = visit.evaluate("topicMap.view()")
        assert again["zoom"] == pytest.approx(zoomed["zoom"], rel=1e-2)
        assert again["x"] == pytest.approx(zoomed["x"], abs=3)
        visit.page.click("#zoom-out")
        visit.page.wait_for_function("zoom => topicMap.view().zoom < zoom", arg=again["zoom"] * 0.9)
        visit.page.click("#zoom-all")
        visit.page.wait_for_function("() => topicMap.view().zoom === 1")
        assert visit.evaluate("topicMap.canvas.style.touchAction") == "pan-y"


def test_arrow_keys_go_from_topic_to_topic(browser: Any, files: dict[str, Path]) -> None:
    with Visit(browser, files["many"]) as visit:
        visit.page.focus("#map")
        seen = set()
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 3:
            before = visit.chosen()
            visit.page.keyboard.press(key)
            if visit.chosen() != before:
                axis, sign = {"Right": (0, 1), "Left": (0, -1), "Down": (1, 1), "Up": (1, -1)}[key[5:]]
                places = [visit.evaluate("n => topicMap.positionOf(n)", n) for n in (before, visit.chosen())]
                assert sign * (places[1][axis] - places[0][axis]) > 0
            seen.add(visit.chosen())
        assert len(seen) >= 4
        visit.page.keyboard.press("End")
        last = visit.chosen()
        visit.page.keyboard.press("Home")
        visit.page.click("#previous")
        assert visit.chosen() == last
        visit.page.click("#next")
        assert visit.chosen() != last
        visit.page.focus("#map")
        visit.page.keyboard.press("+")
        assert visit.evaluate("topicMap.view().zoom") > 1
        visit.page.keyboard.press("0")
        visit.page.wait_for_function("() => topicMap.view().zoom === 1")


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


def test_search_lights_up_the_map_and_leaves_the_topics_of_a_word(
    browser: Any, files: dict[str, Path]
) -> None:
    with Visit(browser, files["many"]) as visit:
        page = visit.page
        word = many_topics_run().model.top_words(1)[11][0]
        plain = page.evaluate("topicMap.canvas.toDataURL()")
        page.keyboard.press("/")
        page.keyboard.type(word)
        assert page.evaluate("document.activeElement.id") == "query"
        assert page.locator("#found li").first.inner_text().startswith(word)
        page.wait_for_function("before => topicMap.canvas.toDataURL() !== before", arg=plain)
        lit = page.locator("#all-topics tbody tr:not([hidden])").count()
        assert 1 <= lit < 30
        assert page.locator("#status").inner_text() == f"{lit} of 30 topics"
        page.keyboard.press("Enter")
        assert word in visit.words()
        page.wait_for_function("word => location.hash.includes(`find=${word}`)", arg=word)
        page.reload()
        assert page.input_value("#query") == word
        assert page.locator("#all-topics tbody tr:not([hidden])").count() == lit
        page.focus("#query")
        page.keyboard.press("Escape")
        assert page.locator("#all-topics tbody tr:not([hidden])").count() == 30
        page.fill("#query", "no such word")
        assert page.locator("#status").inner_text() == "0 of 30 topics"
        assert visit.trouble == []


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


TEXTS = (
    "{0} {1} {2} {0}, {3}; and WORD7's word12 un-known <b>word3</b>",
    "{4}’s {5}\u00ad {6} &amp; {7} {7} {8} 1990 x",
    "nothing of this is known",
)


@pytest.mark.parametrize("page", ["run", "many"])
def test_a_text_has_the_mixture_that_transform_gives_it(
    browser: Any, files: dict[str, Path], page: str
) -> None:
    model = (small_run() if page == "run" else many_topics_run()).model
    words = [row[0] for row in model.top_words(1)] * 9
    with Visit(browser, files[page]) as visit:
        for text in (text.format(*words) for text in TEXTS):
            found = visit.evaluate("text => mixtureOf(text)", text)
            exact = model.transform([text], tokenizer=tokenizer_for("en"))[0]
            assert np.abs(np.array(found["mixture"]) - exact).max() < TOLERANCE
            assert found["known"] == model.read([text], tokenizer=tokenizer_for("en")).n_tokens
        visit.page.fill("#text", TEXTS[0].format(*words))
        best = int(model.transform([TEXTS[0].format(*words)], tokenizer=tokenizer_for("en"))[0].argmax())
        visit.page.wait_for_selector("#mixture li")
        assert visit.page.locator("#mixture a").first.get_attribute("href") == f"#topic-{best}"
        visit.page.fill("#text", "nothing of this")
        visit.page.wait_for_function("() => !document.querySelector('#mixture li')")
        assert "None of its words" in visit.page.locator("#text-status").inner_text()
        assert visit.trouble == []  # nothing was asked of the network


def test_words_are_cut_as_the_model_cuts_them(browser: Any, files: dict[str, Path]) -> None:
    text = (
        "The Nation's 13 colonies don't re-unite; COVID19 in Málaga, l’homme d'Italia 1990s Cafe\u0301 "
        "_under_score it’s O'Neill's x &lt;b&gt; <br/>שָׁלוֹם नमस्ते А.Б. 3D co\u00adoperate '90s rock'n'roll"
    )
    with Visit(browser, files["run"]) as visit:
        for language in ("en", "de", "fr"):
            cut = visit.evaluate("([text, language]) => tokens(text, language)", [text, language])
            assert cut == tokenizer_for(language)(text), language


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


@pytest.mark.nightly
def test_the_largest_model_opens_and_is_searched(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "large.html"
    path.write_text(large_page(), "utf-8")
    with Visit(browser, path) as visit:
        word = visit.words()[0]
        visit.page.fill("#query", word)
        assert visit.page.locator("#found li").first.inner_text().startswith(word)
        assert (
            len(visit.evaluate("topicMap.show(99, 0.5, 0.5, { still: true }), topicMap.shownLabels()")) == 200
        )
        assert visit.trouble == []


@pytest.mark.nightly
def test_the_largest_model_opens_in_400_ms_and_moves_at_60_frames_a_second(
    browser: Any, tmp_path: Path
) -> None:
    """By the clock, so the quickest of five: the machine may be busy with something else."""
    path = tmp_path / "large.html"
    path.write_text(large_page(), "utf-8")
    opened, drawn = [], []
    for _ in range(5):
        with Visit(browser, path) as visit:
            opened.append(visit.evaluate("performance.getEntriesByType('navigation')[0].domComplete"))
            drawn.append(visit.evaluate(FRAMES))
    assert min(opened) < 400, opened
    assert max(drawn) > 58, drawn


# Zoom and pan for a second, a step in every frame; frames that were drawn in it.
FRAMES = """
    () => new Promise(resolve => {
        const began = performance.now();
        let frames = 0;
        const step = now => {
            const t = (now - began) / 1000;
            if (t >= 1) return resolve(frames / t);
            frames++;
            topicMap.show(1 + 4 * t, 0.3 + 0.4 * t, 0.5, { still: true, keep: true });
            requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
    })
"""


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
