"""What a party's shards leave in a folder that its machines share: what they drew, and what they remember.

    FOLDER/documents/          `stored_documents`
    FOLDER/told/NAME           what the shards are told in a round
    FOLDER/draws/SHARD         what a shard drew, with its price: written once, before anything is made of it
    FOLDER/memory/NAME-SHARD   what a shard remembers after a round, beside what it drew

Whatever a task writes, the first to write it wins, and the others read it back: a task that is run twice, or
by two workers that both believe to own it, draws and then throws away. NAME says all that the content follows
from, so that whoever writes it writes the same.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from fedtopics import files
from fedtopics.files import StoreError
from fedtopics.privacy.price.cost import FREE, Cost
from fedtopics.privacy.price.release import Release
from fedtopics.protocol.turn import Arrays

DOCUMENTS, TOLD, DRAWS, MEMORY = "documents", "told", "draws", "memory"
MOST = 2**40  # bytes of a file
KEPT = 64  # shards whose noise a worker keeps


@dataclass(frozen=True)
class Drawn:
    """What a shard drew: what it remembers of it, and what it answers where nothing is told, at a price."""

    memory: Arrays
    answer: Release[Arrays]


@dataclass(frozen=True)
class Shelf:
    """The `folder` of one party in one run; what is `durable` outlives a power failure, draws always do."""

    folder: str
    durable: bool = False

    @property
    def documents(self) -> Path:
        return Path(self.folder) / DOCUMENTS

    def made(self) -> "Shelf":
        """The same, there."""
        for name in (TOLD, DRAWS, MEMORY):
            files.make_folder(Path(self.folder) / name)
        return self

    def put_told(self, name: str, told: Arrays) -> None:
        files.write_first(self._path(TOLD, name), _saved(told), durable=False)

    def told(self, name: str) -> Arrays:
        return _told_in(str(self._path(TOLD, name)))

    def drawn(self, shard: int, draw: Callable[[], Drawn]) -> Drawn:
        """What this shard drew: the first time `draw` does, ever after it is read."""
        path = self._path(DRAWS, f"{shard:05}")
        if not path.is_file():
            files.write_first(path, _framed(draw()))
        return _unframed(path)

    def remember(self, name: str, shard: int, memory: Arrays) -> None:
        """Keep what a shard remembers, without what it drew."""
        drawn = self._drawn_memory(shard)
        own = {key: array for key, array in memory.items() if not _same(array, drawn.get(key))}
        files.write_first(self._path(MEMORY, f"{name}-{shard:05}"), _saved(own), durable=self.durable)

    def remembered(self, name: str, shard: int) -> Arrays:
        """What a shard remembers, nothing where `name` is empty."""
        own = _loaded(self._path(MEMORY, f"{name}-{shard:05}")) if name else {}
        return self._drawn_memory(shard) | own if name else {}

    def clear(self, but: str) -> None:
        """Delete what shards were told and remember, but that of this name."""
        for kind in (TOLD, MEMORY):
            for path in (Path(self.folder) / kind).iterdir():
                if not (but and path.name.startswith(f"{but}-")):
                    path.unlink(missing_ok=True)

    def _drawn_memory(self, shard: int) -> Arrays:
        path = self._path(DRAWS, f"{shard:05}")
        return _unframed(path).memory if path.is_file() else {}

    def _path(self, kind: str, name: str) -> Path:
        return Path(self.folder) / kind / name


def _same(one: NDArray[Any], other: NDArray[Any] | None) -> bool:
    return other is not None and one.dtype == other.dtype and np.array_equal(one, other)


def _saved(arrays: Arrays) -> bytes:
    return bytes(save({name: np.ascontiguousarray(a).reshape(np.shape(a)) for name, a in arrays.items()}))


def _loaded(path: Path) -> Arrays:
    return _arrays(files.read(path, MOST, links=False), path)


def _arrays(content: bytes, path: Path) -> Arrays:
    try:
        return dict(load(content))
    except SafetensorError:
        raise StoreError(f"{path} was cut short or altered; the run cannot go on here") from None


def _frozen(arrays: Arrays) -> Arrays:
    """The arrays, which nobody can change any more."""
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def _framed(drawn: Drawn) -> bytes:
    cost = json.dumps(drawn.answer.cost.to_dict()).encode()
    parts = {"memory": drawn.memory, "answer": drawn.answer.value}
    arrays = {f"{kind}/{name}": array for kind, own in parts.items() for name, array in own.items()}
    return cost + b"\n" + _saved(arrays)


def _unframed(path: Path) -> Drawn:
    found = path.stat()
    return _drawn_in(str(path), found.st_ino, found.st_mtime_ns, found.st_size)


@lru_cache(2)
def _told_in(file: str) -> Arrays:
    """What shards are told, read once for the neighbors of a task: nobody changes it."""
    return _frozen(_loaded(Path(file)))


@lru_cache(KEPT)
def _drawn_in(file: str, *state: int) -> Drawn:
    """What a shard drew, read once by a worker as long as it is the same file."""
    path = Path(file)
    cost, _, content = files.read(path, MOST, links=False).partition(b"\n")
    found: dict[str, Arrays] = {"memory": {}, "answer": {}}
    for name, array in _frozen(_arrays(content, path)).items():
        kind, _, own = name.partition("/")
        found[kind][own] = array
    try:
        price = Cost.from_dict(json.loads(cost))
    except ValueError:
        raise StoreError(f"{path} was altered; the run cannot go on here") from None
    if price == FREE:
        raise StoreError(f"{path} says that what was drawn is free; the run cannot go on here")
    return Drawn(found["memory"], Release(found["answer"], price))
