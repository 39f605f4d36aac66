"""Where a run stands: all the coordinator needs to go on after a crash, in one file."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.network import wire
from fedtopics.protocol.engine import Round
from fedtopics.protocol.turn import Arrays

FILE = "checkpoint.safetensors"
ABOUT, STATE = "about", "state/"


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
        """Write it durably, all of it or nothing."""
        about: dict[str, Any] = asdict(self) | {"state": None}
        arrays = {f"{STATE}{name}": array for name, array in self.state.items()}
        arrays[ABOUT] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        files.write(folder / FILE, wire.saved(arrays))

    @classmethod
    def load(cls, folder: Path, run: str, plan: str) -> "Checkpoint | None":
        """The checkpoint in a folder, None where there is none; one of another run or plan is refused."""
        path = folder / FILE
        if not path.is_file():
            return None
        try:
            arrays = wire.loaded(path.read_bytes())
            found = _parsed(json.loads(arrays.pop(ABOUT).tobytes()), arrays)
        except (LookupError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"expected a checkpoint in {path}, got {error!r}; submit a new run") from None
        if (found.run, found.plan) != (run, plan):
            raise InputError(f"{path} belongs to run {found.run!r} of another plan; that needs a new run")
        return found


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
