"""A process that is kept alive: started, watched, started again, and ended with all it has started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from types import FrameType, TracebackType

SHORTEST, LONGEST = 0.5, 30.0  # seconds before a process that ended is started again
GRACE = 5.0
ENGINE_LOG = "engine.log"


@dataclass
class Kept:
    """One program that works in `folder`, its output in a file there.

    It starts processes of its own, which all name the folder in their command line: what a killed supervisor
    left behind is found by that and ended first.
    """

    command: Sequence[str]
    folder: Path
    environment: dict[str, str]
    say: Callable[[str], None] = lambda line: None
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _started: float = field(default=0.0, init=False)
    _pause: float = field(default=SHORTEST, init=False)

    def __enter__(self) -> Kept:
        if end_processes_of(self.folder):
            self.say("ended what an earlier start left behind")
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def look_after(self) -> None:
        """Start the program again if it has ended; more slowly each time it ends at once."""
        if self._process is not None and self._process.poll() is None:
            return
        code = None if self._process is None else self._process.returncode
        self._pause = SHORTEST if monotonic() - self._started > LONGEST else min(2 * self._pause, LONGEST)
        self.say(f"the engine ended with code {code}; it is started again")
        end_processes_of(self.folder)
        sleep(self._pause)
        self._start()

    def stop(self) -> None:
        """End the program and whatever it has started."""
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
            end_processes_of(self.folder)
            self._process.wait()
        self._note.unlink(missing_ok=True)

    @property
    def _note(self) -> Path:
        return self.folder / "engine.pid"

    def _start(self) -> None:
        self._started = monotonic()
        descriptor = os.open(self.folder / ENGINE_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as log:
            self._process = subprocess.Popen(  # noqa: S603
                list(self.command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.environment},
                start_new_session=True,
            )
        self._note.write_text(str(self._process.pid))


def end_processes_of(folder: Path) -> int:
    """End every process of the engine that works in `folder`, whoever started it; how many there were."""
    found = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if str(folder.resolve()).encode() in words and any(b"nvflare" in word for word in words):
                os.kill(int(entry.name), signal.SIGKILL)
                found += 1
    return found


def until_told_to_stop() -> Callable[[], bool]:
    """A function that says whether this process has been asked to end (SIGTERM or SIGINT)."""
    told = []

    def note(number: int, frame: FrameType | None) -> None:
        told.append(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, note)
    return lambda: bool(told)
