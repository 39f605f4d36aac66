"""Units for systemd: what they allow, checked by systemd itself where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fedtopics.errors import InputError
from fedtopics.network import service
from fedtopics.network.service import Service

ANALYZE = shutil.which("systemd-analyze")
needs_systemd = pytest.mark.skipif(
    ANALYZE is None, reason="systemd-analyze is not installed: apt-get install systemd"
)
LINES = (
    *(
        "ProtectSystem=strict",
        "NoNewPrivileges=yes",
        "PrivateTmp=yes",
        "CapabilityBoundingSet=",
        "UMask=0077",
    ),
    *("SystemCallFilter=@system-service", "RestrictNamespaces=yes", "Restart=always", "User=fedtopics"),
)


@pytest.fixture(autouse=True)
def _lasting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "TEMPORARY", ())


def party(folder: Path) -> Service:
    folder.mkdir(exist_ok=True)
    (folder / "letters.csv").touch()
    documents, metrics = folder / "letters.csv", folder / "metrics" / "party.prom"
    return Service("party", folder, "fedtopics-office", "fedtopics", documents, metrics)


def test_a_unit_writes_to_its_folder_alone_and_reads_documents(tmp_path: Path) -> None:
    unit = party(tmp_path / "office").unit().splitlines()
    assert set(LINES) <= set(unit)
    office = tmp_path / "office"
    assert f"ReadWritePaths={office} {office / 'metrics'}" in unit
    assert f"ReadOnlyPaths={office / 'letters.csv'}" in unit
    assert "SocketBindDeny=any" in unit
    assert not any("SocketBindAllow" in line for line in unit)
    hub = Service("coordinator", tmp_path, "fedtopics-hub", "fedtopics", port=8002).unit().splitlines()
    assert {"SocketBindAllow=tcp:8002", "SocketBindDeny=any"} <= set(hub)


@needs_systemd
def test_systemd_takes_the_units_and_finds_little_exposed(tmp_path: Path) -> None:
    made = {
        "office": party(tmp_path / "office"),
        "hub": Service("coordinator", tmp_path, "hub", "root", port=8002),
    }
    for name, each in made.items():
        path = tmp_path / f"{name}.service"
        path.write_text(each.unit().replace("User=fedtopics", "User=daemon"))
        checked = subprocess.run(
            [str(ANALYZE), "verify", str(path)], capture_output=True, text=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")
        command = [str(ANALYZE), "security", "--offline=yes", "--no-pager", str(path)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        exposure = re.search(r"Overall exposure level for \S+: ([0-9.]+)", told)
        assert exposure
        assert float(exposure[1]) < 2


@pytest.mark.parametrize("name", ["a b", 'a"b', "a%b", "a$b", "a\nb"])
def test_names_that_would_say_something_else_in_a_unit_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="without spaces and quotes"):
        Service("party", tmp_path, name, "fedtopics").unit()
    with pytest.raises(InputError, match="without spaces and quotes"):
        Service("party", tmp_path / name, "office", "fedtopics").unit()


def test_a_folder_that_a_restart_empties_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "TEMPORARY", (str(tmp_path),))
    with pytest.raises(InputError, match="outlives a restart"):
        party(tmp_path / "office").unit()
