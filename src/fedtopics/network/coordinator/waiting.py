"""How long a coordinator waits for parties, and `waiting.toml` in its folder, which may say it otherwise.

silence = 10.0   seconds without a sign of life after which a party is not waited for
least = 30.0     seconds that an answer is waited for at least, of a party that gives signs of life
factor = 10.0    times as long as the slowest of the last ten questions of its kind took; at most the plan's
                 timeout_seconds, and that much before there is anything to compare with
grace = 15.0     seconds for which one party may keep the others waiting in vain in the whole of a run,
share = 0.1      and this share of the time that the run has taken: then it is let in again only later

Where a run cannot go on without any of its parties there is nothing to gain: each has `timeout_seconds`.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic

from fedtopics.errors import InputError
from fedtopics.network.plan import typed_file

FILE = "waiting.toml"
SILENCE = 10.0
N_COMPARED = 10


@dataclass(frozen=True)
class Waiting:
    """An operator's settings."""

    silence: float = SILENCE
    least: float = 30.0
    factor: float = 10.0
    grace: float = 15.0
    share: float = 0.1

    def __post_init__(self) -> None:
        for item in fields(self):
            value = float(getattr(self, item.name))
            object.__setattr__(self, item.name, value)
            bound = {"silence": 5.0, "factor": 1.0}.get(item.name, 0.0)  # parties give a sign every 2 s
            if not bound <= value < inf:
                raise InputError(f"{item.name} must be at least {bound:g}, got {value}")

    @classmethod
    def read(cls, folder: Path) -> "Waiting":
        """What the coordinator's folder says; an unknown key or an impossible value is an error."""
        path = folder / FILE
        return typed_file.read(path, "waiting", partial(typed_file.build, cls)) if path.is_file() else cls()


@dataclass
class Patience:
    """How long each question is waited for, and for whom; `most` is the plan's `timeout_seconds`."""

    most: float
    waiting: Waiting = field(default_factory=Waiting)
    clock: Callable[[], float] = monotonic
    _took: dict[str, deque[float]] = field(default_factory=dict, init=False)
    _vain: dict[str, float] = field(default_factory=dict, init=False)
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def seconds(self, kind: str) -> float:
        """How long a question of this kind is waited for, by how long those before took."""
        took = self._took.get(kind)
        if not took:
            return self.most
        return min(self.most, max(self.waiting.least, self.waiting.factor * max(took)))

    def note(self, kind: str, seconds: float) -> None:
        """Note how long the answers to a question took, those left out that never came."""
        self._took.setdefault(kind, deque(maxlen=N_COMPARED)).append(seconds)

    def note_vain(self, party: str, seconds: float) -> None:
        """Note for how long this party was waited for in vain, when all others had answered."""
        self._vain[party] = self._vain.get(party, 0.0) + seconds

    def is_over(self, party: str) -> bool:
        """Whether the party has kept the others waiting for too long to be let in now."""
        so_far = self.clock() - self._began
        return self._vain.get(party, 0.0) > self.waiting.grace + self.waiting.share * so_far
