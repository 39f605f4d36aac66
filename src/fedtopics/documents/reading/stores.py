"""Corpora that were indexed before: words that are there can be left out, but nothing is read again."""

from pathlib import Path

from fedtopics.documents import store
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading.columns import Columns
from fedtopics.documents.text.harmless import quoted
from fedtopics.documents.text.preparation import TextOptions, read_vocabulary
from fedtopics.documents.text.word_filter import WordFilter
from fedtopics.errors import InputError


def read_store(path: Path, columns: Columns, options: TextOptions) -> Corpus:
    """The corpus in a folder of `documents.store`, on the disk, over the words that options choose."""
    if columns.used:
        raise _too_late(path, f"the column {quoted(columns.used[0])}")
    if options.get("tokenizer") is not None:
        raise _too_late(path, "a tokenizer")
    corpus = store.load(path)
    language = options.get("language", "en")
    if language not in ("en", corpus.language):
        raise _too_late(path, f"the language {quoted(language)} for texts in {quoted(corpus.language)}")
    if options.get("sentences") == "paragraphs" and corpus.sentence_unit != "paragraph":
        raise _too_late(path, "paragraphs")
    given = options.get("vocabulary")
    if given is None:
        return filtered(corpus, options)
    for name in ("min_df", "max_df", "max_words"):
        if options.get(name) is not None:
            raise InputError(f"expected either vocabulary or {name}, got both; a vocabulary fixes the words")
    return corpus.with_vocabulary(read_vocabulary(given))


def filtered(corpus: Corpus, options: TextOptions) -> Corpus:
    """A corpus of counted or indexed words; all of them unless a filter was given."""
    stop_words = options.get("stop_words", ())
    filters = WordFilter(
        () if isinstance(stop_words, bool) else stop_words,
        options.get("min_df") or 1,
        options.get("max_df") or 1.0,
        options.get("max_words"),
    )
    return corpus if filters == WordFilter((), 1, 1.0) else corpus.filtered(filters)


def _too_late(path: Path, what: str) -> InputError:
    return InputError(
        f"expected nothing about texts for {path}, which is indexed, got {what}; give that to "
        "`fedtopics index`"
    )
