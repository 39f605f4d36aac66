"""Every figure and table of the five papers, and the page that judges them: docs/evidence/reproduction.md."""

from __future__ import annotations

from functools import partial

from benchmarks import stored
from benchmarks.case import Case
from benchmarks.papers import all_parts, items
from benchmarks.papers.items import Item
from benchmarks.papers.page import Row, page
from benchmarks.stored import Results
from fedtopics import evaluation, methods, sampling


def chart_file(item: Item) -> str:
    """Below docs."""
    return f"evidence/reproduction/{item.key}.svg"


def numbers(item: Item, results: Results) -> dict[str, object]:
    """What the parts of an item gave; KeyError for the first that is not measured."""
    return {name: results.steps[name]["value"] for name in item.parts}


def row(item: Item, results: Results) -> Row:
    """What came out for one item."""
    seconds = sum(results.steps[name]["seconds"] for name in item.parts)
    chart = "" if item.chart is None else chart_file(item).removeprefix("evidence/")
    return Row(item, item.judge(numbers(item, results)), chart, seconds)


def written(known: list[Item], results: Results) -> str:
    """The page of all items whose parts are stored."""
    rows = [row(item, results) for item in known if not item.parts.keys() - results.steps.keys()]
    names = dict.fromkeys(name for row in rows for name in row.item.parts)
    return page(rows, len(known), sum(results.steps[name]["seconds"] for name in names))


def whole_page() -> str:
    return written(items(), stored.results_of(PAPERS))


def drawn(item: Item) -> str:
    assert item.chart is not None
    return item.chart(numbers(item, stored.results_of(PAPERS)))


def verdicts() -> str:
    results = stored.results_of(PAPERS)
    return "\n".join(f"{item.key}: {row(item, results).finding.verdict}" for item in items())


PAPERS = Case(
    "papers",
    "every figure and table of the five papers",
    lambda: all_parts(items()),
    measures=(sampling, methods, evaluation),
    minutes=45,
    seeds=(0, 1, 2),
    corpora=("20newsgroups", "amazon", "enron_spam", "imdb", "kos", "nips", "reuters"),
    pages=("docs/evidence/reproduction.md",),
    shows={chart_file(item): partial(drawn, item) for item in items() if item.chart is not None}
    | {"evidence/reproduction.md": whole_page},
    summary=verdicts,
)
