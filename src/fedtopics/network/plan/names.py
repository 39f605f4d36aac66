"""What comes from outside: plain names that lead nowhere else, and plain files of a bounded size."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from fedtopics.errors import InputError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}")
TAKEN = ("server", "coordinator", "admin")


def party_name(text: str) -> str:
    """The text, if a party may be called so: names become parts of paths and stand in terminals."""
    if not NAME.fullmatch(text) or text.lower() in TAKEN:
        raise InputError(f"a party's name must be letters, digits, - and _, got {text!r:.60}")
    return text


def read_file(path: Path, most: int) -> bytes:
    """The content of a plain file of at most `most` bytes; links, pipes and devices are refused unread."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise InputError(f"expected a plain file at {path}, got none ({error.strerror})") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"expected a plain file at {path}, got a folder, pipe or device")
        if found.st_size > most:
            raise InputError(
                f"expected {path} with at most {most} bytes, got {found.st_size}; ask who sent it"
            )
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    finally:
        os.close(descriptor)
