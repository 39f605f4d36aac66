"""A federation before its first run and after it, to be lied in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from attacks.signed_runs import conducted, copied, founded_at
from network import guests

from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.joining import Joining
from fedtopics.network.plan import onboarding


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


@pytest.fixture(scope="module")
def federation(tmp_path_factory: pytest.TempPathFactory) -> LocalFederation:
    """One whose parties are yet to join, on a coordinator of its own."""
    return guests.founded(tmp_path_factory.mktemp("joining"))


@pytest.fixture
def invited(federation: LocalFederation, tmp_path: Path) -> Iterator[guests.Invited]:
    """Its coordinator, which lets guests in."""
    hub = federation.folder / HUB
    plan = (hub / "plan.toml").read_text()
    with guests.served(federation, tmp_path) as made:
        yield made
    (hub / "plan.toml").write_text(plan)
    made.guests.withdraw("north")
    shutil.rmtree(hub / onboarding.APPROVED / "north", ignore_errors=True)


@pytest.fixture
def north(invited: guests.Invited) -> Joining:
    """A party that has an invitation."""
    return invited.joining(invited.invite())
