"""The page of every finished run of a federation: beside its result at the coordinator, and at each party.

As a program (`python -m fedtopics.commands.pages FOLDER`) it writes those that are missing and ends.
"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from fedtopics.errors import InputError
from fedtopics.network.keeper import say

COORDINATOR, PARTY = "runs/*/result/run.json.sig", "models/*/run.json.sig"  # written last: then all is there
PAGE = "report.html"
SECONDS = 1.0  # between two looks
PATIENCE = 8.0  # seconds for a page, once its process is told to stop


@dataclass
class Pages:
    """The pages below the `folder` of a coordinator or party; `say` is told of each, and of failures."""

    folder: Path
    say: Callable[[str], None] = lambda line: None

    def missing(self) -> list[Path]:
        """The finished runs that have none."""
        found = [path.parent for pattern in (COORDINATOR, PARTY) for path in self.folder.glob(pattern)]
        return [path for path in sorted(found) if not (path / PAGE).exists()]

    def write(self) -> list[Path]:
        """Write all pages that are missing; gives their paths. A failure is told, and ends nothing."""
        from fedtopics.commands import report

        written = []
        for path in self.missing():
            try:
                written.append(report.put_beside(path))
                self.say(f"report: {written[-1]}")
            except (InputError, OSError) as error:
                self.say(f"no page of {path}: {error}")
        return written


@dataclass
class PagesApart:
    """Has missing pages written by a process that ends with them: what they take is not kept in memory."""

    pages: Pages
    _next: float = field(default=0.0, init=False)
    _tried: set[Path] = field(default_factory=set, init=False)
    _writer: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def look(self) -> None:
        """Begin to write what is missing, each once, if the last look is some time ago."""
        if monotonic() < self._next or (self._writer is not None and self._writer.poll() is None):
            return
        self._next = monotonic() + SECONDS
        missing = set(self.pages.missing())
        if missing - self._tried:
            self._tried |= missing
            command = [sys.executable, "-P", "-m", "fedtopics.commands.pages", str(self.pages.folder)]
            self._writer = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.DEVNULL, start_new_session=True
            )

    def end(self) -> None:
        """Let a page that is being written be finished, if that does not take long."""
        if self._writer is not None:
            try:
                self._writer.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._writer.kill()
                self._writer.wait()


if __name__ == "__main__":
    Pages(Path(sys.argv[1]), say).write()
