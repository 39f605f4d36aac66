"""The reproduction's machinery: parts are kept one by one, whoever measures them, and no row is empty."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import fedtopics
from fedtopics.errors import InputError

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MADE_UP = """
import time
import numpy as np

def drawn(seed, n_words):
    return {"perplexity": float(np.random.default_rng(seed).random((n_words, n_words)).sum())}

def slow(seconds):
    time.sleep(seconds)
    return seconds

def broken():
    raise ValueError("no such corpus")
"""


@pytest.fixture(autouse=True)
def _found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    (tmp_path / "made_up.py").write_text(MADE_UP)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in ("reproduction", "made_up")]:
        del sys.modules[name]


def made_up_item(seeds: range = range(4)) -> Any:
    """A figure that takes no time."""
    import made_up  # type: ignore[import-not-found]
    from reproduction.items import Finding, Item

    def judge(numbers: Any) -> Finding:
        first, *others = (numbers[f"drawn {seed}"]["perplexity"] for seed in seeds)
        return Finding({"the first is best": first < min(others)}, f"{first:.3f}", "chance", "none", "none")

    parts = {f"drawn {seed}": partial(made_up.drawn, seed, n_words=50) for seed in seeds}
    return Item("made-up", "Nobody", "Figure 1", "The first is best.", "made up", parts, judge)


def results_of(folder: Path, item: Any) -> Any:
    from reproduction.results import Results

    return Results(folder, item.parts)


def test_a_part_is_measured_once_and_found_again(tmp_path: Path) -> None:
    item = made_up_item()
    results = results_of(tmp_path / "kept", item)
    results.keep("drawn 1", {"perplexity": 7.5}, 2.0)
    again = results_of(tmp_path / "kept", item)
    assert again.values({"drawn 1": None}) == {"drawn 1": {"perplexity": 7.5}}
    assert again.measured["drawn 1"].seconds == 2.0
    assert not list((tmp_path / "kept").glob("*.draft"))


def test_any_number_of_workers_gives_the_same_numbers_and_resumes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from reproduction.measuring import measure

    item = made_up_item()
    found = []
    for n_workers in (1, 2):
        results = results_of(tmp_path / str(n_workers), item)
        results.keep("drawn 3", {"perplexity": 1.0}, 0.0)  # from a run that was stopped
        names = [name for name in item.parts if name not in results.measured]
        assert measure(names, results, n_workers, {}) == {}
        found.append(results_of(tmp_path / str(n_workers), item).values(item.parts))
    assert found[0] == found[1]
    assert found[0]["drawn 3"] == {"perplexity": 1.0}
    assert "[3/3] " in capsys.readouterr().out


def test_a_part_that_fails_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    import made_up
    from reproduction.measuring import measure

    item = made_up_item()
    item.parts["broken"] = made_up.broken
    results = results_of(tmp_path / "kept", item)
    failed = measure(["broken", "drawn 0"], results, 1, {})
    assert failed == {"broken": "ValueError: no such corpus"}
    assert results_of(tmp_path / "kept", item).measured.keys() == {"drawn 0"}


def test_ctrl_c_stops_at_once_and_keeps_what_was_measured(tmp_path: Path) -> None:
    program = f"""
import sys
sys.path[:0] = [{str(tmp_path)!r}, {str(BENCHMARKS)!r}]
from functools import partial
from pathlib import Path
if __name__ == "__main__":
    import made_up
    from reproduction.measuring import measure
    from reproduction.results import Results
    parts = {{"quick": partial(made_up.drawn, 0, 5), "slow": partial(made_up.slow, 60)}}
    try:
        measure(list(parts), Results(Path({str(tmp_path / "kept")!r}), parts), 2, {{"slow": 60.0}})
    except KeyboardInterrupt:
        sys.exit("stopped")
"""
    script = tmp_path / "stopped.py"
    script.write_text(program)
    began = time.monotonic()
    with subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE, text=True) as running:
        try:
            while not (tmp_path / "kept" / "quick.json").exists() and time.monotonic() - began < 120:
                time.sleep(0.05)
            os.kill(running.pid, signal.SIGINT)
            _, said = running.communicate(timeout=50)
        finally:
            running.kill()
    assert said.strip() == "stopped"
    assert [file.name for file in (tmp_path / "kept").iterdir()] == ["quick.json"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"version": "0.0.1"}, f"fedtopics {fedtopics.__version__}, got one of 0.0.1 in .*drawn-0.json"),
        ({"recipe": "made_up.drawn(0, n_words=9)"}, r"n_words=50\), got one of made_up.drawn\(0, n_words=9"),
        ({"value": None, "seconds": None, "recipe": None}, "move it away"),
    ],
)
def test_results_of_another_version_are_refused_and_left_alone(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    item = made_up_item()
    results_of(tmp_path, item).keep("drawn 0", 3, 1.0)
    file = tmp_path / "drawn-0.json"
    old = json.dumps(json.loads(file.read_text()) | changed)
    file.write_text(old)
    with pytest.raises(InputError, match=message):
        results_of(tmp_path, item)
    assert file.read_text() == old


@pytest.mark.parametrize("damaged", ["[]", "{", "{}"])
def test_a_damaged_result_is_refused_and_left_alone(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "drawn-0.json").write_text(damaged)
    with pytest.raises(InputError, match="move it away"):
        results_of(tmp_path, made_up_item())
    assert (tmp_path / "drawn-0.json").read_text() == damaged


def test_two_measurements_cannot_have_one_name() -> None:
    from reproduction import all_parts

    one, other = made_up_item(), made_up_item()
    assert list(all_parts([one, other])) == [f"drawn {seed}" for seed in range(4)]
    other.parts["drawn 0"] = partial(other.parts["drawn 0"].func, 7, n_words=50)
    with pytest.raises(ValueError, match="'drawn 0'"):
        all_parts([one, other])


def test_verdicts_follow_the_numbers() -> None:
    from reproduction.items import HOLDS, IN_PART, NOT, Finding, shown

    for checks, verdict in (((True, True), HOLDS), ((True, False), IN_PART), ((False,), NOT)):
        finding = Finding({str(n): value for n, value in enumerate(checks)}, "7", "chance.", "2", "6")
        assert finding.verdict == verdict
    assert finding.judged == "**does not hold**: 0: no."
    assert shown([10.0, 12.0]) == "11 (spread 2, 2 seeds)"


def test_every_item_is_on_the_page_with_no_empty_row(tmp_path: Path) -> None:
    from reproduce import run, written  # type: ignore[import-not-found]

    item = made_up_item()
    results = results_of(tmp_path / "kept", item)
    assert run([item], results, 1, tmp_path) == 0
    assert written([item], results, tmp_path).endswith("1 of 1 rows")
    text = (tmp_path / "reproduction.md").read_text()
    assert "1 rows: " in text
    rows = [line.split("|")[2].strip() for line in text.split("## Nobody, Figure 1")[1].splitlines()[4:]]
    assert len(rows) == 7
    assert all(rows)
    numbers = json.loads((tmp_path / "reproduction" / "numbers.json").read_text())
    assert numbers["items"]["made-up"]["parts"] == list(item.parts)
    assert numbers["parts"]["drawn 0"]["recipe"] == "made_up.drawn(0, n_words=50)"


def test_an_empty_row_is_refused() -> None:
    from reproduction.items import Finding
    from reproduction.page import Row, page

    whole = Finding({"so": True}, "7 | 8", "because", "word replace 2", "6")
    assert "| measured | 7 \\| 8 |" in page([Row(made_up_item(), whole, "", 1.0)], 1, 1.0)
    with pytest.raises(ValueError, match="empty"):
        page([Row(made_up_item(), Finding({"so": True}, " ", "because", "2", "6"), "", 1.0)], 1, 1.0)
