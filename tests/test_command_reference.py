"""The reference of the command line names every command and option, each with what it means."""

from __future__ import annotations

import pytest
from typer.main import get_command

from fedtopics.commands.application import app
from tools.command_reference import commands, options, reference

EVERY = dict(commands(get_command(app)))
PAGE = reference()


@pytest.mark.parametrize("name", EVERY)
def test_every_command_has_a_section_that_says_what_it_does(name: str) -> None:
    assert f"# {name}\n" in PAGE
    assert len(EVERY[name].help or "") > 10


@pytest.mark.parametrize(
    "name", [name for name, command in EVERY.items() if not hasattr(command, "commands")]
)
def test_every_option_is_listed_with_its_meaning(name: str) -> None:
    section = PAGE.partition(f"# {name}\n")[2].partition("\n## ")[0]
    for option in options(EVERY[name]):
        assert option.help, f"{name}: {option.name}"
        if option.param_type_name == "option":
            assert f"`{max(option.opts, key=len)}`" in section


def test_hidden_commands_are_not_shown() -> None:
    shown = get_command(app).commands  # type: ignore[attr-defined]
    assert [
        name for name, command in shown.items() if command.hidden and f"# fedtopics {name}\n" in PAGE
    ] == []
