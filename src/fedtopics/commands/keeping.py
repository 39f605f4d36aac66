"""What `coordinator start` and `party start` become once all is checked: a process that keeps another alive.

It takes the place of the command, in the same process, and imports next to nothing: what the checks have
loaded is gone. With a file for metrics it holds what computes them.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from fedtopics.commands.pages import Pages, PagesApart
from fedtopics.network.keeper import STOP, Kept, say, until_told_to_stop

NO_METRICS = ""


def keep(role: str, folder: Path, metrics: Path | None) -> None:
    """Become the keeper of the worker of a `role`; this does not return."""
    sys.stdout.flush()
    sys.stderr.flush()
    given = [role, str(folder.resolve()), NO_METRICS if metrics is None else str(metrics.resolve())]
    os.execv(sys.executable, [sys.executable, "-P", "-m", "fedtopics.commands.keeping", *given])  # noqa: S606


def keep_going(role: str, folder: Path, metrics: str) -> None:
    """Look after the worker until told to stop, or asked to by a party's own page."""
    asked, told, pages = folder / STOP, until_told_to_stop(), PagesApart(Pages(folder))
    asked.unlink(missing_ok=True)
    write = _written(role, folder, Path(metrics)) if metrics else None

    def besides() -> None:
        pages.look()
        if write is not None:
            write()

    with Kept(role, folder, say) as worker:
        worker.keep_going(lambda: told() or asked.exists(), besides)
    pages.end()
    if asked.exists():
        say("stopped by its page; start it again when it may go on")


def _written(role: str, folder: Path, metrics: Path) -> Callable[[], None]:
    from fedtopics.network.coordinator.health import CoordinatorHealth
    from fedtopics.network.metrics import Written
    from fedtopics.network.party.health import PartyHealth

    kind = PartyHealth if role == "party" else CoordinatorHealth
    return Written(metrics, lambda: kind(folder).gauges(), kind(folder).labels, say).now_and_then


if __name__ == "__main__":
    keep_going(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
