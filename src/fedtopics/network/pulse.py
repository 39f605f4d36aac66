"""A sign of life of a worker: what it did last, in a small file that monitors and operators look at.

FOLDER/pulse.json   written every 15 seconds while the worker lives, whatever it computes, and when it is
                    connected or no longer; no number in it comes from documents
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from time import time
from typing import Any

from fedtopics import files
from fedtopics.errors import InputError

FILE = "pulse.json"
BEAT = 15.0  # seconds between two signs
SILENT = 4 * BEAT  # after which a worker is stuck, or stopped


@dataclass
class Pulse:
    """What the worker of a folder says of itself."""

    folder: Path
    facts: dict[str, Any] = field(default_factory=dict)
    _changed: Event = field(default_factory=Event, init=False)

    def note(self, **facts: Any) -> None:
        """Keep what is so now; whether it is connected is written at once, all else with the next sign."""
        changed = any(
            self.facts.get(name) != facts[name] for name in ("connected", "parties") if name in facts
        )
        self.facts |= facts
        if changed:
            self._changed.set()

    def start(self) -> "Pulse":
        """Write signs from now on, beside whatever this process does."""
        Thread(target=self._keep_beating, daemon=True, name="pulse").start()
        return self

    def _keep_beating(self) -> None:
        while True:
            with suppress(InputError, OSError):  # a full disk must not end a run
                self.beat()
            self._changed.wait(BEAT)
            self._changed.clear()

    def beat(self) -> None:
        told = {"pid": os.getpid(), "time": time(), **self.facts}
        files.publish(self.folder / FILE, json.dumps(told))


def last(folder: Path) -> dict[str, Any]:
    """The last sign of life in a folder, with its `age` in seconds; empty where there is none."""
    try:
        found = json.loads(files.read(folder / FILE, 2**16))
        return {**found, "age": max(0.0, time() - float(found["time"])), "pid": int(found["pid"])}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


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
