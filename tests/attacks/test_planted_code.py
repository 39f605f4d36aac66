"""Files in the folder where an operator types a command are never run as code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fedtopics.network import keeper
from fedtopics.network.keeper import Kept


def test_no_code_is_taken_from_the_folder_in_which_a_worker_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "received"
    planted.mkdir()
    for name in ("cryptography", "numpy", "json", "fedtopics"):
        (planted / f"{name}.py").write_text(f"open({str(tmp_path / 'PWNED')!r}, 'w')")
    started: list[list[str]] = []
    real = subprocess.Popen

    def start(command: list[str], **options: object) -> subprocess.Popen[bytes]:
        started.append(command)
        return real(command, cwd=planted, stderr=subprocess.DEVNULL, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(keeper.subprocess, "Popen", start)
    with Kept("party", tmp_path) as worker:
        assert worker._process is not None
        worker._process.wait(30)  # there is no party in this folder: it ends at once
    assert started[0][:2] == [sys.executable, "-P"]
    assert not (tmp_path / "PWNED").exists()
