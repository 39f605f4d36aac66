"""The ledger of one party on its disk: one JSON line for every release of every run, chained by hash.

    ledger.jsonl   {"format": "fedtopics/ledger/1", "party": NAME, "id": RANDOM}
                   {"run": ..., "round": ..., "cost": ..., "content": ..., "previous": ..., "digest": ...}
                   ...
    ledger.head    number of entries and digest of the last one, so that lines cut off the end are noticed
    ledger.anchor  the same, outside the folder: so that a folder that was deleted or put back is noticed

Each entry names the digest of the one before; the first that of the header. What stands behind the last line
break is a line that a crash cut short: its release was not sent yet, as sending waits for the whole line.
Head and anchor follow the line: a crash in between leaves them behind the ledger, never ahead of it, and the
next opening writes them anew.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from fedtopics import files
from fedtopics.files import StoreError
from fedtopics.network import attestation
from fedtopics.network.attestation import AttestationError, Statement
from fedtopics.network.verification import Verified
from fedtopics.privacy.price.cost import Cost
from fedtopics.privacy.price.ledger import Entry

FORMAT = "fedtopics/ledger/1"
LINES, HEAD, ANCHOR = "ledger.jsonl", "ledger.head", "ledger.anchor"


@dataclass
class LedgerFile:
    """The lines of a ledger that was read and found unaltered."""

    folder: Path
    party: str
    genesis: str
    entries: list[Entry] = field(default_factory=list)
    torn: bytes = b""
    anchor: Path | None = None
    settled: bool = False  # whether head and anchor name the last entry

    @property
    def head(self) -> str:
        return self.entries[-1].digest if self.entries else self.genesis

    @property
    def marks(self) -> tuple[Path, ...]:
        """The files that name the last entry, in the order in which they are first written."""
        head = self.folder / HEAD
        return (head,) if self.anchor is None else (head, self.anchor)

    def append(self, entry: Entry) -> None:
        """Add an entry; when this returns, it will survive any crash."""
        if self.torn:
            raise StoreError(f"expected whole lines in {self.folder / LINES}, got one that is cut short")
        files.append(self.folder / LINES, line(entry))
        self.entries.append(entry)
        self.settled = False

    def complete(self, entry: Entry) -> None:
        """Write the line of `entry` in place of the beginning of it that a crash has left."""
        path = self.folder / LINES
        files.cut(path, path.stat().st_size - len(self.torn))
        self.torn = b""
        self.append(entry)

    def settle(self) -> None:
        """Let head and anchor name the last entry, where they do not yet: nothing is sent before."""
        if not self.settled:
            named = json.dumps({"entries": len(self.entries), "head": self.head}).encode()
            failed = "what was charged stays charged, and is sent when asked again"
            writes = [partial(files.write, path, named, failed=failed) for path in self.marks]
            if all(path.is_file() for path in self.marks):
                files.side_by_side(*writes)
            else:  # at first in order: an anchor without a head is a ledger that was put away
                for write in writes:
                    write()
            self.settled = True


def create(folder: Path, party: str, anchor: Path | None = None) -> LedgerFile:
    """A ledger without entries, in a folder that has none."""
    header = json.dumps({"format": FORMAT, "party": party, "id": os.urandom(16).hex()}) + "\n"
    files.write(folder / LINES, header.encode())
    return LedgerFile(folder, party, sha256(header.encode()).hexdigest(), anchor=anchor)


def read(folder: Path, anchor: Path | None = None) -> LedgerFile:
    """The ledger in a folder; one that was altered, cut, or put back from before its anchor is refused."""
    path = folder / LINES
    if not path.is_file():
        raise StoreError(f"expected a party's ledger in {folder}, got no {LINES} there; check the path")
    header, *rows = path.read_bytes().splitlines(keepends=True) or [b""]
    torn = rows.pop() if rows and not rows[-1].endswith(b"\n") else b""
    found = LedgerFile(folder, _party(header, path), sha256(header).hexdigest(), torn=torn, anchor=anchor)
    for number, row in enumerate(rows, start=2):
        place = f"{path}, line {number}"
        entry = parsed(row, place)
        if entry.previous != found.head:
            raise _altered(place)
        found.entries.append(entry)
    named = [_check_mark(found, mark) for mark in found.marks if mark.is_file()]
    if found.entries and not (folder / HEAD).is_file():
        raise StoreError(f"expected {folder / HEAD} beside the ledger, got none; restore it")
    found.settled = named == [len(found.entries)] * len(found.marks)
    return found


def own_statement(folder: Path, run: str, plan: str) -> Statement:
    """What the party of this folder would state now of a run: as its ledger on the disk says."""
    ledger = read(folder / "store", folder / ANCHOR)
    entries = [entry for entry in ledger.entries if entry.run.startswith(f"{run}/")]
    return attestation.stated(ledger.party, run, plan, entries)


def check_ledger(found: Mapping[str, Verified | None], ledger: LedgerFile) -> None:
    """Raise unless a party's ledger still holds every release that it has signed for."""
    held = found.get(ledger.party)
    signed = [] if held is None else [digest for _, _, digest in held.statement.entries]
    if not set(signed) <= {entry.digest for entry in ledger.entries}:
        raise AttestationError(
            f"expected the releases that {ledger.party} has signed for in {ledger.folder}, got a ledger "
            "without them: it was put back from a copy; restore the newest one"
        )


def line(entry: Entry) -> bytes:
    return json.dumps({**entry.to_dict(), "digest": entry.digest}).encode() + b"\n"


def _party(header: bytes, path: Path) -> str:
    described = _object(header, f"{path}, line 1")
    if described.get("format") != FORMAT or not isinstance(described.get("party"), str):
        raise StoreError(f"expected a ledger of format {FORMAT} in {path}, got another file")
    return str(described["party"])


def parsed(row: bytes, place: str) -> Entry:
    """The entry of a line that was not altered."""
    described = _object(row, place)
    digest = described.pop("digest", None)
    try:
        entry = Entry(**{**described, "cost": Cost.from_dict(described["cost"])})
    except (KeyError, TypeError, ValueError):
        raise _altered(place) from None
    if entry.digest != digest:
        raise _altered(place)
    return entry


def _object(row: bytes, place: str) -> dict[str, Any]:
    try:
        described = json.loads(row)
    except (ValueError, RecursionError):
        raise _altered(place) from None
    if not isinstance(described, dict):
        raise _altered(place)
    return described


def _altered(place: str) -> StoreError:
    return StoreError(
        f"ledger was altered at {place}: hash chain broken; nothing is sent until it is restored"
    )


def _check_mark(found: LedgerFile, path: Path) -> int:
    """How many entries head or anchor know of; a ledger that ends before them, or is another, is refused."""
    kept = _object(path.read_bytes(), str(path))
    number, known = kept.get("entries"), [found.genesis, *(entry.digest for entry in found.entries)]
    if not isinstance(number, int) or not 0 <= number <= len(found.entries):
        raise StoreError(
            f"expected {number} releases in {found.folder / LINES}, got {len(found.entries)}: "
            "lines were cut off; nothing is released until they are restored"
        )
    if known[number] != kept.get("head"):
        raise _altered(str(path))
    return number
