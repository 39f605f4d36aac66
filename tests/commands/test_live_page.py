"""The secret in the address of a live page is told to its owner alone."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from fedtopics.commands import watching

ADDRESS = "http://127.0.0.1:8765/a-secret/"


def test_a_browser_is_not_started_with_the_secret(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[str] = []
    terminal = SimpleNamespace(isatty=lambda: True, flush=lambda: None)
    monkeypatch.setattr(watching, "sys", SimpleNamespace(stdout=terminal))
    monkeypatch.setattr(watching.webbrowser, "open", started.append)
    with watching.announced(ADDRESS):
        assert "a-secret" not in started[0]
        way = Path(urlsplit(started[0]).path)
        assert ADDRESS in way.read_text()
        assert (way.stat().st_mode | way.parent.stat().st_mode) & 0o077 == 0
    assert not way.parent.exists()
    assert ADDRESS in capsys.readouterr().out


def test_no_browser_is_started_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(watching.webbrowser, "open", started.append)
    with watching.announced(ADDRESS):
        assert started == []
