"""The reproduction's machinery: results are kept part by part, those of another version are refused."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fedtopics
from fedtopics.errors import InputError

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "reproduction"]:
        del sys.modules[name]


def test_a_part_is_measured_once_and_found_again(tmp_path: Path) -> None:
    from reproduction.results import Kept, UnmeasuredError

    asked: list[str] = []

    def measure() -> dict[str, float]:
        asked.append("once")
        return {"perplexity": 7.5}

    assert Kept(tmp_path, "item")("part", measure) == {"perplexity": 7.5}
    again = Kept(tmp_path, "item")
    assert again("part", measure) == {"perplexity": 7.5}
    assert asked == ["once"]
    with pytest.raises(KeyboardInterrupt):
        again("stopped", _interrupt)
    assert Kept(tmp_path, "item").parts == {"part": {"perplexity": 7.5}}
    with pytest.raises(UnmeasuredError, match="stopped"):
        Kept(tmp_path, "item", measuring=False)("stopped", measure)


def _interrupt() -> None:
    raise KeyboardInterrupt


def test_results_of_another_version_are_refused_and_left_alone(tmp_path: Path) -> None:
    from reproduction.results import Kept

    file = tmp_path / "item.json"
    old = json.dumps({"version": "0.0.1", "seconds": 1, "parts": {"part": 3}})
    file.write_text(old)
    with pytest.raises(
        InputError, match=f"fedtopics {fedtopics.__version__}, got those of 0.0.1 in .*item.json"
    ):
        Kept(tmp_path, "item")
    assert file.read_text() == old
    for damaged in ("[]", "{"):
        file.write_text(damaged)
        with pytest.raises(InputError, match="move it away"):
            Kept(tmp_path, "item")
        assert file.read_text() == damaged


def test_verdicts_follow_the_numbers() -> None:
    from reproduction.items import HOLDS, IN_PART, NOT, shown, verdict

    assert (verdict(True, True), verdict(True, False), verdict(False)) == (HOLDS, IN_PART, NOT)
    assert shown([10.0, 12.0]) == "11 (spread 2, 2 seeds)"


def test_the_page_has_a_section_per_item_and_refuses_an_empty_row() -> None:
    from reproduction.items import Finding, Item
    from reproduction.page import page

    item = Item("a-1", "A", "Figure 1", "it works", "ours", lambda kept: {}, lambda parts: finding)
    finding = Finding("holds", "7 | 8", "because", "word replace 2", "6")
    text = page([(item, finding, "reproduction/a-1.svg")], 60.0)
    assert "1 rows: 1 holds, 0 holds in part, 0 does not hold" in text
    assert "| measured | 7 \\| 8 |" in text
    assert "](reproduction/a-1.svg)" in text
    with pytest.raises(ValueError, match="empty"):
        page([(item, Finding("holds", "7", "", "2", "6"), "")], 1.0)
