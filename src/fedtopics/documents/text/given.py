"""What may be given as texts: a list of strings, or strings that come one by one."""

from collections.abc import Iterable, Mapping

from fedtopics.errors import InputError


def check_texts(texts: object) -> None:
    """Refuse one text, and what has names where texts are expected: a mapping, a table with its columns."""
    if isinstance(texts, str | Mapping) or hasattr(texts, "columns") or not isinstance(texts, Iterable):
        kind = "one string" if isinstance(texts, str) else type(texts).__name__
        raise InputError(f"expected a list of texts, got {kind}; put them in a list, or read() them")
