"""What a party keeps on its own disk: its ledger over all runs, what it has sent, what it remembers.

    FOLDER/ledger.jsonl   every release with its price (`ledger_file`)
    FOLDER/releases/      what was released, to be sent again when the coordinator asks again
    FOLDER/memory/        the party's memory after its newest release of each run
    FOLDER/words/         which plan and which words each run began with
    FOLDER/lock           held by the one process that uses the folder

One release is one transaction: payload and memory are on the disk first, then the ledger's line, then its
head and anchor, and only then is the payload handed out. A crash before the line leaves a payload that was
never charged and is never sent; a crash after it leaves one that is sent again for free. A line that a crash
cut short is completed, never dropped: its price and payload were on the disk before it. A ledger that is gone
while anything else speaks for it is not begun anew.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from threading import Lock

from fedtopics import files
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network import wire
from fedtopics.network.party import ledger_file
from fedtopics.network.party.ledger_file import LedgerFile
from fedtopics.privacy.price.budget import Budget
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.ledger import Entry, Ledger
from fedtopics.protocol.turn import Arrays

RELEASES, MEMORY, WORDS = "releases", "memory", "words"
MODELS = "models"  # finished runs, beside the anchor


class PartyStore:
    """The durable state of one party; use it as a context manager or `close` it.

    anchor   file outside the folder that the ledger must not fall behind
    first    whether there may be no anchor yet: when a party accepts its first plan
    """

    def __init__(
        self,
        folder: str | Path,
        party: str,
        budgets: Iterable[Budget],
        *,
        secure_only: bool = True,
        anchor: Path | None = None,
        first: bool = False,
    ) -> None:
        self.folder, self.party = Path(folder), party
        self.budgets, self.secure_only = tuple(budgets), secure_only
        self.anchor, self._first = anchor, first
        for name in ("", RELEASES, MEMORY, WORDS):
            files.make_folder(self.folder / name)
        self._lock = Lock()
        self._descriptor = files.lock(self.folder)
        try:
            self._reopen()
            self._file.settle()
            self._sweep()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "PartyStore":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let another process use the folder."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @property
    def ledger_id(self) -> str:
        """What tells this party's ledger from every other, from its first line on."""
        return self._file.genesis

    @property
    def entries(self) -> list[Entry]:
        return list(self._file.entries)

    def require(self, costs: Iterable[Cost]) -> None:
        """Raise `BudgetError` unless all these costs fit into what past runs have left."""
        self._ledger.require(self.party, costs)

    def stored(self, run: str, round: int, operation: str) -> bytes | None:  # noqa: A002
        """What was released here before, None where nothing was."""
        entry = self.charged(run, round, operation)
        if entry is None:
            return None
        path = release_path(self.folder, entry)
        if not path.is_file():
            raise StoreError(f"run {run} was finished and its releases deleted; start a new run")
        self._file.settle()
        payload = _unframed(path)[1]
        if sha256(payload).hexdigest() != entry.content:
            raise StoreError(f"release {path} was altered: it is not what the ledger names; nothing is sent")
        return payload

    def commit(
        self,
        run: str,
        round: int,  # noqa: A002
        operation: str,
        cost: Cost,
        payload: bytes,
        memory: Arrays | None = None,
    ) -> bytes:
        """Charge a release and keep it and the memory after it; the bytes that may now be sent.

        A retry gives what was released the first time, charges nothing and leaves the memory alone.
        """
        with self._lock:
            if self._descriptor < 0:
                raise StoreError("expected an open store, got one that was closed")
            known = self.stored(run, round, operation)
            if known is not None:
                return known
            entry = self._priced(_name(run, operation), round, cost, sha256(payload).hexdigest())
            self._put(entry, payload, memory)
            self._file.settle()
            if memory is not None:
                self._drop_memory(run, but=entry)
            return payload

    def _put(self, entry: Entry, payload: bytes, memory: Arrays | None) -> None:
        """Write a release and then its line; what was not charged leaves its room to the next line."""
        try:
            framed = {release_path(self.folder, entry): ledger_file.line(entry) + payload}
            framed |= {} if memory is None else {self._memory_path(entry): wire.saved(memory)}
            files.side_by_side(*(partial(files.write, *each) for each in framed.items()))
            self._charge(entry)
        except Exception:
            if self._descriptor >= 0 and entry not in self._file.entries:
                with suppress(OSError):
                    self._delete(entry)
            raise

    def _charge(self, entry: Entry) -> None:
        """Write the line; where the disk fails, what it then holds decides whether the release is charged."""
        try:
            self._file.append(entry)
        except Exception:
            try:
                self._reopen()
            except Exception:
                self.close()
            raise

    def load_memory(self, run: str) -> Arrays:
        """The memory after the newest release of the run that had one; empty before."""
        known = self._remembered.get(run)
        for entry in reversed(self.of_run(run)) if known is None else [known]:
            path = self._memory_path(entry)
            if path.is_file():
                try:
                    return wire.loaded(path.read_bytes())
                except wire.WireError:
                    raise StoreError(f"memory {path} was altered; the run cannot go on here") from None
        return {}

    def forget(self, run: str) -> None:
        """Delete what a finished run has left, save its lines in the ledger and the name of its plan."""
        for entry in self.of_run(run):
            self._delete(entry)
        for kind in ("candidates", "words", "key", "peers", "sums", "documents"):
            self.note(run, kind).unlink(missing_ok=True)

    def note(self, run: str, kind: str) -> Path:
        """Where something of a run is noted, such as its `plan`, its `words` or its `key`."""
        return self.folder / WORDS / f"{sha256(run.encode()).hexdigest()[:32]}.{kind}"

    def _delete(self, entry: Entry) -> None:
        release_path(self.folder, entry).unlink(missing_ok=True)
        self._memory_path(entry).unlink(missing_ok=True)

    def run_ledger(self, run: str) -> Ledger:
        """A ledger of this run alone, for its record."""
        ledger = Ledger(run=run)
        for entry in self.of_run(run):
            ledger.run = entry.run
            ledger.charge(entry.party, entry.round, entry.cost, content=entry.content)
        return ledger

    def _reopen(self) -> None:
        """Read the lines; from now on the ledger of all runs follows what is appended to them."""
        self._file = self._open()
        self._ledger = Ledger("", self.budgets, secure_only=self.secure_only, entries=self._file.entries)
        self._remembered: dict[str, Entry] = {}  # the newest release of each run that left a memory

    def _open(self) -> LedgerFile:
        lines, head = self.folder / ledger_file.LINES, self.folder / ledger_file.HEAD
        gone = next((path for path in (lines, head) if not path.is_file()), None)
        trace = next(self._traces(lines, head), None)
        if gone is not None and trace is not None:
            raise StoreError(f"expected {gone} beside {trace}, got none; restore it: nothing is sent before")
        if self.anchor is not None and not self._first and not self.anchor.is_file():
            raise StoreError(
                f"expected {self.anchor} that names the end of the ledger, got none; restore it, or accept "
                "the plan anew where it was accepted before there were anchors"
            )
        if gone == lines:
            return ledger_file.create(self.folder, self.party, self.anchor)
        found = ledger_file.read(self.folder, self.anchor)
        if found.party != self.party:
            raise StoreError(f"{self.folder} holds the ledger of party {found.party!r}, got {self.party!r}")
        if found.torn:
            found.complete(self._cut_short(found))
        return found

    def _traces(self, lines: Path, head: Path) -> Iterator[Path]:
        """What only a party leaves behind that had a ledger."""
        folders = [self.folder / name for name in (RELEASES, MEMORY, WORDS)]
        if self.anchor is not None:
            folders.append(self.anchor.with_name(MODELS))
            if self.anchor.is_file():
                yield self.anchor
        yield from (path for folder in folders if folder.is_dir() for path in folder.iterdir())
        if not lines.is_file() and head.is_file():
            yield head

    def _sweep(self) -> None:
        """Delete what a crash has left of releases that were never charged."""
        kept = {self._memory_path(entry) for entry in self._file.entries}
        kept |= {release_path(self.folder, entry) for entry in self._file.entries}
        for name in (RELEASES, MEMORY):
            for path in (self.folder / name).iterdir():
                if path not in kept:
                    path.unlink()

    def _cut_short(self, found: LedgerFile) -> Entry:
        """The entry whose line a crash has cut short: the one that was about to be charged."""
        beginning = found.torn.rstrip(b"\0")  # some file systems fill up with zeros
        for path in sorted((self.folder / RELEASES).glob("*.release")):
            entry = _unframed(path)[0]
            if entry.previous == found.head and ledger_file.line(entry).startswith(beginning):
                return entry
        raise StoreError(
            f"the last line of {self.folder / ledger_file.LINES} is cut short and no release explains it; "
            "nothing is released until the file is restored"
        )

    def _priced(self, name: str, number: int, cost: Cost, content: str) -> Entry:
        """The next entry, if the budgets allow it."""
        self._ledger.run = name
        entry = self._ledger.priced(self.party, number, cost, content)
        if entry is None:
            raise StoreError(f"round {number} of {name} was charged before, got it again; start a new run")
        return replace(entry, previous=self._file.head)

    def charged(self, run: str, number: int, operation: str) -> Entry | None:
        """The line of this release, None where there is none."""
        return self._ledger.charged(_name(run, operation), number, self.party)

    def of_run(self, run: str) -> list[Entry]:
        return [entry for entry in self._file.entries if entry.run.startswith(f"{_name(run, '')}")]

    def _memory_path(self, entry: Entry) -> Path:
        return self.folder / MEMORY / f"{_file_name(entry)}-{entry.content[:16]}.memory"

    def _drop_memory(self, run: str, but: Entry) -> None:
        """Delete the memory before that of `but`; at first, whatever a crash has left of this run."""
        known = self._remembered.get(run)
        for entry in self.of_run(run) if known is None else [known]:
            if entry is not but:
                self._memory_path(entry).unlink(missing_ok=True)
        self._remembered[run] = but


def _name(run: str, operation: str) -> str:
    """How the ledger calls a run's operation."""
    if not run or "/" in run + operation:
        raise InputError(f"names of runs and operations must have no slash, got {run!r} and {operation!r}")
    return f"{run}/{operation}"


def release_path(folder: Path, entry: Entry) -> Path:
    """Where the store in a folder keeps what was released."""
    return folder / RELEASES / f"{_file_name(entry)}.release"


def _file_name(entry: Entry) -> str:
    """A name that says nothing and cannot lead out of the folder."""
    return sha256(f"{entry.run}/{entry.round}".encode()).hexdigest()[:32]


def _unframed(path: Path) -> tuple[Entry, bytes]:
    described, _, payload = path.read_bytes().partition(b"\n")
    return ledger_file.parsed(described, str(path)), payload
