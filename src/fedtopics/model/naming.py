"""Names of topics: words that set them apart, or what a function makes of their words.

A name is made of the words of a released model and nothing else, so it costs no privacy.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from fedtopics.documents.text.harmless import one_line
from fedtopics.errors import InputError

Namer: TypeAlias = Callable[[list[str]], str]
N_WORDS = 3


def of_words(words: Sequence[str], topic: int) -> str:
    """A name made of the first of the `words` that a `topic` has; its number where it has none.

    >>> of_words(["bank", "loan", "credit", "debt"], 3), of_words([], 3)
    ('bank, loan, credit', 'topic 3')
    """
    return ", ".join(words[:N_WORDS]) or f"topic {topic}"


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
