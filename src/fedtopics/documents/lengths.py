"""How long texts are, roughly: a public choice, never read from the documents.

Short texts are messages, titles, subjects, search queries: up to about ten words that say something. They hide
little of each word in noise, as there are so few: a smaller vocabulary and one topic for each serve them best.
"""

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
        raise InputError(f"texts must be {' or '.join(KINDS)}, got {texts!r:.60}")
    return texts == SHORT
