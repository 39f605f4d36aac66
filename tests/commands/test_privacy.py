"""`fedtopics privacy explain`, as a user meets it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from fedtopics.cli import app


def explained(*arguments: str) -> dict[str, Any]:
    """What the command says, as data."""
    result = CliRunner().invoke(app, ["privacy", "explain", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_promise_is_stated_at_the_methods_own_delta() -> None:
    word = explained("pctd", "--epsilon", "8")["statements"][0]
    assert word["delta"] == 1e-5
    assert word["epsilon"] == pytest.approx(8.0, abs=1e-3)
    asked = explained("pctd", "--epsilon", "8", "--delta", "1e-6")["statements"][0]
    assert asked["epsilon"] > word["epsilon"]
    assert asked["delta"] == 1e-6
