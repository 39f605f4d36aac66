"""The README is short, and its example prints what it says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_stands_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ((code, printed),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()) as told:
        exec(compile(code, "README", "exec"), {})
    assert told.getvalue() == printed
    assert "report.html" in {path.name for path in tmp_path.iterdir()}


def test_a_newcomer_needs_five_commands_at_most() -> None:
    (commands,) = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    typed = commands.strip().splitlines()
    assert all(line.startswith("$ ") for line in typed)
    assert len(typed) <= 4  # and a clone
    assert "letters.csv" in typed[-1]


def test_it_is_short_and_names_the_two_commands() -> None:
    assert len(README.splitlines()) <= 80
    assert "`make demo`" in README
    assert "`make check`" in README
