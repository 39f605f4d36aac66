"""The reproduction of the papers: verdicts follow the numbers, and no row of the page is empty."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import made_up_case
import pytest

from benchmarks import ROOT, stored
from benchmarks.papers import all_parts, items
from benchmarks.papers.items import HOLDS, IN_PART, NOT, Finding, Item, shown
from benchmarks.papers.page import Row, page
from benchmarks.papers.reproduction import written
from benchmarks.papers.speech_rates import rates
from benchmarks.stored import Results
from fedtopics.errors import InputError


def made_up_item(seeds: range = range(4)) -> Item:
    """A figure that takes no time."""

    def judge(numbers: Any) -> Finding:
        first, *others = (numbers[f"drawn {seed}"]["perplexity"] for seed in seeds)
        return Finding({"the first is best": first < min(others)}, f"{first:.3f}", "chance", "none", "none")

    parts = {f"drawn {seed}": partial(made_up_case.drawn, seed, n_words=50) for seed in seeds}
    return Item("made-up", "Nobody", "Figure 1", "The first is best.", "made up", parts, judge)


def test_two_measurements_cannot_have_one_name() -> None:
    one, other = made_up_item(), made_up_item()
    assert list(all_parts([one, other])) == [f"drawn {seed}" for seed in range(4)]
    other.parts["drawn 0"] = partial(made_up_case.drawn, 7, n_words=50)
    with pytest.raises(ValueError, match="'drawn 0'"):
        all_parts([one, other])


def test_verdicts_follow_the_numbers() -> None:
    for checks, verdict in (((True, True), HOLDS), ((True, False), IN_PART), ((False,), NOT)):
        finding = Finding({str(n): value for n, value in enumerate(checks)}, "7", "chance.", "2", "6")
        assert finding.verdict == verdict
    assert finding.judged == "**does not hold**: 0: no."
    assert shown([10.0, 12.0]) == "11 (spread 2, 2 seeds)"


def test_every_item_is_on_the_page_with_no_empty_row(tmp_path: Path) -> None:
    item = made_up_item()
    results = Results(tmp_path / "papers.json")
    for name, part in item.parts.items():
        results.keep(name, part, part(), 1.5, {})
    text = written([item], results)
    assert "1 rows: " in text
    assert "| 6 |" in text
    rows = [line.split("|")[2].strip() for line in text.split("## Nobody, Figure 1")[1].splitlines()[4:]]
    assert len(rows) == 7
    assert all(rows)


def test_an_item_that_is_not_measured_is_said(tmp_path: Path) -> None:
    assert "0 rows: " in (text := written([made_up_item()], Results(tmp_path / "papers.json")))
    assert "1 are not measured yet" in text


def test_every_paper_is_there() -> None:
    assert {item.paper for item in items()} == {"FTM", "iFTM", "FedLDA", "Zhao et al.", "PC-TD"}


def test_speech_rates_are_read_and_never_measured_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rates().keys() == {"librispeech", "flite"}
    monkeypatch.setattr(stored, "RESULTS", tmp_path)
    with pytest.raises(InputError, match="python -m benchmarks run speech"):
        rates()


def test_make_reproduce_measures_speech_before_the_papers_that_show_it() -> None:
    rule = (ROOT / "Makefile").read_text(encoding="utf-8").split("\nreproduce:")[1].split("\n\n")[0]
    assert "-m benchmarks run speech papers --fresh\n" in rule


def test_an_empty_row_is_refused() -> None:
    whole = Finding({"so": True}, "7 | 8", "because", "word replace 2", "6")
    assert "| measured | 7 \\| 8 |" in page([Row(made_up_item(), whole, "", 1.0)], 1, 1.0)
    with pytest.raises(ValueError, match="empty"):
        page([Row(made_up_item(), Finding({"so": True}, " ", "because", "2", "6"), "", 1.0)], 1, 1.0)
