"""One target against many cases: each is taken or refused by `InputError`, in little time and memory."""

from __future__ import annotations

import resource
import signal
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic
from types import FrameType

from fuzz.mutations import mutated
from fuzz.targets import TARGETS, Target

from fedtopics.errors import InputError

SECONDS, WAITING = 2.0, 30.0  # of the processor, and on the clock: a pipe that nobody writes to costs nothing
MEMORY = 2**28  # more than before the case

_USED = Path("/proc/self/statm")  # of Linux; elsewhere memory has no limit


class OvertimeError(Exception):
    """The case took too long."""


@dataclass(frozen=True)
class Crash:
    """What else than `InputError` a case has raised, and where."""

    data: bytes
    error: str
    place: str

    def __str__(self) -> str:
        return f"{self.error} at {self.place} from {self.data[:200]!r}"


def tried(target: Target, data: bytes) -> Crash | None:
    """What is wrong with the way a case is handled; None where it is taken or refused."""
    try:
        with tempfile.TemporaryDirectory() as folder, limits():
            target.run(data, Path(folder))
    except InputError as error:
        is_line = len(str(error).splitlines()) == 1
        return None if is_line else Crash(data, "SeveralLines", _place(error))
    except Exception as error:
        return Crash(data, type(error).__name__, _place(error))
    return None


def _place(error: BaseException) -> str:
    """The file and the function of the package that the error came through last."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "fedtopics" in Path(frame.filename).parts] or frames
    return f"{Path(inside[-1].filename).name}:{inside[-1].name}"


def crashes(target: Target, seed: int, n_cases: int, seconds: float = float("inf")) -> Iterator[Crash]:
    """Every crash of a new kind among this many cases, as long as the time lasts."""
    seeds, random, until = target.seeds(), Random(seed), monotonic() + seconds
    seen: set[tuple[str, str]] = set()
    for _ in range(n_cases):
        crash = tried(target, mutated(seeds, target.form, random))
        if crash is not None and (crash.error, crash.place) not in seen:
            seen.add((crash.error, crash.place))
            yield crash
        if monotonic() > until:
            return


def digests(seed: int) -> list[str]:
    """One case of every target by its hash: the same wherever and whenever they are made."""
    return [sha256(mutated(target.seeds(), target.form, Random(seed))).hexdigest() for target in TARGETS]


def smaller(target: Target, crash: Crash, seconds: float = 30.0) -> Crash:
    """A crash of the same kind from as few bytes as deleting parts of them finds."""
    until, width = monotonic() + seconds, max(1, len(crash.data) // 2)

    def same(data: bytes) -> Crash | None:
        found = tried(target, data)
        return found if found and (found.error, found.place) == (crash.error, crash.place) else None

    while monotonic() < until:
        shorter = _shortened(crash, width, same, until)
        if shorter is crash and width == 1:
            break
        width = max(1, width // 2) if shorter is crash else width
        crash = shorter
    return crash


def _shortened(crash: Crash, width: int, same: Callable[[bytes], Crash | None], until: float) -> Crash:
    for start in range(0, len(crash.data), width):
        found = same(crash.data[:start] + crash.data[start + width :])
        if found is not None:
            return found
        if monotonic() > until:
            break
    return crash


@contextmanager
def limits() -> Iterator[None]:
    """Time and memory for one case; whoever takes more gets an error in the middle of it."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    most = _used() + MEMORY if _USED.exists() else before[0]
    handlers = [(name, signal.signal(name, _overtime)) for name in (signal.SIGPROF, signal.SIGALRM)]
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, WAITING)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)
        for name, handler in handlers:
            signal.signal(name, handler)


def _overtime(number: int, frame: FrameType | None) -> None:
    raise OvertimeError


def _used() -> int:
    """The address space of this process, in bytes."""
    pages = int(_USED.read_text().split()[0])
    return pages * resource.getpagesize()
