"""Where a run stands: all the coordinator needs to go on after a crash, in one file.

The checkpoint before is kept beside it. Where the newest cannot be read (a byte that has changed on the disk)
the run goes on from there: parties send again what they sent in that round, so nothing is lost or paid twice.
With a secure sum that works while no party has gone on to the next round.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from fedtopics import __version__, files
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.network.messages import PROTOCOL
from fedtopics.network.phases import logged
from fedtopics.protocol.engine import Round
from fedtopics.protocol.turn import Arrays

FILE, BEFORE, NEXT = "checkpoint.safetensors", "checkpoint.before.safetensors", "checkpoint.next.safetensors"
ABOUT, STATE = "about", "state/"


class OtherVersionError(InputError):
    """A run that began with a version whose messages and files are others."""


@dataclass(frozen=True)
class WireRound(Round):
    """One round over the network: bytes as sent, as arrays in memory, and who did not answer."""

    bytes_plain: int = 0
    missing: tuple[str, ...] = ()


@dataclass(frozen=True)
class Checkpoint:
    """A run before its round `next_round`; the rounds -2 and -1 agree on words."""

    run: str
    plan: str
    next_round: int
    state: Arrays = field(default_factory=dict)
    words: tuple[str, ...] | None = None
    rounds: tuple[WireRound, ...] = ()
    answered: dict[str, list[int]] = field(default_factory=dict)  # rounds by party
    lost: int = 0  # rounds that were begun in vain
    silent: tuple[str, ...] = ()  # whose silence that was

    def save(self, folder: Path) -> None:
        """Write it durably, all of it or nothing, and keep the one before."""
        about: dict[str, Any] = asdict(replace(self, state={})) | {"state": None}
        about |= {"protocol": PROTOCOL, "version": __version__}
        arrays = {f"{STATE}{name}": array for name, array in self.state.items()}
        arrays[ABOUT] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        content = wire.saved(arrays)
        files.write(folder / NEXT, content, named=False)
        if (folder / FILE).is_file():
            (folder / FILE).replace(folder / BEFORE)
        (folder / NEXT).replace(folder / FILE)
        files.sync_folder(folder)

    @classmethod
    def load(
        cls, folder: Path, run: str, plan: str, log: Callable[[str], None] = lambda line: None
    ) -> "Checkpoint | None":
        """The checkpoint in a folder, None where there is none; another run, plan or version is refused.

        log   is told where the newest was damaged, and the one before is taken
        """
        damaged = ""
        for path in (folder / FILE, folder / BEFORE):
            if path.is_file():
                try:
                    found = _read(path)
                except OtherVersionError:
                    raise
                except (LookupError, TypeError, ValueError, RecursionError) as error:
                    damaged = damaged or f"expected a checkpoint in {path}, got {error!r}"
                    continue
                if damaged:
                    log(f"{damaged}; the run goes on from the one before, at {logged(found.next_round)}")
                if (found.run, found.plan) != (run, plan):
                    raise InputError(
                        f"{path} belongs to run {found.run!r} of another plan; that needs a new run"
                    )
                return found
        if damaged:
            raise InputError(f"{damaged}; submit a new run")
        return None


def _read(path: Path) -> Checkpoint:
    arrays = wire.loaded(path.read_bytes())
    about = _of(dict, json.loads(arrays.pop(ABOUT).tobytes()))
    protocol = _of(int, about.get("protocol", 1))
    if protocol != PROTOCOL:
        began = f"{about.get('version', 'another version')!s:.20}"
        raise OtherVersionError(
            f"expected a run of this version ({__version__}), got one that began with fedtopics {began}; "
            "finish it with that version, or submit a new run"
        )
    return _parsed(about, arrays)


def _parsed(about: Any, arrays: Arrays) -> Checkpoint:
    """The checkpoint of what `save` puts down; anything else is a TypeError, KeyError or ValueError."""
    words, answered = about["words"], _of(dict, about["answered"])
    return Checkpoint(
        _of(str, about["run"]),
        _of(str, about["plan"]),
        _of(int, about["next_round"]),
        {name.removeprefix(STATE): array for name, array in arrays.items()},
        None if words is None else _all(str, words),
        tuple(_line(_of(dict, row)) for row in _of(list, about["rounds"])),
        {party: list(_all(int, numbers)) for party, numbers in answered.items()},
        _of(int, about.get("lost", 0)),
        _all(str, about.get("silent", [])),
    )


def _line(row: dict[str, Any]) -> WireRound:
    line = WireRound(**row | {"missing": _all(str, row["missing"])})
    _all(int, [line.round, line.bytes_up, line.bytes_down, line.bytes_plain])
    _all((int, float), [line.seconds, *_of(dict, line.measures).values()])
    return line


def _of(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40}")
    return value


def _all(kind: Any, values: Any) -> tuple[Any, ...]:
    return tuple(_of(kind, value) for value in _of(list, values))
