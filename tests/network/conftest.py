"""A federation of two parties before its first run, and copies of their folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from network import processes

from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.folder import PartyFolder


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> LocalFederation:
    made = processes.founded(tmp_path_factory.mktemp("health"), ("north", "south"))
    place = made.folder / "north"
    PartyFolder(place).note_source(str(place / "texts.jsonl"), {})
    return made


@pytest.fixture
def north(federation: LocalFederation, tmp_path: Path) -> Path:
    shutil.copytree(federation.folder / "north", tmp_path / "north")
    return tmp_path / "north"


@pytest.fixture
def hub(federation: LocalFederation, tmp_path: Path) -> Path:
    shutil.copytree(federation.folder / HUB, tmp_path / "hub")
    return tmp_path / "hub"
