"""What holds just now at a coordinator or a party: a small file for monitors, and for who watches.

FOLDER/pulse.json   written when something has changed, and every two seconds while the worker lives, whatever
                    it computes; no number in it comes from documents

Nothing depends on it. One that is old tells that its writer is gone, or stuck.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from time import sleep, time
from typing import Any

from fedtopics import files

FILE = "pulse.json"
LOOK = 0.25  # seconds between two looks
BEAT = 2.0  # seconds after which it is written though nothing has changed
OLD = 6.0  # seconds after which it is not shown to who watches
SILENT = 60.0  # seconds after which a worker is stuck, or stopped


@dataclass
class Pulse:
    """Writes what was noted and what `look` gives to a folder, for as long as this process lives."""

    folder: Path
    look: Callable[[], Mapping[str, Any]]
    _noted: dict[str, Any] = field(default_factory=dict, init=False)

    def note(self, **facts: Any) -> None:
        """Keep what is so from now on."""
        self._noted = self._noted | facts

    def start(self) -> None:
        """Go on in a thread that ends with the process."""
        Thread(target=self._keep_beating, daemon=True, name="pulse").start()

    def _keep_beating(self) -> None:
        last: dict[str, Any] = {}
        at = 0.0
        while True:
            now = {**self._noted, **self.look()}
            if now != last or time() - at > BEAT:
                at, last = time(), now
                beat(self.folder, now)
            sleep(LOOK)


def beat(folder: Path, facts: Mapping[str, Any]) -> None:
    """A sign of life of this process; a full disk ends nothing."""
    told = {"pid": os.getpid(), "time": time(), **facts}
    files.show(folder / FILE, json.dumps(told).encode())


def last(folder: Path) -> dict[str, Any]:
    """The last sign of life in a folder, with its `age` in seconds; empty where there is none."""
    try:
        found = json.loads(files.read(folder / FILE, 2**20))
        return {**found, "age": max(0.0, time() - float(found["time"])), "pid": int(found["pid"])}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def present(folder: Path) -> dict[str, Any]:
    """What was told last, if it still holds; empty otherwise."""
    found = last(folder)
    return found if found and found["age"] < OLD else {}


def is_alive(sign: dict[str, Any]) -> bool:
    """Whether the process that gave this sign is there, and gave it not long ago."""
    if not sign or sign["age"] > SILENT:
        return False
    try:
        os.kill(sign["pid"], 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        return True
    return True
