"""What a party may be called: plain names that lead nowhere else."""

from __future__ import annotations

import re

from fedtopics.errors import InputError

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}")
TAKEN = ("server", "coordinator", "admin")


def party_name(text: str) -> str:
    """The text, if a party may be called so: names become parts of paths and stand in terminals."""
    if not NAME.fullmatch(text) or text.lower() in TAKEN:
        raise InputError(f"a party's name must be letters, digits, - and _, got {text!r:.60}")
    return text
