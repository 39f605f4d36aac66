"""`fedtopics monitor` and `fedtopics attack`, as a user meets them."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fedtopics.audit import listener
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.protocol.method import Method

WORDS = ["tax law court judge vote", "ship sea trade port tariff", "school child teach book read"]


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    path = tmp_path / "letters.jsonl"
    rows = [{"text": " ".join([WORDS[i % 3]] * 2)} for i in range(30)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_monitor_says_what_it_is_and_draws(letters: Path, tmp_path: Path) -> None:
    plot = tmp_path / "monitor.svg"
    arguments = ["monitor", str(letters), "--topics", "3", "--sweeps", "6", "--plot", str(plot)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "a diagnostic, not a guarantee" in " ".join(result.output.split())
    assert "One draw lost epsilon" in result.output
    assert plot.read_text().startswith("<svg")
    assert plot.read_text().count("level: a diagnostic, not a guarantee</text>") == 2
    again = CliRunner().invoke(app, arguments)
    assert isinstance(again.exception, InputError)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "missing/plot.svg",
            "--plot needs a folder that exists, got .*plot.svg; make .*missing first",
        ),
        ("plot.png", "--plot writes a .svg file, got .*plot.png"),
    ],
)
@pytest.mark.parametrize("command", ["monitor", "select-topics"])
def test_a_plot_that_cannot_be_written_is_refused_before_training(
    command: str, name: str, message: str, tmp_path: Path
) -> None:
    asked = [command, str(tmp_path / "not-even-read.jsonl"), "--plot", str(tmp_path / name)]
    result = CliRunner().invoke(app, asked)
    assert isinstance(result.exception, InputError)
    assert re.search(message, str(result.exception))


def test_monitor_prints_json(letters: Path) -> None:
    result = CliRunner().invoke(app, ["monitor", str(letters), "--topics", "3", "--sweeps", "4", "--json"])
    found = json.loads(result.output)
    assert {len(values) for values in found["readings"].values()} == {4}
    assert "not a guarantee" in found["note"]


def test_attack_compares_every_local_method(letters: Path) -> None:
    result = CliRunner().invoke(
        app, ["attack", str(letters), "--topics", "3", "--rounds", "4", "--users", "20", "--json"]
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    rows = found["attacks"]
    assert (found["rounds"], found["users"]) == (4, 20)
    assert {(row["method"], row["variant"]) for row in rows} == {
        (method, variant) for method in ("fedlda", "lplda") for variant in ("paper", "sound")
    }
    assert all(0 <= row["recall"] <= 1 for row in rows)
    assert all(row["n_named"] or not row["precision"] for row in rows)


def test_attack_shows_each_note_once_with_its_methods_and_no_precision_of_nothing(
    letters: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Users who report through much noise, of whom nothing can be named."""
    paper = [("fedlda", {"variant": "paper", "channel": name, "epsilon": 7.5}) for name in ("rrp", "krr")]
    sound = ("lplda", {"variant": "sound", "epsilon": 0.01})
    monkeypatch.setattr(listener, "local_methods", lambda: [*paper, sound])
    monkeypatch.setattr(listener, "TYPICAL_WORDS", 1e-3)  # a listener who expects no word
    monkeypatch.setattr(listener, "listen", warned(listener.listen))
    result = CliRunner().invoke(
        app, ["attack", str(letters), "--topics", "3", "--rounds", "2", "--users", "20"]
    )
    shown = " ".join(result.stdout.split())
    assert shown.count("not locally differentially private") == 1
    assert "fedlda paper rrp, fedlda paper krr: FedLDA as printed" in shown
    assert "lplda sound bits: heard LpLda" in shown
    assert "largest expected recall" in shown
    line = next(line for line in result.stdout.splitlines() if "lplda" in line)
    assert line.split()[6] == "–"
    assert not caplog.records


def warned(listen: Callable[..., Any]) -> Callable[..., Any]:
    """The listener, with a warning about each method."""

    def listening_and_warning(method: Method, *given: Any, **named: Any) -> Any:
        logging.getLogger("fedtopics.network").warning("heard %s", type(method).__name__)
        return listen(method, *given, **named)

    return listening_and_warning
