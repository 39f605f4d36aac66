"""What monitors and operators are told of a participant: levels, exit codes, numbers, and what to do."""

from __future__ import annotations

import json
import re
import shutil
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from network import processes
from network.signs import beating, typed
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.network import health, pulse
from fedtopics.network.coordinator.desk import Desk
from fedtopics.network.coordinator.door import Door
from fedtopics.network.coordinator.folder import CoordinatorFolder
from fedtopics.network.coordinator.health import CoordinatorHealth
from fedtopics.network.coordinator.server import Server
from fedtopics.network.health import Finding
from fedtopics.network.local import HUB, LocalFederation
from fedtopics.network.party.health import PartyHealth
from fedtopics.network.plan import onboarding
from fedtopics.network.pulse import Pulse


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {found.about: found for found in findings}


def test_a_party_that_is_well_is_ok_and_one_that_does_not_run_is_critical(north: Path) -> None:
    status, told = typed("federation", "party", "status", north)
    assert status == 2
    assert "critical  process      it does not run; start it: fedtopics federation party start" in told
    beating(north, connected=True, contact=time.time(), skew=0.0, answers=7)
    status, told = typed("federation", "party", "status", north, "--json")
    found = json.loads(told)
    assert (status, found["level"], found["connected"], found["answers"]) == (0, "ok", True, 7)
    assert found["budget"][0]["spent"] == 0
    assert "topical" not in told


def test_a_party_that_has_lost_its_coordinator_is_first_a_warning(north: Path) -> None:
    beating(north, connected=False, contact=time.time() - 5, trouble="the connection was lost")
    status, told = typed("federation", "party", "status", north)
    assert status == 1
    assert "warning   connection   no coordinator: the connection was lost" in told
    beating(north, connected=False, contact=time.time() - 700, trouble="the connection was lost")
    assert typed("federation", "party", "status", north)[0] == 2


def test_a_worker_that_gives_no_sign_is_not_alive(north: Path) -> None:
    beating(north, connected=True)
    assert pulse.is_alive(pulse.last(north))
    told = json.loads((north / pulse.FILE).read_text())
    (north / pulse.FILE).write_text(json.dumps(told | {"time": time.time() - pulse.SILENT - 1}))
    assert not pulse.is_alive(pulse.last(north))
    (north / pulse.FILE).write_text(json.dumps(told | {"pid": 2**22 + 1}))
    assert not pulse.is_alive(pulse.last(north))
    (north / pulse.FILE).write_text("nonsense")
    assert pulse.last(north) == {}


def test_signs_are_given_while_a_worker_computes(north: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "BEAT", 0.05)
    made = Pulse(north, dict)
    made.start()
    processes.until(lambda: (north / pulse.FILE).is_file(), "the first sign", 5)
    made.note(connected=True, skew=1.0)
    processes.until(lambda: pulse.last(north).get("connected") is True, "the change", 5)


@pytest.mark.parametrize(
    ("file", "old", "new", "about", "level"),
    [
        ("plan.toml", "n_rounds = 40", "n_rounds = 39", "plan", "critical"),
        ("policy.toml", "max_rounds = 40", "max_rounds = 39", "policy", "critical"),
        ("policy.toml", "epsilon = 800.0", "epsilon = 0.1", "budget", "warning"),
        ("store/ledger.jsonl", '"party"', '"partx"', "ledger", "critical"),
    ],
)
def test_what_is_wrong_with_a_party_is_named_with_what_to_do(
    north: Path, file: str, old: str, new: str, about: str, level: str
) -> None:
    path = north / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    found = by_name(PartyHealth(north).findings())[about]
    assert found.level == level
    assert found.to_do


def test_a_certificate_is_warned_of_thirty_days_ahead(north: Path) -> None:
    now = datetime.now(UTC)
    ages = {31: "warning", 29: "warning", 30 + 2: "ok", -1: "critical"}
    for days, level in {**ages, 31: "ok"}.items():
        at = now + timedelta(days=730 - days)
        assert health.lifetime("certificate", north / "party.crt", "renew it", at).level == level, days
    early = health.lifetime("certificate", north / "party.crt", "renew it", now - timedelta(days=3))
    assert "check the clock" in early.to_do
    (north / "party.crt").write_text("nothing")
    assert health.lifetime("certificate", north / "party.crt", "renew it").level == "critical"


@pytest.mark.parametrize(
    ("skew", "level"), [(0.0, "ok"), (20.0, "ok"), (-45.0, "warning"), (61.0, "critical")]
)
def test_a_clock_that_differs_is_told_before_it_is_refused(skew: float, level: str) -> None:
    assert health.clock(skew).level == level


def test_keys_that_others_can_read_are_critical(north: Path) -> None:
    assert by_name(PartyHealth(north).diagnosis())["permissions"].level == "ok"
    (north / "party.key").chmod(0o640)
    found = by_name(PartyHealth(north).diagnosis())["permissions"]
    assert (found.level, found.to_do) == ("critical", f"chmod 600 {north / 'party.key'}")


def test_little_room_is_told(north: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for free, level in ((2**31, "ok"), (2**29, "warning"), (2**20, "critical")):
        usage = shutil._ntuple_diskusage(2**40, 2**39, free)
        monkeypatch.setattr(shutil, "disk_usage", lambda path, usage=usage: usage)
        assert health.room(north).level == level


def test_the_doctor_of_a_party_knocks_at_the_port(federation: LocalFederation, north: Path) -> None:
    """Reached, let in, clock and version; then revoked; then nobody there."""
    hub = federation.folder / HUB
    with Server(federation.hub.plan.port, federation.hub.credentials, Door(hub), Desk(), lambda line: None):
        found = by_name(PartyHealth(north).diagnosis())
        assert {found[name].level for name in ("port", "clock", "version", "chain", "documents")} == {"ok"}
        assert "lets this party in" in found["port"].told
        assert "40 documents" in found["documents"].told
        kept = onboarding.revoke(hub, "north")
        try:
            refused = by_name(PartyHealth(north).diagnosis())["port"]
        finally:
            kept.rename(hub / onboarding.APPROVED / "north")
        assert refused.level == "critical"
        assert "refuses this party" in refused.told
        assert health.versions("fedtopics/0.0.1").level == "warning"
        own = by_name(CoordinatorHealth(hub).diagnosis())
        assert own["port"].level == own["version"].level == "ok"
    status, told = typed("doctor", north)
    assert status == 2
    assert re.search(r"critical  port +localhost:\d+ was not reached", told)


def test_the_doctor_leaves_a_running_party_its_connection(
    federation: LocalFederation, north: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def knocked(*given: object) -> None:
        raise AssertionError("a party that runs is not knocked for: its connection would end")

    monkeypatch.setattr("fedtopics.network.party.health.knocked", knocked)
    beating(north, connected=True, contact=time.time(), skew=0.0)
    assert health.worst(PartyHealth(north).diagnosis()) == "ok"


def test_the_coordinator_says_who_is_missing_who_waits_and_which_run_failed(hub: Path) -> None:
    status, told = typed("federation", "coordinator", "status", hub)
    assert status == 2
    assert "critical  process" in told
    beating(hub, connected=["north"])
    status, told = typed("federation", "coordinator", "status", hub)
    assert status == 1
    assert "party south  not connected; ask its operator" in told
    beating(hub, connected=["north", "south"])
    assert typed("federation", "coordinator", "status", hub)[0] == 0
    run = CoordinatorFolder(hub).submit()
    run.change("failed", "a reason")
    status, told = typed("federation", "coordinator", "status", hub, "--json")
    assert (status, json.loads(told)["runs"]) == (1, {"run-1": "failed"})
    shutil.rmtree(hub / onboarding.APPROVED / "south")
    assert "fedtopics federation invite south" in typed("doctor", hub)[1]


def test_a_folder_of_neither_is_one_line(tmp_path: Path) -> None:
    for words in (("doctor",), ("federation", "party", "status"), ("federation", "service")):
        with pytest.raises(InputError, match="expected the folder of a"):
            CliRunner().invoke(app, [*words, str(tmp_path)], catch_exceptions=False)
