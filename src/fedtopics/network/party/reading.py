"""The documents of a party as its plan wants them: all their words, in the languages of the plan."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fedtopics.documents.corpus import Corpus, Document
from fedtopics.documents.reading import CountedWordsError, read, stream
from fedtopics.documents.store import require_all_words
from fedtopics.documents.text.languages import several
from fedtopics.network.plan.parts import Texts

LANGUAGE = "language"  # of all documents of a party, where no column says it


def all_words(source: str, options: Mapping[str, Any], texts: Texts) -> Corpus:
    """What the source holds, with all words: filters by frequency would leak them."""
    require_all_words(Path(source))
    whole: dict[str, Any] = {"stop_words": texts.stop_words, "min_df": 1, "max_df": 1.0}
    if _says_language(options, texts):
        try:
            found = _in_languages(documents(source, options), texts, options.get(LANGUAGE))
            return Corpus.from_documents(found, language=texts.language, **whole)
        except CountedWordsError:  # an index knows its languages
            pass
    where = {name: value for name, value in options.items() if name != LANGUAGE}
    return read(source, **where, language=texts.language, **whole)


def documents(source: str, options: Mapping[str, Any]) -> Iterator[Document]:
    """The texts behind a source, as they come."""
    return stream(source, **{name: value for name, value in options.items() if name != LANGUAGE})


def n_foreign(source: str, options: Mapping[str, Any], texts: Texts) -> int:
    """How many documents are in no language of the plan; none of an index, which knows its languages."""
    if not _says_language(options, texts):
        return 0
    known, own = _codes(texts), options.get(LANGUAGE)
    try:
        return sum(_language(each, own) not in known for each in documents(source, options))
    except CountedWordsError:
        return 0


def _says_language(options: Mapping[str, Any], texts: Texts) -> bool:
    named = options.get("language_column") is not None or options.get(LANGUAGE) is not None
    return named or bool(several(texts.language))


def _in_languages(found: Iterable[Document], texts: Texts, own: str | None) -> Iterator[Document]:
    """The documents with their languages; one in another language has no words, and nobody learns of it."""
    known = _codes(texts)
    for each in found:
        language = _language(each, own)
        if language in known:
            yield each._replace(language=language)
        else:
            yield each._replace(language=known[0], text="")


def _language(document: Document, own: str | None) -> str:
    return (own or document.language or "").strip().lower()


def _codes(texts: Texts) -> tuple[str, ...]:
    return several(texts.language) or (texts.language,)
