"""Units for systemd: what they allow, checked by systemd itself where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest
from network import processes
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.network import service
from fedtopics.network.local import HUB
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


def test_each_command_writes_the_unit_of_its_own_kind_of_folder(tmp_path: Path) -> None:
    hub, office = (tmp_path / name for name in ("hub", "office"))
    for folder, key in ((hub, "ca.key"), (office, "party.key")):
        folder.mkdir()
        (folder / key).touch()
    command = ["federation", "party", "service"]
    for wrong, words in ((office, command[::2]), (hub, command)):
        other = "federation party service" if wrong == office else "federation service"
        with pytest.raises(InputError, match=f"for a .*: fedtopics {other}$"):
            CliRunner().invoke(app, [*words, str(wrong)], catch_exceptions=False)
    (office / "source.json").write_text(f'{{"source": "{office}/none.csv"}}')
    told = CliRunner().invoke(app, [*command, str(office), "--out", str(tmp_path / "office.service")])
    assert "written to" in told.stdout
    unit = (tmp_path / "office.service").read_text()
    assert unit.startswith(
        "# Made by `fedtopics federation party service`. Put it to /etc/systemd/system/fed"
    )
    assert "/fedtopics-office.service, then" in unit


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


# What a unit asks systemd for, as far as other tools can do it: a root that is read-only but for the folder,
# documents that are read-only, a temporary folder of its own, another user, no capabilities, no new ones.
SANDBOX = """
set -e
mount --bind "$1" "$1"
[ "$2" = "" ] || { mount --bind "$2" "$2"; mount -o remount,bind,ro "$2"; }
mount -o remount,bind,ro /
mount -t tmpfs tmpfs /var/tmp
export TMPDIR=/var/tmp
limits="--clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
user="$3"
shift 3
exec setpriv --reuid="$user" --regid="$user" $limits "$@"
"""


def reachable_user() -> str:
    """A user without rights that can start this Python; else root, who has none without capabilities."""
    again = "import subprocess, sys; subprocess.run([sys.executable, '-c', ''], check=True)"
    limits = ["--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
    command = ["setpriv", "--reuid=daemon", "--regid=daemon", *limits, sys.executable, "-c", again]
    return "daemon" if subprocess.run(command, capture_output=True, check=False).returncode == 0 else "root"


@pytest.mark.nightly
def test_a_run_needs_no_more_rights_than_a_unit_gives() -> None:
    if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("setpriv")):
        pytest.skip("mounts of their own need root, unshare and setpriv")
    folder = Path(mkdtemp(prefix="fedtopics-units-"))
    try:
        folder.chmod(0o755)
        names, user = ("north", "south"), reachable_user()
        with processes.founded(folder, names) as federation:
            own = ["unshare", "--mount", "--propagation", "private", "sh", "-c", SANDBOX, "sandbox"]
            for name in (HUB, *names):
                place = federation.folder / name
                documents = "" if name == HUB else str(place / "texts.jsonl")
                federation.prefixes = {**federation.prefixes, name: [*own, str(place), documents, user]}
            federation.folder.chmod(0o755)
            run = federation.hub.submit()
            for name in (HUB, *names):
                subprocess.run(["chown", "-R", f"{user}:", str(federation.folder / name)], check=True)
            federation.start()
            federation.wait(run, processes.PATIENCE)
            processes.check_undisturbed(federation, run, 40)
            written = {
                path.owner() for name in names for path in (federation.folder / name / "models").rglob("*")
            }
            assert written == {user}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
