"""What `status` and `doctor` print of a participant's health."""

from pathlib import Path

from fedtopics.commands import options
from fedtopics.network.health import Health, exit_status
from fedtopics.network.metrics import write


def show(found: Health, *, as_json: bool, metrics: Path | None) -> int:
    """Print how it is; the exit status for monitors."""
    findings = found.findings()
    if metrics is not None:
        write(metrics, found.gauges(), **found.labels)
    if as_json:
        options.print_json(found.status())
    else:
        for each in findings:
            options.say(str(each))
    return exit_status(findings)
