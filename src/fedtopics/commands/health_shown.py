"""What `status` and `doctor` print of a participant's health."""

from pathlib import Path
from typing import Any, Protocol

from fedtopics.commands import options
from fedtopics.network.health import Finding, exit_status
from fedtopics.network.metrics import Gauge, write


class Health(Protocol):
    """A participant that can be looked at."""

    def findings(self) -> list[Finding]: ...
    def status(self) -> dict[str, Any]: ...
    def gauges(self) -> list[Gauge]: ...


def show(found: Health, *, as_json: bool, metrics: Path | None, labels: dict[str, str]) -> int:
    """Print how it is; the exit status for monitors."""
    findings = found.findings()
    if metrics is not None:
        write(metrics, found.gauges(), **labels)
    if as_json:
        options.print_json(found.status())
    else:
        for each in findings:
            options.say(str(each))
    return exit_status(findings)
