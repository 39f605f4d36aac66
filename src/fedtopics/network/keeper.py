"""A process that is kept alive: started, watched, started again, and ended with the one that keeps it.

What its operator reads are lines on the screen, and a party's own log of bounded size on its own disk.
"""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from fedtopics import files
from fedtopics.documents.text.harmless import HarmlessFormatter, one_line

SHORTEST, LONGEST = 0.5, 30.0  # seconds before a process that ended is started again
GRACE = 5.0
POLL = 0.2
NOTE = "worker.pid"
STOP = "stop"  # the file by which a party's own page asks to end
WORKER = "fedtopics.network.worker"


def command(role: str, folder: Path) -> list[str]:
    """What starts a participant's worker; no code is taken from the folder where that is done (-P)."""
    return [sys.executable, "-P", "-m", WORKER, role, str(folder.resolve())]


@dataclass
class Kept:
    """The worker of a participant, `coordinator` or `party`, whose folder this is.

    It reads from a pipe that its keeper holds open and never writes to: when the keeper is gone, however it
    ended, the worker ends too.
    """

    role: str
    folder: Path
    say: Callable[[str], None] = lambda line: None
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _started: float = field(default=0.0, init=False)
    _pause: float = field(default=SHORTEST, init=False)

    def __enter__(self) -> "Kept":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def keep_going(self, stop: Callable[[], bool], besides: Callable[[], None] = lambda: None) -> None:
        """Look after the worker until `stop` says so, and do what is to be done `besides`."""
        while not stop():
            self.look_after(stop)
            besides()
            sleep(POLL)

    def look_after(self, stop: Callable[[], bool] = lambda: False) -> None:
        """Start the worker again if it has ended; more slowly each time it ends at once."""
        if self._process is not None and self._process.poll() is None:
            return
        code = None if self._process is None else self._process.returncode
        self._pause = SHORTEST if monotonic() - self._started > LONGEST else min(2 * self._pause, LONGEST)
        self.say(f"the worker ended with code {code}; it is started again")
        until = monotonic() + self._pause
        while monotonic() < until and not stop():
            sleep(POLL)
        if not stop():
            self._close_pipe()
            self._start()

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(GRACE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._close_pipe()
        (self.folder / NOTE).unlink(missing_ok=True)

    def _close_pipe(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    def _start(self) -> None:
        self._started = monotonic()
        self._process = subprocess.Popen(  # noqa: S603
            command(self.role, self.folder),
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        files.write(self.folder / NOTE, str(self._process.pid).encode())


def end_with_keeper() -> None:
    """Called by a worker: end this process as soon as its keeper is gone."""

    def watch() -> None:
        with suppress(OSError):
            while os.read(sys.stdin.fileno(), 1):
                pass
        os._exit(1)

    Thread(target=watch, daemon=True, name="keeper").start()


def until_told_to_stop() -> Callable[[], bool]:
    """A function that says whether this process has been asked to end (SIGTERM or SIGINT)."""
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: told.append(number))
    return lambda: bool(told)


LOG, COORDINATOR_LOG = "party.log", "coordinator.log"
MOST_BYTES, N_FILES = 10 * 2**20, 5


def say(line: str) -> None:
    """Tell the operator; where that goes to a full disk, the work goes on."""
    with suppress(OSError):
        print(f"{datetime.now():%H:%M:%S} {one_line(line)}", flush=True)


def say_and_log(line: str) -> None:
    """Tell the operator, and the log of this process."""
    say(line)
    logging.getLogger(__name__).info("%s", line)


def keep_log(folder: Path, name: str = LOG) -> None:
    """Let this process log to a file in the folder, of at most 60 MB with those before it, and nowhere else.

    What a party logs is for its owner alone.
    """
    from logging.handlers import RotatingFileHandler

    if name == LOG:
        os.umask(0o777 & ~files.PRIVATE_FOLDER)
    handler = RotatingFileHandler(folder / name, maxBytes=MOST_BYTES, backupCount=N_FILES, encoding="utf-8")
    handler.setFormatter(HarmlessFormatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
