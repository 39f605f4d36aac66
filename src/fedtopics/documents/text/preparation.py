"""From texts to documents over a chosen vocabulary: tokenize, index, filter."""

import logging
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypedDict, Unpack

from fedtopics import files
from fedtopics.documents.text import word_lists
from fedtopics.documents.text.harmless import quoted, shown_path
from fedtopics.documents.text.indexing import Indexed, document_frequency, index_texts, with_vocabulary
from fedtopics.documents.text.languages import BETWEEN, index_languages, named, several, stop_words_of
from fedtopics.documents.text.stop_words import stop_words_for
from fedtopics.documents.text.tokens import SentenceSplitter, Tokenizer, paragraphs, tokenizer_for
from fedtopics.documents.text.word_filter import WordFilter
from fedtopics.documents.text.words import check_words
from fedtopics.errors import EmptyCorpusError, InputError

logger = logging.getLogger(__name__)


class TextOptions(TypedDict, total=False):
    """How texts become words.

    vocabulary  the words and their order, as a list, the name of a public one (english-20000, see
                `text.word_lists`; english-5000+german-5000 for two languages) or the path of a file with one
                word per line; the filters below then do not apply, and other words are left out
    tokenizer   your own function from a text to its list of words
    language    ISO 639-1 code, for words, stop words and sentences; Chinese ("zh") needs fedtopics[chinese]
    stop_words  True for the language's list (the default), False for none, or your own
    min_df, max_df, max_words   see `fedtopics.documents.text.word_filter.WordFilter`
    sentences   whether to keep sentence boundaries (the default), or "paragraphs" for those instead
    """

    vocabulary: Sequence[str] | str | os.PathLike[str] | None
    tokenizer: Tokenizer | None
    language: str
    stop_words: bool | Collection[str]
    min_df: float | None
    max_df: float | None
    max_words: int | None
    sentences: bool | Literal["paragraphs"]


def prepare(texts: Iterable[str], *, on_disk: bool = False, **options: Unpack[TextOptions]) -> Indexed:
    """The texts over the vocabulary that the options choose, which is in alphabetical order unless given.

    Numbers lie in scratch files if `on_disk`, else in memory.
    """
    language = options.get("language", "en")
    if several(language):
        raise InputError(
            f"expected the language of each document for {language}, got none; name a --language-column "
            "(language_column)"
        )
    chooser = _given_vocabulary(options) or _word_filter(options, language)
    tokenizer = options.get("tokenizer") or tokenizer_for(language)
    if (listed := options.get("vocabulary")) is not None and options.get("tokenizer") is None:
        _say_of_another_language(listed, language)
    splitter = _splitter(options.get("sentences", True), language)
    return _over_chosen_words(index_texts(texts, tokenizer, splitter, on_disk=on_disk), chooser)


def prepare_languages(
    pairs: Iterable[tuple[str | None, str]], **options: Unpack[TextOptions]
) -> tuple[Indexed, str]:
    """The same for texts in several languages, each with its own; and the languages, as one name."""
    if options.get("tokenizer") is not None:
        raise InputError("expected either a tokenizer or languages of documents, got both; leave one out")
    sentences, apart = options.get("sentences", True), bool(several(options.get("language")))
    indexed, found = index_languages(pairs, lambda language: _splitter(sentences, language), apart=apart)
    chooser: WordFilter | tuple[str, ...] | None = _given_vocabulary(options)
    if chooser is None:
        chosen = options.get("stop_words", True)
        stop_words = stop_words_of(found.split(BETWEEN), apart=apart) if chosen is True else chosen or ()
        bounds = options.get("min_df"), options.get("max_df"), options.get("max_words")
        chooser = WordFilter(stop_words, *bounds)
    return _over_chosen_words(indexed, chooser), found


def _over_chosen_words(indexed: Indexed, chooser: WordFilter | tuple[str, ...]) -> Indexed:
    n_docs = len(indexed.offsets) - 1
    if not n_docs:
        raise EmptyCorpusError("expected at least one document, got an empty corpus")
    if not indexed.vocabulary:
        raise EmptyCorpusError(
            f"expected texts with words in them, got {n_docs} documents without a single word"
        )
    if isinstance(chooser, WordFilter):
        return with_vocabulary(
            indexed, chooser.chosen(indexed.vocabulary, document_frequency(indexed), n_docs)
        )
    known = with_vocabulary(indexed, chooser)
    if not len(known.words):
        raise InputError(
            f"no word of the given vocabulary ({quoted(chooser[0])} ...) occurs in the {n_docs} documents; "
            f"check its spelling (words are in lower case) and language{_with_language(indexed, chooser)}"
        )
    return known


def _with_language(indexed: Indexed, vocabulary: tuple[str, ...]) -> str:
    """What is missing where words of one side alone stand with their language."""
    if not any(":" in words[0] for words in (vocabulary, indexed.vocabulary)):
        return ""
    return "; words of several languages are named as en:tax (english-5000+german-5000; language_column)"


def _splitter(sentences: bool | str, language: str) -> Callable[[str], list[str]] | None:
    if sentences == "paragraphs":
        return paragraphs
    if not isinstance(sentences, bool):
        raise InputError(f"sentences must be true, false or 'paragraphs', got {quoted(sentences)}")
    return SentenceSplitter(language) if sentences else None


def _given_vocabulary(options: TextOptions) -> tuple[str, ...] | None:
    given = options.get("vocabulary")
    if given is None:
        return None
    for name in ("min_df", "max_df", "max_words"):
        if options.get(name) is not None:
            raise InputError(f"expected either vocabulary or {name}, got both; a vocabulary fixes the words")
    return read_vocabulary(given)


def _say_of_another_language(vocabulary: object, language: str) -> None:
    if isinstance(vocabulary, str) and word_lists.is_name(vocabulary):
        own = word_lists.code(vocabulary)
        if own != language:
            logger.warning(
                "%s is for texts in %s, and they are cut as %s; where that is wrong give --language %s "
                "(language=) or another list",
                *(vocabulary, own, language, own),
            )


def _word_filter(options: TextOptions, language: str) -> WordFilter:
    chosen = options.get("stop_words", True)
    stop_words = stop_words_for(language) if chosen is True else chosen or ()
    return WordFilter(stop_words, options.get("min_df"), options.get("max_df"), options.get("max_words"))


def read_vocabulary(given: Sequence[str] | str | os.PathLike[str]) -> tuple[str, ...]:
    """The words of a list, a public one by its name, or a file with one word per line; all are distinct."""
    if isinstance(given, str) and word_lists.is_name(given):
        return word_lists.words(given)
    if isinstance(given, str) and BETWEEN in given and all(map(word_lists.is_name, given.split(BETWEEN))):
        return tuple(
            named(word_lists.code(name), word)
            for name in given.split(BETWEEN)
            for word in word_lists.words(name)
        )
    name = "the given vocabulary"
    if isinstance(given, str | os.PathLike):
        name = os.fspath(given)
        given = _lines(Path(given))
    if not isinstance(given, Iterable):
        raise InputError(f"expected a vocabulary as words, a file or a name, got {type(given).__name__}")
    words = tuple(given)
    if not words:
        raise InputError(f"expected at least one word, got none in {name}")
    if len(set(words)) < len(words):
        seen: set[str] = set()
        twice = next(word for word in words if word in seen or seen.add(word))  # type: ignore[func-returns-value]
        raise InputError(f"expected every word once, got {quoted(twice)} twice in {name}")
    check_words(words, name)
    return words


def _lines(path: Path) -> list[str]:
    try:
        content = files.read(path)
    except (OSError, UnicodeEncodeError) as error:  # half of a character is in no name
        why = error.strerror if isinstance(error, OSError) else "half of a character in it"
        raise InputError(
            f"cannot read the vocabulary {shown_path(path)}: {why}; give a file, or a name as english-20000"
        ) from None
    return lines_of(content, path)


def lines_of(content: bytes, path: Path) -> list[str]:
    """The words in the content of a file, one per line."""
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(
            f"expected UTF-8 in {path}, got byte 0x{error.object[error.start]:02x} at {error.start}"
        ) from None
