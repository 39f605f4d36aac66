"""The page of every finished run of a federation: beside its result at the coordinator, and at each party."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from fedtopics import report as reports
from fedtopics.commands import report
from fedtopics.errors import InputError

COORDINATOR, PARTY = "runs/*/result/run.json.sig", "models/*/run.json.sig"  # written last: then all is there
SECONDS = 1.0  # between two looks


@dataclass
class Pages:
    """Writes the pages that are missing below the `folder` of a coordinator or party, when asked to.

    say   told of every page, and of a result that has none
    """

    folder: Path
    say: Callable[[str], None] = lambda line: None
    _next: float = field(default=0.0, init=False)
    _refused: set[Path] = field(default_factory=set, init=False)

    def look(self) -> None:
        """Write what is missing, if the last look is some time ago."""
        if monotonic() >= self._next:
            self.write()
            self._next = monotonic() + SECONDS

    def write(self) -> list[Path]:
        """Write all pages that are missing; gives their paths. A failure is told, and ends nothing."""
        found = [path.parent for pattern in (COORDINATOR, PARTY) for path in self.folder.glob(pattern)]
        missing = [path for path in sorted(found) if not (path / reports.FILE).exists()]
        written = []
        for path in missing:
            if path in self._refused:
                continue
            try:
                written.append(report.put_beside(path))
                self.say(f"report: {written[-1]}")
            except (InputError, OSError) as error:
                self._refused.add(path)
                self.say(f"no page of {path}: {error}")
        return written


def keeping(stop: Callable[[], bool], pages: Pages) -> Callable[[], bool]:
    """A function that says what `stop` says, and looks for missing pages meanwhile."""

    def asked() -> bool:
        pages.look()
        return stop()

    return asked
