"""What commands print alike, and the files that they may write."""

import json
import re
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Any, TextIO

import typer

from fedtopics.documents.text.harmless import printable
from fedtopics.errors import InputError


def require_new_file(path: Path | None, option: str, suffix: str | None = None) -> None:
    """Refuse a file that could not be written in the end, before anything is computed for it."""
    if path is None:
        return
    if suffix is not None and path.suffix.lower() != suffix:
        raise InputError(f"{option} writes a {suffix} file, got {path}; let its name end in {suffix}")
    if path.exists():
        raise InputError(f"{path} exists; choose another {option}, nothing is overwritten")
    if not path.parent.is_dir():
        raise InputError(f"{option} needs a folder that exists, got {path}; make {path.parent} first")


def say(line: object, *, beside: bool = False) -> None:
    """Print a line for people, harmless whatever it quotes; `beside` what a program reads: on stderr."""
    text = printable(str(line))
    to = sys.stderr if beside else sys.stdout
    typer.echo("\n".join(wrapped(part, to) for part in text.split("\n")), err=beside)


def wrapped(text: str, to: TextIO) -> str:
    """A line, cut at words to the width of the terminal where it goes to one."""
    if not to.isatty():
        return text
    start = re.match(r" *(?:note: |error: )?", text)
    behind = " " * ((start.end() if start else 0) or 2)
    width = shutil.get_terminal_size().columns
    return textwrap.fill(
        text, width, subsequent_indent=behind, break_long_words=False, break_on_hyphens=False
    )


def print_json(value: Any) -> None:
    """Write `value` to standard output as strict JSON."""
    typer.echo(json.dumps(value, indent=1, allow_nan=False))
