"""What is well with a participant and what is not: one finding for each thing looked at, and what to do.

    ok         0   nothing to do
    warning    1   somebody should look within days
    critical   2   it does not take part, or will soon not

The number is the exit status of `status` and `doctor`, as monitors want it.
"""

import os
import shutil
import stat
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from cryptography import x509

from fedtopics import __version__
from fedtopics.errors import InputError
from fedtopics.network import pulse
from fedtopics.network.metrics import Gauge
from fedtopics.network.plan import certificates

Level = Literal["ok", "warning", "critical"]
LEVELS: tuple[Level, ...] = get_args(Level)
WARNING_DAYS = 30.0
LITTLE_ROOM, NO_ROOM = 2**30, 2**28  # bytes; with less than the latter no noise is drawn
SKEW, LARGEST_SKEW = 30.0, 60.0  # seconds


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    about: str
    level: Level
    told: str
    to_do: str = ""

    def __str__(self) -> str:
        advice = f"; {self.to_do}" if self.to_do else ""
        return f"{self.level:<9} {self.about:<12} {self.told}{advice}"


@dataclass
class Health(ABC):
    """The health of the participant in a folder, looked at once."""

    folder: Path

    @cached_property
    def sign(self) -> dict[str, Any]:
        """Its last sign of life."""
        return pulse.last(self.folder)

    @cached_property
    def is_running(self) -> bool:
        return pulse.is_alive(self.sign)

    @property
    @abstractmethod
    def labels(self) -> dict[str, str]:
        """Who it is, for Prometheus."""

    @abstractmethod
    def findings(self) -> list[Finding]:
        """What a monitor asks every few minutes: quick, without the network or documents."""

    @abstractmethod
    def diagnosis(self) -> list[Finding]:
        """All of it for a person."""

    @abstractmethod
    def status(self) -> dict[str, Any]:
        """What a monitor asks, for a program, with numbers."""

    @abstractmethod
    def gauges(self) -> list[Gauge]:
        """Numbers for Prometheus."""


def worst(findings: Iterable[Finding]) -> Level:
    return max((found.level for found in findings), key=LEVELS.index, default="ok")


def exit_status(findings: Iterable[Finding]) -> int:
    return LEVELS.index(worst(findings))


def looked_at(about: str, look: Callable[[], str], to_do: str, level: Level = "critical") -> Finding:
    """What a look tells; where it raises, the error and what to do."""
    try:
        return Finding(about, "ok", look())
    except (InputError, OSError) as error:
        return Finding(about, level, str(error), to_do)


def lifetime(about: str, path: Path, renew: str, now: datetime | None = None) -> Finding:
    """Until when a certificate holds, with a warning 30 days ahead."""
    try:
        found = certificates.read_certificate(path)
    except InputError as error:
        return Finding(about, "critical", str(error), renew)
    return days_left(about, found, renew, now)


def days_left(about: str, found: x509.Certificate, renew: str, now: datetime | None = None) -> Finding:
    now, ends = datetime.now(UTC) if now is None else now, found.not_valid_after_utc
    days = (ends - now).total_seconds() / 86400
    if now < found.not_valid_before_utc:
        begins = f"begins {found.not_valid_before_utc:%Y-%m-%d}"
        return Finding(about, "critical", begins, "check the clock of this machine")
    if days < 0:
        return Finding(about, "critical", f"ended {ends:%Y-%m-%d}", renew)
    level: Level = "ok" if days > WARNING_DAYS else "warning"
    return Finding(about, level, f"holds until {ends:%Y-%m-%d}, {days:.0f} days", renew if days < 30 else "")


def room(folder: Path) -> Finding:
    """How much of the disk is left."""
    free = shutil.disk_usage(folder).free
    told = f"{free / 2**30:.1f} GiB free"
    if free < NO_ROOM:
        return Finding("disk", "critical", told, "make room: below 0.25 GiB nothing is released")
    return Finding("disk", *(("ok", told) if free >= LITTLE_ROOM else ("warning", told, "make room soon")))


def clock(skew: float | None) -> Finding:
    """By how much the clock differs from the coordinator's."""
    if skew is None:
        return Finding(
            "clock", "ok", f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC here; nobody to compare it with"
        )
    told = f"{abs(skew):.0f} s {'behind' if skew > 0 else 'ahead of'} the coordinator's"
    if abs(skew) <= SKEW:
        return Finding("clock", "ok", f"within {max(1.0, abs(skew)):.0f} s of the coordinator's")
    level: Level = "warning" if abs(skew) <= LARGEST_SKEW else "critical"
    return Finding("clock", level, told, "set both by NTP; more than 60 s is refused")


def owner_alone(paths: Iterable[Path]) -> Finding:
    """Whether keys and what else is secret can be read by their owner alone."""
    there = [path for path in paths if path.exists()]
    for path in there:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & 0o077:
            to_do = f"chmod {'700' if path.is_dir() else '600'} {path}"
            return Finding("permissions", "critical", f"{path} can be read by others ({mode:o})", to_do)
        if path.stat().st_uid != os.geteuid():
            return Finding(
                "permissions", "warning", f"{path} belongs to another user", "run this as its owner"
            )
    return Finding("permissions", "ok", f"{len(there)} secret files are for their owner alone")


def versions(told: str) -> Finding:
    """Whether the coordinator, which says so of itself, has the version that is installed here."""
    theirs = told.removeprefix("fedtopics/")
    if theirs == __version__:
        return Finding("version", "ok", f"{__version__} here and at the coordinator")
    other = f"{__version__} here, {theirs or 'unknown'} at the coordinator"
    return Finding("version", "warning", other, "install the same version everywhere")


def levels(findings: Iterable[dict[str, Any]]) -> Gauge:
    """What was found as numbers, by what was looked at."""
    found = {str(each["about"]): float(LEVELS.index(each["level"])) for each in findings}
    return Gauge("level", "0 ok, 1 warning, 2 critical, by what was looked at.", found, "about")
