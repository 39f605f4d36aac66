"""Signs of life of this process, and commands as they are typed."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.network import pulse


def beating(folder: Path, **facts: object) -> None:
    """A sign of life of this very process."""
    pulse.beat(folder, facts)


def typed(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output
