"""pyarrow, where it is needed: Parquet, data frames, answers of PostgreSQL (extra `fedtopics[arrow]`)."""

from importlib import import_module
from typing import Any

from fedtopics.errors import InputError

INSTALL = "install it with: pip install 'fedtopics[arrow]'"


def arrow(what: str, otherwise: str = "") -> Any:
    """The package pyarrow; an error that says `what` it reads, and what to do `otherwise`, without it."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise InputError(f"{what} are read by the package pyarrow; {INSTALL}{otherwise}") from None
