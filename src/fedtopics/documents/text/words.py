"""What a word may be, wherever it comes from: a tokenizer, a file, a saved model or another party.

A word is text of 1 to LONGEST characters that can be printed: no control characters, line ends, halves of
surrogate pairs or marks that turn the direction of writing, which Unicode files under "other" or
"separator". The two joiners of Arabic and Indic scripts are inside words, and a space is inside a phrase. No
normal form is asked for: words that only look alike cannot be told by it.
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.text.harmless import quoted
from fedtopics.errors import InputError

LONGEST = 100  # characters
MOST, MOST_BYTES = 2**20, 2**26  # of words that are taken from another machine at once
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
    """Refuse what holds anything but words; the message names the first of them, unless it may be a text."""
    for word in words:
        if not is_word(word):
            got = quoted(word) if isinstance(word, str) else type(word).__name__
            raise InputError(
                f"expected words of 1 to {LONGEST} characters that can be printed, got {got} "
                f"in {source}; remove it"
            )


def word_digest(words: Sequence[str]) -> str:
    """SHA-256 of a word list, the order included, by which plans, machines and records name it."""
    return sha256("\n".join(words).encode()).hexdigest()


def word_array(words: Sequence[str]) -> NDArray[np.uint8]:
    """Words as an array, for what carries arrays alone."""
    return np.frombuffer(json.dumps(list(words)).encode(), np.uint8)


def words_of(array: NDArray[Any], most: int = MOST) -> tuple[str, ...]:
    """The words of `word_array`, at most so many; whatever else it is, is refused.

    >>> words_of(word_array(["tax", "war"]))
    ('tax', 'war')
    """
    if array.dtype != np.uint8 or array.ndim != 1:
        raise InputError(f"expected a list of words, got {array.dtype} of shape {array.shape}")
    if np.count_nonzero(array == ord(",")) >= MOST:  # refused before objects are made of it
        raise InputError(f"expected at most {MOST} words, got a longer list")
    try:
        words = json.loads(array.tobytes())
    except (ValueError, RecursionError):
        raise InputError("expected a list of words, got other bytes") from None
    if not isinstance(words, list) or not all(map(is_word, words)):
        raise InputError(f"expected words of 1 to {LONGEST} characters that can be printed, got others")
    if len(words) > most:
        raise InputError(f"expected at most {most} words, got {len(words)}")
    if len(set(words)) != len(words):
        raise InputError("expected every word once, got a list that repeats some")
    return tuple(words)
