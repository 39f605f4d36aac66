"""Documents in several languages: each is cut by the rules of its own, and its words are kept apart.

A word stands with its language in front, "de:steuer": what looks alike in two languages is not the same word.
Stop words are those of each language. A public dictionary can tie topics together (`related_words`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from fedtopics.documents.text import indexing
from fedtopics.documents.text.indexing import Indexed, index_texts
from fedtopics.documents.text.stop_words import stop_words_for
from fedtopics.documents.text.tokens import tokenizer_for
from fedtopics.errors import InputError

BETWEEN = "+"  # languages of one model: "de+en"
_Pairs: TypeAlias = Iterable[tuple[str | None, str]]
_CODE = re.compile(r"[a-z]{2,3}")


def named(language: str, word: str) -> str:
    """A word with its language.

    >>> named("de", "steuer")
    'de:steuer'
    """
    return f"{language}:{word}"


def several(language: str | None) -> tuple[str, ...]:
    """The languages of a model or a corpus that has several; none where it has one.

    >>> several("de+en"), several("en")
    (('de', 'en'), ())
    """
    parts = tuple((language or "").split(BETWEEN))
    return parts if len(parts) > 1 else ()


def index_languages(
    pairs: _Pairs, splitter: Callable[[str], Callable[[str], list[str]] | None], *, apart: bool
) -> tuple[Indexed, str]:
    """Texts that come with their languages over all words, and the languages as one name.

    splitter   gives what cuts texts of a language into sentences, if anything does
    apart      words stand with their language even where all texts have one
    """
    texts, places = _by_language(pairs)
    parts: list[Indexed] = []
    for language in sorted(texts):
        own = index_texts(texts[language], tokenizer_for(language), splitter(language))
        words = (named(language, word) for word in own.vocabulary)
        parts.append(own._replace(vocabulary=tuple(words)) if apart or len(texts) > 1 else own)
    joined = indexing.join(list(_over_all_words(parts)))
    order = np.argsort(np.concatenate([places[language] for language in sorted(places)]))
    return indexing.select(joined, order.astype(np.int64)), BETWEEN.join(sorted(texts))


def stop_words_of(languages: Sequence[str], *, apart: bool) -> Collection[str]:
    """The stop words of all these languages, with them if they stand `apart`."""
    if not apart and len(languages) == 1:
        return stop_words_for(languages[0])
    return frozenset(named(language, word) for language in languages for word in stop_words_for(language))


def _by_language(
    pairs: Iterable[tuple[str | None, str]],
) -> tuple[dict[str, list[str]], dict[str, list[int]]]:
    texts: dict[str, list[str]] = {}
    places: dict[str, list[int]] = {}
    for number, (given, text) in enumerate(pairs):
        language = (given or "").strip().lower()
        if not _CODE.fullmatch(language):
            got = f"{len(language)} characters" if language else "none"  # it might be of a document
            raise InputError(
                f"expected the code of a language, as en or de, for every document, got {got} for document "
                f"{number}"
            )
        texts.setdefault(language, []).append(text)
        places.setdefault(language, []).append(number)
    return texts, places


def _over_all_words(parts: list[Indexed]) -> Iterator[Indexed]:
    """The same documents, each part's words numbered behind those of the parts before."""
    vocabulary = tuple(word for part in parts for word in part.vocabulary)
    first = 0
    for part in parts:
        yield part._replace(words=part.words + np.int32(first), vocabulary=vocabulary)
        first += len(part.vocabulary)
