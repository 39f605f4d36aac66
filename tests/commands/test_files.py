"""Commands live in files called as they are typed, and help shows every one of them in a panel."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from reported import small_run
from typer.main import get_command
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.commands.old_names import MOVED

FOLDER = Path(import_module("fedtopics.commands").__path__[0])


def typed(command: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command by the words that are typed for it."""
    if hasattr(command, "commands"):
        for word, inner in command.commands.items():
            yield from typed(inner, *words, word)
    else:
        yield words, command


COMMANDS = dict(typed(get_command(app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_is_in_the_file_called_as_it_is_typed(words: tuple[str, ...]) -> None:
    names = [word.replace("-", "_") for word in words]
    function = COMMANDS[words].callback
    assert (function.__module__, function.__name__) == (".".join(["fedtopics.commands", *names]), names[-1])


def test_every_file_in_a_family_is_a_command() -> None:
    """A file that is not named in its family's panels could not be typed."""
    files = {path.relative_to(FOLDER).with_suffix("") for path in (FOLDER / "federation").rglob("*.py")}
    named = {Path(*(word.replace("-", "_") for word in words)) for words in COMMANDS}
    assert {path for path in files if path.name != "__init__"} <= named


@pytest.mark.parametrize("words", [(), ("federation",), ("federation", "run")], ids=" ".join)
def test_help_shows_every_command_once_in_the_order_of_the_panels(words: tuple[str, ...]) -> None:
    file = ".".join(["fedtopics.commands", *words]) if words else "fedtopics.commands.application"
    panels = import_module(file).PANELS
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    names = [name for listed in panels.values() for name in listed]
    assert sorted(names) == sorted(command.commands)
    shown = CliRunner().invoke(app, [*words, "--help"], terminal_width=80).output
    places = [shown.index(f"\n│ {name} ") for name in names]
    assert places == sorted(places)
    titles = [shown.index(f"╭─ {title} ") for title in panels]
    assert titles == sorted(titles)


@pytest.mark.parametrize(
    ("old", "now"),
    [
        (("privacy", "mechanisms", "--json"), ("mechanisms", "--json")),
        (("run", "status", "nowhere"), ("federation", "run", "status", "nowhere")),
        (("party", "forget", "--help"), ("federation", "party", "forget", "--help")),
        (("coordinator", "--help"), ("federation", "coordinator", "--help")),
        (("simulate", "--help"), ("federation", "simulate", "--help")),
    ],
)
def test_an_old_name_does_the_same_and_says_what_it_is_called_now(
    old: tuple[str, ...], now: tuple[str, ...]
) -> None:
    before, after = (CliRunner().invoke(app, [*words]) for words in (old, now))
    assert (before.exit_code, before.stdout, str(before.exception)) == (
        *(after.exit_code, after.stdout),
        str(after.exception),
    )
    (notice,) = before.stderr.removesuffix(after.stderr).splitlines()
    assert f"note: `fedtopics {old[0]}" in notice
    assert f"is now `fedtopics {now[0]}" in notice


def test_old_names_are_not_shown() -> None:
    shown = CliRunner().invoke(app, ["--help"], terminal_width=80).output
    assert [name for name in MOVED if f"│ {name} " in shown] == []
    assert CliRunner().invoke(app, ["privacy"]).stdout == shown
    assert CliRunner().invoke(app, ["nothing"]).exit_code == 2


def test_options_of_train_are_in_groups() -> None:
    shown = CliRunner().invoke(app, ["train", "--help"], terminal_width=80).output
    options = shown[shown.index("╭─ Arguments") :]
    panels = {each.split(" ", 1)[0]: each for each in options.split("╭─ ")}
    assert {"Options", "Method", "Privacy", "Documents", "Words", "Parties", "Cluster"} <= panels.keys()
    assert "--epsilon " in panels["Privacy"]
    assert "--party-column " in panels["Parties"]


def test_a_report_is_shown_where_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_run().save(tmp_path / "run")
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda address: bool(shown.append(address) or len(shown) < 2))
    asked = ["report", str(tmp_path / "run"), "--open"]
    assert CliRunner().invoke(app, asked[:-1]).exit_code == 0
    assert shown == []
    assert CliRunner().invoke(app, asked).exit_code == 0
    assert shown == [(tmp_path / "run" / "report.html").resolve().as_uri()]
    assert "open that file yourself" in str(CliRunner().invoke(app, asked).exception)
