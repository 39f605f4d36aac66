"""Messages of parties on the disk: a coordinator holds one at a time, however many parties there are.

A file without a name, on the disk of the run. What takes no more room than before is written in its place.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from weakref import finalize

from fedtopics import files
from fedtopics.network import wire
from fedtopics.protocol.coding import NOTHING, Known
from fedtopics.protocol.turn import Arrays

ARRAYS, CHANGES = "arrays/", "changes/"


@dataclass
class Spool:
    """What is known of the messages of each party, by name."""

    folder: Path
    _places: dict[str, tuple[int, int, int]] = field(default_factory=dict, init=False)  # start, room, length
    _digests: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._file, self._end = files.scratch(self.folder), 0
        finalize(self, self._file.close)

    def put(self, party: str, known: Known) -> None:
        content = wire.saved(
            {ARRAYS + name: array for name, array in known.arrays.items()}
            | {CHANGES + name: array for name, array in known.changes.items()}
        )
        start, room, _ = self._places.get(party, (self._end, 0, 0))
        if len(content) > room:
            start, room, self._end = self._end, len(content), self._end + len(content)
        with files.clear_errors(self.folder, "the round is tried again"):
            self._file.seek(start)
            self._file.write(content)
        self._places[party], self._digests[party] = (start, room, len(content)), known.digest

    def known(self, party: str) -> Known:
        """What is known of a party's messages; nothing, where none has come."""
        if party not in self._places:
            return NOTHING
        start, _, length = self._places[party]
        self._file.seek(start)
        found = wire.loaded(self._file.read(length))
        parts = [
            {name.removeprefix(kind): array for name, array in found.items() if name.startswith(kind)}
            for kind in (ARRAYS, CHANGES)
        ]
        return Known(parts[0], parts[1])

    def digest(self, party: str) -> str:
        """Tells what is known of a party's messages from all else, without reading it."""
        return self._digests.get(party, "")

    def clear(self) -> None:
        self._places, self._digests, self._end = {}, {}, 0


@dataclass(frozen=True)
class Sent(Mapping[str, Arrays]):
    """What these parties have sent last, each read when it is looked at."""

    spool: Spool
    parties: tuple[str, ...]

    def __getitem__(self, party: str) -> Arrays:
        if party not in self.parties:
            raise KeyError(party)
        return self.spool.known(party).arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self.parties)

    def __len__(self) -> int:
        return len(self.parties)

    def of(self, parties: Mapping[str, object] | tuple[str, ...]) -> "Sent":
        """The same of fewer parties."""
        return Sent(self.spool, tuple(name for name in self.parties if name in parties))
