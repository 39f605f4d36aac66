"""The registry: every case can be run and is shown where it says; every result has a case that makes it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import ROOT, corpora, registry
from benchmarks.case import Case
from benchmarks.registry import cases, check_needs, find
from benchmarks.stored import RESULTS, results_of
from fedtopics import methods
from fedtopics.errors import InputError

EVERY = [pytest.param(case, id=name) for name, case in cases().items()]
FILES = sorted((ROOT / "benchmarks").rglob("*.py"))


@pytest.mark.parametrize("case", EVERY)
def test_a_case_says_what_it_is(case: Case) -> None:
    assert case.about
    assert "\n" not in case.about
    assert case.steps()
    assert case.minutes > 0
    assert case.sources
    assert [page for page in case.pages if not (ROOT / page).is_file()] == []
    assert [source for source in case.sources if not (ROOT / source).exists()] == []
    assert set(case.corpora) <= corpora.PATHS.keys()
    assert case.pages or not case.shows


@pytest.mark.parametrize("case", EVERY)
def test_a_method_in_variants_is_measured_with_all_its_parts(case: Case) -> None:
    folders = [Path("src/fedtopics/methods", name) for name in methods.names() if methods.variants(name)]
    assert [source for source in case.sources if Path(source).parent in folders] == []


def test_a_case_that_trains_topics_measures_the_methods() -> None:
    for name in ("speech", "leaderboard", "papers"):
        assert "src/fedtopics/methods" in find(name).sources


@pytest.mark.parametrize("case", EVERY)
def test_a_case_takes_about_as_long_as_it_says(case: Case) -> None:
    seconds = [step.get("seconds") for step in results_of(case).steps.values()]
    if seconds and None not in seconds:
        spent = sum(seconds) / 60  # type: ignore[arg-type]
        assert case.minutes <= max(1, 3 * spent)
        assert spent <= max(1, 3 * case.minutes)


def test_every_stored_result_has_a_case() -> None:
    assert {file.stem for file in RESULTS.iterdir()} <= cases().keys()
    assert {file.suffix for file in RESULTS.iterdir()} == {".json"}


@pytest.mark.parametrize("case", EVERY)
def test_every_stored_step_has_a_producer_and_an_origin(case: Case) -> None:
    steps, results = case.steps(), results_of(case)
    assert [name for name in results.steps if name not in steps or not results.has(name, steps[name])] == []
    for step in results.steps.values():
        origin = step["origin"]
        assert {"commit", "date", "version", "processor"} <= origin.keys()
        assert ("seeds" in origin) != ("recorded" in origin)  # git does not know the seeds of older ones


def test_an_unknown_case_is_refused_with_those_like_it() -> None:
    with pytest.raises(InputError, match="got 'qualty'; near it are quality"):
        find("qualty")


def test_missing_data_are_named_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "DATA", tmp_path)
    with pytest.raises(corpora.MissingDataError, match=r"quality reads uci_kos.*FEDTOPICS_DATA"):
        check_needs([find("quality")])


def test_missing_modules_are_named_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"latency needs tomotopy.*pip install 'fedtopics\[bench\]'"):
        check_needs([find("latency")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_short(path: Path) -> None:
    source = path.read_text()
    assert source.count("\n") <= 300
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 60, node.name


@pytest.mark.parametrize("n_lines", [1, 100_000])
def test_who_reads_may_have_seen_enough(n_lines: int) -> None:
    code = (
        "import sys; from benchmarks import __main__ as command;"
        f"command.show = lambda options: print({n_lines} * 'line\\n') or 0;"
        "sys.argv = ['benchmarks', 'list']; sys.exit(command.main())"
    )
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
