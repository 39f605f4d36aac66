"""The only writer: all of a file or none of it, on the disk when the call returns; and reading within bounds.

`write` is for what must not be lost, for its owner alone; `write_first` for what must not be there twice;
`publish` for what people asked for, with the rights of their other files; `show` for what holds just now.
`read` takes a file of a size that was expected, no pipe or device without end.
"""

import errno
import fcntl
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex
from stat import S_ISREG
from time import monotonic, sleep
from typing import BinaryIO

from fedtopics.errors import InputError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
UNCHARGED, UNWRITTEN = "nothing was charged or sent", "nothing was written"
MOST = 2**30  # bytes of a file that is read at once


class StoreError(InputError):
    """What must not be lost cannot be written or read; nothing was sent."""


def make_folder(folder: Path) -> None:
    """Make the folder, for its owner alone."""
    folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)


def write(
    path: Path, content: bytes, *, mode: int = PRIVATE_FILE, failed: str = UNCHARGED, named: bool = True
) -> None:
    """Put `content` at `path`, all of it or nothing, durably; `failed` says what it means if that fails.

    named   whether its name is on the disk, too: who renames it next has that done then
    """
    with clear_errors(path, failed):
        _put(path, path.with_name(f".{path.name}.draft"), content, mode, named=named)


def side_by_side(*tasks: Callable[[], None]) -> None:
    """Do at once what waits for the disk; the first failure is raised when all have ended."""
    if len(tasks) == 1:
        tasks[0]()
        return
    with ThreadPoolExecutor(len(tasks)) as pool:
        done = [pool.submit(task) for task in tasks]
    for each in done:
        each.result()


def publish(path: Path, content: str | bytes, *, new: bool = False) -> None:
    """Write a file for people, all of it or nothing; a `new` one takes no other's place."""
    if new and path.exists():
        raise InputError(f"{path} exists; choose another file, nothing is overwritten")
    raw = content.encode() if isinstance(content, str) else content
    with clear_errors(path, UNWRITTEN):
        _put(path, path.with_name(f".{path.name}.{os.getpid()}.draft"), raw, None)


def show(path: Path, content: bytes) -> None:
    """Put at `path` what holds just now, for its owner alone: all of it or nothing, and no matter if lost."""
    draft = path.with_name(f".{path.name}.draft")
    with suppress(OSError):
        with os.fdopen(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, PRIVATE_FILE), "wb"
        ) as file:
            file.write(content)
        draft.replace(path)


def write_first(path: Path, content: bytes, *, durable: bool = True) -> bool:
    """Put `content` at `path` unless something is there: all of it, or False and nothing.

    Of several processes, on whichever machines that share the folder, one is the first.
    """
    draft = path.with_name(f".{path.name}.{token_hex(8)}.draft")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with clear_errors(path, UNWRITTEN):
        try:
            with os.fdopen(os.open(draft, flags, PRIVATE_FILE), "wb") as file:
                file.write(content)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            os.link(draft, path)
        except FileExistsError:
            return False
        finally:
            draft.unlink(missing_ok=True)
        if durable:
            sync_folder(path.parent)
    return True


def _put(path: Path, draft: Path, content: bytes, mode: int | None, *, named: bool = True) -> None:
    """Write the draft and give it its name; its rights are those of any new file where `mode` is None."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    try:
        descriptor = os.open(draft, flags, 0o666 if mode is None else mode)
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    if named:
        sync_folder(path.parent)


def write_blocks(path: Path, blocks: Iterable[bytes], *, new: bool = False) -> None:
    """Write a file for people in blocks, for what is too large to be held: all of it or nothing."""
    if new and path.exists():
        raise InputError(f"{path} exists; choose another file, nothing is overwritten")
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    with clear_errors(path, UNWRITTEN):
        try:
            with draft.open("wb") as file:
                for block in blocks:
                    file.write(block)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(path.parent)


@contextmanager
def archive(path: Path) -> Iterator[tarfile.TarFile]:
    """An archive to fill, for its owner alone, on the disk when it is left."""
    flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, PRIVATE_FILE), "w+b") as file:
        with tarfile.open(fileobj=file, mode="w") as made:
            yield made
        file.flush()
        os.fsync(file.fileno())


def scratch(within: Path | None = None) -> BinaryIO:
    """A file without a name, `within` a folder or among the temporary ones; gone when nobody reads it."""
    return tempfile.TemporaryFile(prefix="fedtopics-", dir=within)


@contextmanager
def scratch_folder(within: str | None) -> Iterator[Path]:
    """A new folder, for its owner alone, `within` another or among the temporary ones; then gone."""
    folder = Path(tempfile.mkdtemp(prefix="fedtopics-", dir=within)).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A draft to fill, for its owner alone, that becomes the folder `target`; nothing where that fails."""
    draft = target.with_name(f".{target.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    make_folder(draft)
    try:
        yield draft
        draft.replace(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def log(path: Path) -> BinaryIO:
    """A file that lines are added to, which nothing depends on: the log of a run or of a process."""
    return path.open("ab")


def read(path: Path, most: int = MOST, *, links: bool = True) -> bytes:
    """The bytes of a file of at most `most`; a pipe, a device, a folder or a larger file is refused.

    What was received from outside is read without `links`: it must be there itself.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | (0 if links else os.O_NOFOLLOW))
    except OSError as error:
        if links:
            raise
        raise InputError(f"expected a plain file at {path}, got none ({error.strerror})") from None
    try:
        found = os.fstat(descriptor)
        _check(found, path)
        if found.st_size > most:
            raise InputError(
                f"expected {path} with at most {most} bytes, got {found.st_size}; the right file?"
            )
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(found.st_size)
    finally:
        os.close(descriptor)


def digest(path: Path) -> str:
    """SHA-256 of what a file holds, in hexadecimal digits; a pipe, a device or a folder is refused."""
    check_regular(path)
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def check_regular(path: Path) -> None:
    """Refuse what is there but no file: a pipe would be waited for, a device read for ever."""
    _check(path.stat(), path)


def _check(found: os.stat_result, path: Path) -> None:
    if not S_ISREG(found.st_mode):
        raise InputError(f"expected a plain file at {path}, got a folder, pipe or device; save it first")


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


def lock(folder: Path, seconds: float = 0.0) -> int:
    """A lock on the folder, held until the descriptor is closed or the process ends, however it ends.

    seconds   for which another process may still hold it
    """
    until = monotonic() + seconds
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except OSError:
            if monotonic() >= until:
                break
        sleep(0.1)
    os.close(descriptor)
    raise StoreError(f"expected {folder} for one process alone, got another in it; stop that")


@contextmanager
def clear_errors(path: Path, failed: str = UNCHARGED) -> Iterator[None]:
    """Say in one line what a full or failing disk means."""
    try:
        yield
    except OSError as error:
        reason = "the disk is full" if error.errno in NO_SPACE else error.strerror
        raise StoreError(f"cannot write {path}: {reason}; {failed}: make room and start again") from error
