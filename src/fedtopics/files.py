"""Files that survive a crash: written whole or not at all, and on the disk when the call returns."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fedtopics.errors import InputError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
UNCHARGED = "nothing was charged or sent"


class StoreError(InputError):
    """What must not be lost cannot be written or read; nothing was sent."""


def make_folder(folder: Path) -> None:
    """Make the folder, for its owner alone."""
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def write(path: Path, content: bytes, *, mode: int = PRIVATE_FILE, failed: str = UNCHARGED) -> None:
    """Put `content` at `path`, all of it or nothing, durably; `failed` says what it means if that fails."""
    draft = path.with_name(f".{path.name}.draft")
    with clear_errors(path, failed):
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
            with os.fdopen(descriptor, "wb") as file:
                os.fchmod(descriptor, mode)
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def append(path: Path, line: bytes) -> None:
    """Add a line to the file durably; where that fails, the file is as it was before."""
    with clear_errors(path), path.open("r+b", buffering=0) as file:
        end = file.seek(0, os.SEEK_END)
        try:
            written = 0
            while written < len(line):
                written += file.write(line[written:])
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(end)
                os.fsync(file.fileno())
            raise


def require_room(folder: Path, n_bytes: int) -> None:
    """Raise `StoreError` unless this many bytes are free on the disk of the folder."""
    found = os.statvfs(folder)
    if found.f_bavail * found.f_frsize < n_bytes:
        raise StoreError(
            f"expected {n_bytes // 2**20} MiB free on the disk of {folder}, got less; {UNCHARGED}: make room"
        )


def cut(path: Path, length: int) -> None:
    """Shorten the file durably."""
    with clear_errors(path), path.open("r+b") as file:
        file.truncate(length)
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make new names in the folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(folder: Path) -> int:
    """A lock on the folder, held until the descriptor is closed or the process ends, however it ends."""
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise StoreError(
            f"expected {folder} for one process alone, got another that uses it; stop it first"
        ) from None
    return descriptor


@contextmanager
def clear_errors(path: Path, failed: str = UNCHARGED) -> Iterator[None]:
    """Say in one line what a full or failing disk means."""
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno in NO_SPACE else error.strerror
        raise StoreError(f"cannot write {path}: {reason}; {failed}: make room and start again") from error
