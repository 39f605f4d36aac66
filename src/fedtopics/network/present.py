"""What holds just now at a coordinator or a party, in a file for who watches it: `live.json` in its folder.

Nothing depends on it, and nothing but this machine reads it. It is written anew when something has changed,
and now and then where nothing has, so that one which is old tells that its writer is gone.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import sleep, time
from typing import Any

from fedtopics import files

FILE = "live.json"
LOOK = 0.25  # seconds between two looks
BEAT = 2.0  # seconds after which it is written though nothing has changed
OLD = 6.0  # seconds after which its writer counts as gone


@dataclass(frozen=True)
class Told:
    """Writes what `look` gives to the folder of its process, for as long as that lives."""

    folder: Path
    look: Callable[[], Mapping[str, Any]]

    def begin(self) -> None:
        """Go on in a thread that ends with the process."""
        Thread(target=self._keep_telling, daemon=True, name="told").start()

    def _keep_telling(self) -> None:
        last: Mapping[str, Any] | None = None
        at = 0.0
        while True:
            now = dict(self.look())
            if now != last or time() - at > BEAT:
                at, last = time(), now
                files.show(self.folder / FILE, json.dumps({**now, "time": at}).encode())
            sleep(LOOK)


def present(folder: Path) -> dict[str, Any]:
    """What was told last, if its writer still lives; empty otherwise."""
    try:
        found = json.loads(files.read(folder / FILE, 2**20))
    except (OSError, ValueError):
        return {}
    fresh = isinstance(found, dict) and abs(time() - float(found.get("time", 0.0))) < OLD
    return found if fresh else {}
