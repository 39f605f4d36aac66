"""Metrics: what Prometheus reads, alike whoever writes them."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from network.signs import beating, typed

from fedtopics.commands.keeping import _written
from fedtopics.errors import InputError
from fedtopics.network import metrics
from fedtopics.network.metrics import Gauge


def parsed(text: str) -> dict[str, float]:
    """The exposition format, line by line; whatever is no line of it is an error."""
    found, kinds = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            kinds[name] = kind
        elif not line.startswith("# HELP "):
            match = re.fullmatch(r'([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*\})? (\S+)', line)
            assert match, line
            assert kinds[match[1]] in ("gauge", "counter")
            assert (kinds[match[1]] == "counter") == match[1].endswith("_total")
            found[f"{match[1]}{match[2] or ''}"] = float(match[3])
    return found


def test_metrics_are_what_prometheus_reads(north: Path, hub: Path, tmp_path: Path) -> None:
    beating(north, connected=True, contact=time.time(), answers=3)
    beating(hub, connected=["north"])
    assert typed("federation", "party", "status", north, "--metrics", tmp_path / "party.prom")[0] == 0
    typed("federation", "coordinator", "status", hub, "--metrics", tmp_path / "hub.prom")
    found = parsed((tmp_path / "party.prom").read_text())
    assert found['fedtopics_up{party="north"}'] == found['fedtopics_connected{party="north"}'] == 1
    assert found['fedtopics_epsilon_allowed{party="north",relation="word add/remove"}'] == 800
    assert found['fedtopics_level{party="north",about="ledger"}'] == 0
    assert parsed((tmp_path / "hub.prom").read_text())['fedtopics_parties_connected{coordinator="test"}'] == 1
    assert oct((tmp_path / "hub.prom").stat().st_mode)[-3:] == "644"
    strange = metrics.text([Gauge("x", "a\nb", {'q"\\': float("inf")}, "about")], party="n")
    assert parsed(strange) == {'fedtopics_x{party="n",about="q\\"\\\\"}': float("inf")}
    with pytest.raises(InputError, match=r"expected a file x.prom"):
        metrics.write(tmp_path / "x.txt", [])


def test_metrics_name_a_participant_alike_whoever_writes_them(north: Path, hub: Path, tmp_path: Path) -> None:
    for role, folder in (("party", north), ("coordinator", hub)):
        folder = folder.rename(tmp_path / f"moved {role}")
        once, now_and_then = tmp_path / f"{role}-once.prom", tmp_path / f"{role}.prom"
        typed("federation", role, "status", folder, "--metrics", once)
        _written(role, folder, now_and_then)()
        assert set(parsed(once.read_text())) == set(parsed(now_and_then.read_text()))


def test_metrics_that_cannot_be_written_end_nothing(tmp_path: Path) -> None:
    lines: list[str] = []
    written = metrics.Written(
        tmp_path / "none" / "x.prom", lambda: [Gauge.of("up", "x", 1.0)], {}, lines.append
    )
    for _ in range(3):
        written._next = 0.0
        written.now_and_then()
    assert len(lines) == 1
    (tmp_path / "none").mkdir()
    written._next = 0.0
    written.now_and_then()
    assert (tmp_path / "none" / "x.prom").read_text().endswith("fedtopics_up 1\n")
