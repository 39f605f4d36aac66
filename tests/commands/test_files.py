"""Commands live in files called as they are typed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from fedtopics.commands.application import app


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
    places = {".".join(["fedtopics.commands", *names]), ".".join(["fedtopics.commands", *names[:1]])}
    assert function.__module__ in places
    assert function.__name__ == names[-1]
