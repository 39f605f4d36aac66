"""Names of topics: words that set them apart, or what a function makes of their words.

A name is made of the words of a released model and nothing else, so it costs no privacy.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from fedtopics.documents.text.harmless import one_line
from fedtopics.errors import InputError

Namer: TypeAlias = Callable[[list[str]], str]
N_WORDS = 3
N_TRIED = 10  # words of a topic that its name is made of
BEGINNING, ENDING = 5, 2  # letters that forms of one word have in common, or a short one lacks


def of_words(words: Sequence[str], topic: int) -> str:
    """A name made of the first of the `words` that a `topic` has, but for other forms of one that is in it.

    >>> of_words(["bank", "banks", "loan", "credit", "debt"], 3), of_words([], 3)
    ('bank, loan, credit', 'topic 3')
    """
    name: list[str] = []
    for word in words:
        if len(name) < N_WORDS and not any(_one_word(word, other) for other in name):
            name.append(word)
    return ", ".join(name) or f"topic {topic}"


def _one_word(one: str, other: str) -> bool:
    """Whether two words look like forms of one, by their beginning; those of two languages never do.

    >>> [_one_word(*pair.split()) for pair in ("court courts", "mexico mexican", "tax taxes", "war warship")]
    [True, True, True, False]
    """
    (language, _, short), (another, _, long) = sorted(
        (word.rpartition(":") for word in (one, other)), key=lambda parts: len(parts[2])
    )
    ending = len(short) >= BEGINNING or len(long) - len(short) <= ENDING
    return language == another and long.startswith(short[:BEGINNING]) and ending


def by(namer: Namer, words: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """What `namer` calls the topics of these `words`; it is given the words of one topic at a time.

    >>> by(lambda words: words[0].upper(), [["bank", "loan"], ["war"]])
    ('BANK', 'WAR')
    """
    return tuple(_checked(namer(list(row)), topic) for topic, row in enumerate(words))


def _checked(name: object, topic: int) -> str:
    if not isinstance(name, str) or not name.strip():
        raise InputError(
            f"expected a name for topic {topic} from the function, got {type(name).__name__}; give a text"
        )
    return one_line(name.strip())
