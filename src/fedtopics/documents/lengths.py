"""How long texts are, roughly: a public choice, never read from the documents.

Short texts are messages, titles, subjects, search queries: up to about ten words that say something. They are
easily lost among the words that noise makes up: a smaller vocabulary and one topic each serve them best.
"""

from collections.abc import Mapping
from typing import Any

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

SHORT, LONG = "short", "long"
KINDS = (LONG, SHORT)
MOST_WORDS = 2_000  # of short texts, where they are read from the documents
LISTED_WORDS = 5_000  # of short texts, where they are those of a public list: not all of them occur
DISTINCT_WORDS = 5.0  # of a short text, for the forecast


def is_short(texts: str) -> bool:
    """Whether these are short texts.

    >>> is_short("short"), is_short("long")
    (True, False)
    """
    if texts not in KINDS:
        raise InputError(f"texts must be {' or '.join(KINDS)}, got {quoted(texts)}")
    return texts == SHORT


def reading(texts: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options `given` for reading, with a bound on the vocabulary of short `texts` where none was chosen.

    >>> reading("short", {})["max_words"], "max_words" in reading("short", {"vocabulary": "english-1000"})
    (2000, False)
    """
    chosen = any(given.get(name) is not None for name in ("vocabulary", "vocabulary_epsilon", "max_words"))
    return {**given} if chosen or not is_short(texts) else {**given, "max_words": MOST_WORDS}
