"""Small files, read at once: of a size that was expected, and no pipe or device that never ends."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISREG

from fedtopics.errors import InputError

MOST = 2**30


def read_whole(path: Path, most: int = MOST) -> bytes:
    """The bytes of a file of at most `most`; a pipe, a device, a folder or a larger file is refused."""
    check_regular(path)
    size = path.stat().st_size
    if size > most:
        raise InputError(f"expected at most {most} bytes in {path}, got {size}; is it the right file?")
    return path.read_bytes()


def check_regular(path: Path) -> None:
    """Refuse what is there but no file: a pipe would be waited for, a device read for ever."""
    if not S_ISREG(path.stat().st_mode):
        raise InputError(f"expected a file, got a folder, pipe or device: {path}; save it as a file first")
