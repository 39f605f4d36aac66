"""A federation whose parties are approved, and a copy of it to change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from network.approved import approved

from fedtopics.network.plan import certificates, onboarding


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A federation of two parties, of which north has been approved; key pairs take a while."""
    folder = tmp_path_factory.mktemp("federation")
    plan = approved(folder, address="hub.example.org:8002", n_rounds=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certificates, "KEY_BITS", 2048)
        onboarding.request(folder / "other", "north")
        onboarding.establish(folder / "stranger", plan, folder / "list.txt")
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"
