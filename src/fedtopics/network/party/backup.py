"""A copy of what a party must not lose, in one file, and the way back that forgets nothing that was spent.

    manifest.json   format, party, time, version, where the ledger ends, SHA-256 of every file
    party.key, certificates, plan, word list, policy, acceptance, source;  ledger.anchor, store/, models/

A backup may be older than the folder that was lost. What can be read there, or is read in it now, must be in
the backup: else it would forget releases, and is refused. Where nothing says that the backup is the newest,
the party makes no release (`restored.json`) until somebody has said which runs have begun since. Those are
charged in full. And the coordinator shows a party what it has itself signed, whenever it says hello
(`party.witness`): a ledger without that was put back from a copy, by whatever means.
"""

import io
import json
import os
import re
import tarfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from fedtopics import __version__, files
from fedtopics.errors import InputError
from fedtopics.files import StoreError
from fedtopics.network.party import ledger_file
from fedtopics.network.party.ledger_file import ANCHOR, HEAD, LINES, LedgerFile
from fedtopics.network.party.runs import FAILED
from fedtopics.network.party.store import PartyStore
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.terms import as_drawn

FORMAT, MANIFEST = "fedtopics/backup/1", "manifest.json"
FILES = ("party.key", "party.crt", "ca.crt", "signing.pub", "plan.toml", "words.txt", "policy.toml")
NOTED = ("acceptance.json", "source.json", ANCHOR)
FOLDERS = ("store", "models")
NAME = re.compile(r"(store|models)(/[A-Za-z0-9][A-Za-z0-9._-]*){1,4}")
RESTORED = "restored.json"
ATTEMPTS = 5  # while the party works
LOST = 10**6  # numbers of rounds from here on stand for releases that a backup did not know of
MOST_BYTES = 2**34  # of one file


@dataclass(frozen=True)
class Backup:
    """What a manifest says."""

    party: str
    time: str
    entries: int
    head: str
    files: dict[str, str]
    format: str = FORMAT
    version: str = __version__


def back_up(folder: Path, target: Path) -> Backup:
    """Write a backup of the party in `folder` to a new file, also while it waits for questions."""
    if target.exists():
        raise InputError(f"expected a new file, got {target}; choose another name, nothing is overwritten")
    for _ in range(ATTEMPTS):
        try:
            found = _written(folder, target)
        except StoreError as error:
            if isinstance(error.__cause__, FileNotFoundError):  # what was there is gone: the party works
                continue
            raise
        if ledger_file.read(folder / "store", folder / ANCHOR).head == found.head:
            return found
        target.unlink()
    raise StoreError(f"the party in {folder} works all the time; stop it, or try again between two runs")


def _written(folder: Path, target: Path) -> Backup:
    ledger = ledger_file.read(folder / "store", folder / ANCHOR)
    paths = {path.relative_to(folder).as_posix(): path for path in _paths(folder)}
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        with (
            files.clear_errors(target, files.UNWRITTEN),
            files.archive(draft) as archive,
        ):
            digests = {name: _added(archive, name, path) for name, path in paths.items()}
            now = datetime.now(UTC).isoformat(timespec="seconds")
            found = Backup(ledger.party, now, len(ledger.entries), ledger.head, digests)
            _add(archive, MANIFEST, json.dumps(vars(found), indent=1).encode())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return found


def _paths(folder: Path) -> list[Path]:
    """Every file of a backup; documents and logs are none of them."""
    found = [folder / name for name in (*FILES, *NOTED) if (folder / name).is_file()]
    for name in FOLDERS:
        found += sorted(path for path in (folder / name).rglob("*") if path.is_file() and path.name != "lock")
    return [path for path in found if not path.name.startswith(".")]


def _added(archive: tarfile.TarFile, name: str, path: Path) -> str:
    content = files.read(path, MOST_BYTES)
    _add(archive, name, content)
    return sha256(content).hexdigest()


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    described = tarfile.TarInfo(name)
    described.size, described.mode = len(content), files.PRIVATE_FILE
    archive.addfile(described, io.BytesIO(content))


def restore(source: Path, folder: Path) -> tuple[Backup, bool]:
    """Put a backup into `folder`, if it lacks no release that is known; and whether it is the newest."""
    with tarfile.open(fileobj=io.BytesIO(files.read(source, MOST_BYTES)), mode="r:") as archive:
        backup, contents = _opened(archive, source)
    files.make_folder(folder / "store")
    held = files.lock(folder / "store")
    try:
        chain = _chain(contents[f"store/{LINES}"], source)
        newest = _check_known(folder, backup, chain)
        if not newest:
            told = {"backup": backup.time, "entries": backup.entries, "source": source.name}
            files.write(folder / RESTORED, json.dumps(told).encode())
        for path in _paths(folder):  # what is not in the backup belongs to another state
            if path.parent != folder:
                path.unlink()
        for name, content in sorted(contents.items(), key=lambda item: item[0].startswith("store/ledger")):
            files.make_folder((folder / name).parent)
            files.write(folder / name, content, failed=files.UNWRITTEN)
    finally:
        os.close(held)
    ledger_file.read(folder / "store", folder / ANCHOR)
    return backup, newest


def _opened(archive: tarfile.TarFile, source: Path) -> tuple[Backup, dict[str, bytes]]:
    """The manifest and all files of a backup, if none was altered and none leads out of the folder."""
    contents: dict[str, bytes] = {}
    for member in archive.getmembers():
        file = archive.extractfile(member) if member.isfile() else None
        known = member.name in (*FILES, *NOTED, MANIFEST) or NAME.fullmatch(member.name)
        if file is None or not known or ".." in member.name:
            raise InputError(f"expected a backup of a party in {source}, got {member.name!r:.60} in it")
        contents[member.name] = file.read()
    try:
        backup = Backup(**json.loads(contents.pop(MANIFEST)))
    except (KeyError, TypeError, ValueError, RecursionError):
        raise InputError(f"expected a backup of a party in {source}, got none that is whole") from None
    if backup.format != FORMAT:
        raise InputError(f"expected a backup of format {FORMAT}, got {backup.format!r:.40}; which version?")
    found = {name: sha256(content).hexdigest() for name, content in contents.items()}
    if found != backup.files or f"store/{LINES}" not in found:
        wrong = sorted(set(found.items()) ^ set(backup.files.items()))
        named = wrong[0][0] if wrong else LINES
        raise InputError(f"expected the files that were backed up, got another {named} in {source}: altered")
    return backup, contents


def _chain(content: bytes, source: Path) -> list[str]:
    """Digests of the ledger's lines in a backup, the header's first."""
    header, *rows = content.splitlines(keepends=True)
    return [sha256(header).hexdigest(), *(ledger_file.parsed(row, str(source)).digest for row in rows)]


def _check_known(folder: Path, backup: Backup, chain: Sequence[str]) -> bool:
    """Refuse a backup that lacks a release which is known here; whether its ledger ends where it should."""
    if chain[-1] != backup.head or len(chain) != backup.entries + 1:
        raise InputError("expected a backup whose ledger ends where its manifest says, got another")
    marks = [_mark(path) for path in (folder / ANCHOR, folder / "store" / HEAD)]
    known = [mark for mark in marks if mark is not None]
    for number, head in known:
        if number > backup.entries or chain[number] != head:
            raise StoreError(
                f"expected a backup with the {number} releases that are known in {folder}, got one of "
                f"{backup.time} with {backup.entries} or others: it would forget what was spent; find a newer"
            )
    lines = folder / "store" / LINES
    for row in lines.read_bytes().splitlines(keepends=True)[1:] if lines.is_file() else ():
        try:
            digest = ledger_file.parsed(row, str(lines)).digest
        except StoreError:  # damaged: what it was nobody can say
            continue
        if digest not in chain:
            raise StoreError(
                f"expected a backup with every release in {lines}, got one without; find a newer"
            )
    return any(number == backup.entries for number, _ in known[:1])


def _mark(path: Path) -> tuple[int, str] | None:
    """How many releases a head or anchor knows of, and the last; None where it cannot be read."""
    try:
        kept: Any = json.loads(path.read_bytes())
        return int(kept["entries"]), str(kept["head"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def require_settled(folder: Path) -> None:
    """Raise while nobody has said what was spent since the backup that this folder was restored from."""
    if (folder / RESTORED).is_file():
        raise StoreError(
            f"{folder} was restored from a backup: nothing is released before you say which runs have begun "
            "since. For each: fedtopics federation party charge FOLDER --run NAME; if none has: --none"
        )


def charge(folder: Path, party: str, plan: Plan, runs: Sequence[str]) -> int:
    """Charge all that these runs may have cost beyond what is known, whatever the budget; how many."""
    made = 0
    with PartyStore(folder / "store", party, (), secure_only=False, anchor=folder / ANCHOR) as store:
        for run in runs:
            known = Counter(replace(entry.cost, alone=()) for entry in store.of_run(run))
            due = [
                as_drawn(cost, plan.simulation_seed is None)
                for cost in plan.costs(plan.vocabulary.most_words)
            ]
            left = list((Counter(replace(cost, alone=()) for cost in due) - known).elements())
            for number, cost in enumerate(left or due[:1], start=LOST + len(store.of_run(run))):
                store.commit(run, number, FAILED, cost, b"")
                made += 1
    (folder / RESTORED).unlink(missing_ok=True)
    return made


def is_charged(ledger: LedgerFile | PartyStore, run: str) -> bool:
    """Whether the run was charged in full because a backup did not know all of it."""
    return any(entry.run == f"{run}/{FAILED}" and entry.round >= LOST for entry in ledger.entries)
