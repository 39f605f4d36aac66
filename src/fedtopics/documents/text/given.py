"""What may be given as texts: a list of strings, or strings that come one by one."""

from collections.abc import Iterable, Mapping

from fedtopics.errors import InputError


def check_text(text: object) -> str:
    """The text, if it is one."""
    if isinstance(text, str):
        return text
    hint = "; rows with names go in as a list of them" if isinstance(text, Mapping) else ""
    raise InputError(f"expected every text as a string, got {type(text).__name__}{hint}")


def check_words(words: object, example: str) -> None:
    """Refuse one text where a list of words is expected: its letters would be taken for them."""
    if isinstance(words, str):
        raise InputError(f"expected a list of words, got one string; for example [{example!r}]")


def check_texts(texts: object) -> None:
    """Refuse one text, and what has names where texts are expected: a mapping, a table with its columns."""
    if isinstance(texts, str | Mapping) or hasattr(texts, "columns") or not isinstance(texts, Iterable):
        kind = "one string" if isinstance(texts, str) else type(texts).__name__
        raise InputError(f"expected a list of texts, got {kind}; put them in a list, or read() them")
