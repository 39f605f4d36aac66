"""Where a run stands: all the coordinator needs to go on after a crash, in one file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fedtopics.errors import InputError
from fedtopics.federation import durable
from fedtopics.federation.in_process import Round
from fedtopics.federation.protocol import Arrays

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

    def save(self, folder: Path) -> None:
        """Write it durably, all of it or nothing."""
        from safetensors.numpy import save

        about: dict[str, Any] = asdict(self) | {"state": None}
        arrays = {f"{STATE}{name}": _plain(array) for name, array in self.state.items()}
        arrays[ABOUT] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        durable.write(folder / FILE, bytes(save(arrays)))

    @classmethod
    def load(cls, folder: Path, run: str, plan: str) -> Checkpoint | None:
        """The checkpoint in a folder, None where there is none; one of another run or plan is refused."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        path = folder / FILE
        if not path.is_file():
            return None
        try:
            arrays = load(path.read_bytes())
            about = json.loads(arrays.pop(ABOUT).tobytes())
        except (SafetensorError, KeyError, ValueError) as error:
            raise InputError(f"expected a checkpoint in {path}, got {error}; submit a new run") from None
        if (about["run"], about["plan"]) != (run, plan):
            raise InputError(
                f"{path} belongs to run {about['run']!r} of another plan; a changed plan needs a new run"
            )
        words = about["words"]
        return cls(
            run,
            plan,
            about["next_round"],
            {name.removeprefix(STATE): array for name, array in arrays.items()},
            None if words is None else tuple(words),
            tuple(WireRound(**row | {"missing": tuple(row["missing"])}) for row in about["rounds"]),
            about["answered"],
        )


def _plain(array: Any) -> Any:
    return np.ascontiguousarray(array).reshape(np.shape(array))
