"""The runner: steps are stored one by one, whoever measures them, and a run that was stopped goes on."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import made_up_case
import pytest

import fedtopics
from benchmarks import __main__ as command
from benchmarks import corpora, registry, runner, stored
from benchmarks.case import Case
from benchmarks.corpora import MissingDataError
from fedtopics.errors import InputError

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stored, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(stored, "DRAFTS", tmp_path / "drafts")
    for name in runner.THREADS:
        monkeypatch.setenv(name, "1")
    return tmp_path / "results" / "made_up.json"


def values(case: Case) -> dict[str, float]:
    return {name: step["value"]["perplexity"] for name, step in stored.results_of(case).steps.items()}


def test_steps_are_measured_once(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = made_up_case.quick(timed=True)
    assert runner.run(case, only="drawn/1") == {}
    assert stored.values("made_up")["drawn"].keys() == {"1"}
    before = stored.results_of(case).steps["drawn/1"]
    assert runner.run(case) == {}
    assert stored.results_of(case).steps["drawn/1"] == before
    assert runner.run(case) == {}
    said = capsys.readouterr().out
    assert "made_up: 1 of 4 steps are stored, 3 to measure" in said
    assert "[3/3] drawn/3: " in said
    assert "made_up: 4 of 4 steps are stored, 0 to measure" in said


def test_any_number_of_workers_gives_the_same_numbers(results: Path) -> None:
    found = []
    for case, n_workers in ((made_up_case.quick(timed=True), 1), (made_up_case.quick(), 2)):
        assert runner.run(case, n_workers=n_workers) == {}
        found.append(dict(sorted(values(case).items())))
        results.unlink()
    assert found[0] == found[1]


def test_an_origin_is_stored_with_every_step() -> None:
    case = made_up_case.quick(timed=True, seeds=(0, 1, 2, 3))
    runner.run(case)
    for step in stored.results_of(case).steps.values():
        origin = step["origin"]
        assert origin["version"] == fedtopics.__version__
        assert origin["seeds"] == [0, 1, 2, 3]
        assert {"commit", "dirty", "processor", "cores", "system", "python", "numpy", "date"} <= origin.keys()
        assert origin["processor"]


def test_a_step_that_fails_is_named_and_the_others_are_kept() -> None:
    case = made_up_case.quick(
        steps=lambda: {"broken": made_up_case.broken} | made_up_case.steps(), timed=True
    )
    assert runner.run(case) == {"broken": "ValueError: no such corpus"}
    assert len(values(case)) == 4


def test_what_is_stored_stays_until_a_fresh_run_has_ended(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = made_up_case.quick(timed=True)
    runner.run(case)
    old = results.read_text()
    stopped(monkeypatch, case, after="drawn/1")
    assert results.read_text() == old
    draft = tmp_path / "drafts" / "made_up.json"
    assert json.loads(draft.read_text())["steps"].keys() == {"drawn/0", "drawn/1"}
    assert runner.run(case, fresh=True) == {}
    assert not draft.exists()
    assert json.loads(results.read_text())["steps"].keys() == case.steps().keys()
    assert results.read_text() != old


def test_steps_of_another_version_are_not_added_to(monkeypatch: pytest.MonkeyPatch) -> None:
    case = made_up_case.quick(timed=True)
    runner.run(case, only="drawn/1")
    monkeypatch.setattr(fedtopics, "__version__", "99.0")
    with pytest.raises(InputError, match="--fresh"):
        runner.run(case)


def stopped(patch: pytest.MonkeyPatch, case: Case, after: str) -> None:
    """A fresh run that is stopped when it has stored the step of this name."""
    keep = stored.Results.keep

    def stop(self: stored.Results, name: str, *given: object) -> None:
        keep(self, name, *given)  # type: ignore[arg-type]
        if name == after:
            raise KeyboardInterrupt

    with patch.context() as patched:
        patched.setattr(stored.Results, "keep", stop)
        with pytest.raises(KeyboardInterrupt):
            runner.run(case, fresh=True)


def test_some_steps_anew_replace_those_and_leave_a_fresh_run_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case, draft = made_up_case.quick(timed=True), tmp_path / "drafts" / "made_up.json"
    runner.run(case)
    old = stored.results_of(case).steps
    stopped(monkeypatch, case, after="drawn/1")
    begun = draft.read_text()
    assert runner.run(case, fresh=True, only="drawn/3") == {}
    assert "0 of 1 steps are stored, 1 to measure anew" in capsys.readouterr().out
    new = stored.results_of(case).steps
    assert [name for name in old if new[name] != old[name]] == ["drawn/3"]
    assert draft.read_text() == begun


def test_some_steps_anew_do_not_mix_versions(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = made_up_case.quick(timed=True)
    runner.run(case)
    old = results.read_text()
    monkeypatch.setattr(fedtopics, "__version__", "99.0")
    with pytest.raises(InputError, match="--fresh without --only"):
        runner.run(case, fresh=True, only="drawn/1")
    assert results.read_text() == old


def test_processes_that_a_step_starts_count() -> None:
    case = made_up_case.quick(steps=lambda: {"busy": made_up_case.busy_elsewhere}, timed=True)
    assert runner.run(case) == {}
    assert stored.results_of(case).steps["busy"]["seconds"] >= 0.5


STOPPED = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in what a shell runs behind
import sys
from pathlib import Path
sys.path[:0] = [{root!r}, {here!r}]
if __name__ == "__main__":
    import made_up_case
    from benchmarks import runner, stored
    from benchmarks.case import Case
    stored.RESULTS = Path({results!r})
    runner.run(Case("made_up", "", made_up_case.slow, measures=(), minutes=1), n_workers={n_workers})
"""


@pytest.mark.parametrize(("n_workers", "stop"), [(1, signal.SIGKILL), (2, signal.SIGINT)])
def test_a_run_that_is_killed_keeps_what_was_measured(
    n_workers: int, stop: signal.Signals, results: Path, tmp_path: Path
) -> None:
    script = tmp_path / "stopped.py"
    script.write_text(
        STOPPED.format(
            root=str(ROOT), here=str(ROOT / "tests"), results=str(results.parent), n_workers=n_workers
        )
    )
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, str(script)], stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as running:
        try:
            while not results.exists() and time.monotonic() - began < 120:
                time.sleep(0.05)
            os.killpg(running.pid, stop)
            running.communicate(timeout=50)
        finally:
            running.kill()
    case = Case("made_up", "", made_up_case.slow, measures=(), minutes=1)
    assert stored.results_of(case).steps.keys() == {"quick"}
    missing = [name for name, step in case.steps().items() if not stored.results_of(case).has(name, step)]
    assert missing == ["slow"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "made_upp"], "error: expected a case .* near it are made_up"),
        (["run", "made_up", "--workers", "0"], "error: expected at least 1 worker, got 0"),
        (["run", "made_up"], "error: made_up reads uci_kos, .* FEDTOPICS_DATA"),
        (["run", "made_up", "--only", "darwn"], "error: expected a part .* of made_up, got --only 'darwn'"),
        (["run", "made_up", "--only", "drawn"], "error: this reads uci_kos, .* FEDTOPICS_DATA"),
    ],
)
def test_bad_commands_and_missing_data_end_with_status_2(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unread() -> None:
        raise MissingDataError("this reads uci_kos, which is not there; set FEDTOPICS_DATA")

    case = Case("made_up", "", lambda: {"drawn": unread}, (), 1, corpora=("kos",), timed=True)
    monkeypatch.setattr(registry, "cases", lambda: {"made_up": case})
    monkeypatch.setattr(corpora, "DATA", Path("/nowhere"))
    monkeypatch.setattr(sys, "argv", ["benchmarks", *words])
    kept = {stop: signal.getsignal(stop) for stop in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert command.main() == 2
    finally:
        for stop, handler in kept.items():
            signal.signal(stop, handler)
    said = capsys.readouterr().err
    assert re.match(message, said), said
