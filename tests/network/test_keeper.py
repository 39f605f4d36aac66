"""Logs of processes that are kept alive have a bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from fedtopics.network.coordinator.folder import MOST_LOG, CoordinatorFolder


def test_the_log_of_a_run_has_a_bound(hub: Path) -> None:
    run = CoordinatorFolder(hub).submit()
    for number in range(45):
        run.log(f"{number} " + "x" * 2**19)
    kept = [path.stat().st_size for path in run.path.glob("log*.txt")]
    assert len(kept) == 2
    assert max(kept) <= MOST_LOG + 2**20
    assert run.lines()[-1].split()[2] == "44"


def test_the_coordinators_log_is_kept_in_files_of_bounded_size(
    hub: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import logging

    from fedtopics.network import keeper

    monkeypatch.setattr(keeper, "MOST_BYTES", 1000)
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        keeper.keep_log(hub, keeper.COORDINATOR_LOG)
        for number in range(200):
            keeper.say_and_log(f"line {number} of the coordinator")
        for handler in root.handlers:
            handler.close()
    finally:
        root.handlers[:], root.level = handlers, level
    kept = list(hub.glob(f"{keeper.COORDINATOR_LOG}*"))
    assert len(kept) == 1 + keeper.N_FILES
    assert sum(path.stat().st_size for path in kept) <= 1000 * len(kept)
    assert "line 199" in (hub / keeper.COORDINATOR_LOG).read_text()
    assert "line 0 " in capsys.readouterr().out
