"""What a word may be, wherever it comes from: a tokenizer, a file, a saved model or another party.

A word is text of 1 to LONGEST characters that can be printed: no control characters, line ends, halves of
surrogate pairs or marks that turn the direction of writing, which Unicode files under "other" or
"separator". The two joiners of Arabic and Indic scripts are inside words, and a space is inside a phrase. No
normal form is asked for: words that only look alike cannot be told by it.
"""

from __future__ import annotations

from collections.abc import Iterable

from fedtopics.errors import InputError

LONGEST = 100  # characters
MOST = 2**20  # words that are taken from another machine at once
_JOINERS = str.maketrans("", "", "\u200c\u200d")


def is_word(word: object) -> bool:
    """Whether this may stand in a vocabulary.

    >>> is_word("naïve"), is_word("new york"), is_word(""), is_word("\\x1b[2J"), is_word("x" * 101)
    (True, True, False, False, False)
    """
    if not isinstance(word, str) or len(word) > LONGEST:
        return False
    shown = word if word.isascii() else word.translate(_JOINERS)
    return shown.isprintable() and bool(shown.strip())


def check_words(words: Iterable[object], source: str) -> None:
    """Refuse what holds anything but words; the message shows the first of them in ASCII."""
    for word in words:
        if not is_word(word):
            raise InputError(
                f"expected words of 1 to {LONGEST} characters that can be printed, got {ascii(word)[:60]} "
                f"in {source}; remove it"
            )
