"""A federation before its first run and after it, to be lied in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attacks.signed_runs import conducted, copied, founded_at


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two parties that have accepted a plan; nothing has run yet."""
    return founded_at(tmp_path_factory.mktemp("federation"))


@pytest.fixture
def here(founded: Path, tmp_path: Path) -> Path:
    """A copy of it in which something will run."""
    return copied(founded, tmp_path / "copy")


@pytest.fixture(scope="session")
def after(founded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The federation after one honest run."""
    folder = copied(founded, tmp_path_factory.mktemp("after") / "copy")
    conducted(folder)
    return folder


@pytest.fixture
def done(after: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    shutil.copytree(after, tmp_path / "copy")
    return tmp_path / "copy"
