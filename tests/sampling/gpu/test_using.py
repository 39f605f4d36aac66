"""Which device is used, and that one which is not there is told before anything is done."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from sampling.gpu.played import PlayedGpu
from typer.testing import CliRunner

import fedtopics
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.sampling.gpu import device, using


def test_the_device_of_a_block_of_the_environment_and_of_nobody(fresh: pytest.MonkeyPatch) -> None:
    played = PlayedGpu()
    fresh.setattr(device, "_cuda", lambda: played)
    assert using.current(1) is None
    with using.using("cuda"):
        assert using.current(1) is played
        with using.using(None):
            assert using.current(1) is played
        with using.using("cpu"):
            assert using.current(1) is None
    with using.using("auto"):
        assert using.current(using.WORTH_IT) is played
        assert using.current(using.WORTH_IT - 1) is None
    fresh.setenv(using.VARIABLE, "cuda")
    assert using.current(1) is played
    with (
        pytest.raises(InputError, match="device must be one of cpu, cuda, auto, got 'gpu'"),
        using.using("gpu"),
    ):
        pass


def by_command(source: Path, name: str | None) -> None:
    given = [] if name is None else ["--device", name]
    CliRunner().invoke(app, ["train", str(source), "--method", "pooled", *given], catch_exceptions=False)


def in_python(source: Path, name: str | None) -> None:
    fedtopics.train(source, "pooled", device=name)


@pytest.mark.parametrize("train", [by_command, in_python])
@pytest.mark.parametrize("by_environment", [False, True])
def test_a_gpu_that_is_not_there_is_told_before_documents_are_read(
    fresh: pytest.MonkeyPatch,
    tmp_path: Path,
    train: Callable[[Path, str | None], None],
    by_environment: bool,
) -> None:
    fresh.setitem(sys.modules, "cupy", None)
    if by_environment:
        fresh.setenv(using.VARIABLE, "cuda")
    with pytest.raises(InputError, match="needs CuPy"):
        train(tmp_path / "not there.csv", None if by_environment else "cuda")
