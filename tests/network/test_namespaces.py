"""Firewalls: parties in network namespaces with one route, to the coordinator, where nothing listens."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from network import processes

from fedtopics.network.local import HUB

NAMES = ("north", "south")
ADDRESS, PORT = "10.77.0.1", 8002
LISTENS = "0A"  # the state of a listening socket in /proc/net/tcp
PROBE = """
import socket, sys
for port in map(int, sys.argv[2:]):
    with socket.socket() as talk:
        talk.settimeout(0.3)
        print(port, talk.connect_ex((sys.argv[1], port)))
"""


def can_make_namespaces() -> str:
    """Why namespaces cannot be made here; empty where they can."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return "network namespaces need root and iproute2"
    tried = subprocess.run(
        ["ip", "netns", "add", "fedtopics-try"], capture_output=True, text=True, check=False
    )
    subprocess.run(["ip", "netns", "delete", "fedtopics-try"], capture_output=True, check=False)
    return f"ip netns: {tried.stderr.strip()}" if tried.returncode else ""


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True).stdout


def inside(name: str) -> list[str]:
    return ["ip", "netns", "exec", f"fedtopics-{name}"]


@pytest.fixture
def network() -> Iterator[None]:
    """A namespace for each participant; a party's has one address, and one route: to the coordinator's."""
    reason = can_make_namespaces()
    if reason:
        pytest.skip(reason)
    spaces = [f"fedtopics-{name}" for name in (HUB, *NAMES)]
    try:
        for space in spaces:
            ip("netns", "add", space)
            shut = "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"
            subprocess.run(["ip", "netns", "exec", space, "sh", "-c", shut], check=True)
            ip("-n", space, "link", "set", "lo", "up")
        ip("-n", spaces[0], "address", "add", f"{ADDRESS}/32", "dev", "lo")
        for number, space in enumerate(spaces[1:], start=1):
            ip(
                "link",
                "add",
                f"ft{number}",
                "netns",
                spaces[0],
                "type",
                "veth",
                "peer",
                "name",
                "out",
                "netns",
                space,
            )
            ip("-n", spaces[0], "link", "set", f"ft{number}", "up")
            ip("-n", space, "link", "set", "out", "up")
            ip("-n", space, "address", "add", f"10.77.{number}.2/32", "dev", "out")
            ip("-n", space, "route", "add", f"{ADDRESS}/32", "dev", "out", "src", f"10.77.{number}.2")
            ip("-n", spaces[0], "route", "add", f"10.77.{number}.2/32", "dev", f"ft{number}", "src", ADDRESS)
        yield
    finally:
        for space in spaces:
            with suppress(subprocess.CalledProcessError):
                ip("netns", "delete", space)


def listening(name: str) -> list[str]:
    """What listens in a participant's namespace, TCP of both kinds."""
    read = [*inside(name), "cat", "/proc/net/tcp", "/proc/net/tcp6"]
    told = subprocess.run(read, capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in told.splitlines() if ":" in line.split()[0]]
    return [row[1] for row in rows if row[3] == LISTENS]


def probed(source: str, address: str, *ports: int) -> dict[int, int]:
    """What calls from one participant's namespace to another's address come to: 0 would be a connection."""
    command = [*inside(source), sys.executable, "-c", PROBE, address, *map(str, ports)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {int(port): int(code) for port, code in map(str.split, told.splitlines())}


@pytest.mark.nightly
@pytest.mark.usefixtures("network")
def test_parties_need_one_route_out_and_no_port(tmp_path: Path) -> None:
    with processes.founded(tmp_path, NAMES, coordinator=f"{ADDRESS}:{PORT}") as federation:
        federation.prefixes = {name: inside(name) for name in (HUB, *NAMES)}
        federation.start()
        run = federation.hub.submit()
        processes.until(processes.in_round(run, 1), "the first round", 120)
        ports = (1, 22, 80, 443, PORT, *range(30000, 30100), 65535)
        for number, name in enumerate(NAMES, start=1):
            assert listening(name) == []
            assert len(ip("-n", f"fedtopics-{name}", "route").splitlines()) == 1
            assert ip("-6", "-n", f"fedtopics-{name}", "route") == ""
            assert 0 not in probed(HUB, f"10.77.{number}.2", *ports).values()
        assert 0 not in probed("north", "10.77.2.2", 22, PORT).values()  # no way from party to party
        assert len(listening(HUB)) == 1
        assert probed("north", ADDRESS, PORT - 1, PORT)[PORT] == 0
        federation.wait(run, processes.PATIENCE)
        processes.check_undisturbed(federation, run, 40)
