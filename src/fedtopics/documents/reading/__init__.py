"""A corpus from wherever it lies: a built-in name, a file, a folder, a database."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Unpack

from fedtopics.documents.corpus import Corpus, Document
from fedtopics.documents.reading import omop
from fedtopics.documents.reading.bags import from_lda_c, from_uci
from fedtopics.documents.reading.columns import Columns
from fedtopics.documents.reading.files import PLAIN, plain_name
from fedtopics.documents.reading.folders import from_folder, from_text_file, text_files
from fedtopics.documents.reading.form import Form, mended
from fedtopics.documents.reading.frames import are_rows, from_frame, from_rows, is_frame
from fedtopics.documents.reading.postgres import from_postgres
from fedtopics.documents.reading.sheets import SUFFIXES, from_sheet
from fedtopics.documents.reading.stores import filtered, read_store
from fedtopics.documents.reading.tables import from_json, from_parquet, from_separated
from fedtopics.documents.store import is_store
from fedtopics.documents.text.harmless import quoted, shown_path
from fedtopics.documents.text.preparation import TextOptions, read_vocabulary
from fedtopics.errors import EmptyCorpusError, InputError

__all__ = ["CountedWordsError", "documents", "read", "stream"]
BUILT_IN = {  # in the package, with their columns
    "sotu": (Path(__file__).parents[1] / "data" / "sotu.jsonl.xz", Columns("text", "party", "label", "id")),
}
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", *SUFFIXES)
_COUNTS = (".dat", ".ldac")
WHERE = (
    *(f"{field.name}_column" for field in fields(Columns)),
    "query",
    *(field.name for field in fields(Form)),
)


class CountedWordsError(InputError):
    """The source holds words that were counted by others, not texts."""


def read(
    source: Any,
    *,
    text_column: str | Sequence[str] | None = None,
    party_column: str | None = None,
    label_column: str | None = None,
    id_column: str | None = None,
    person_column: str | None = None,
    language_column: str | None = None,
    query: str | None = None,
    encoding: str = "utf-8",
    encoding_errors: str = "strict",
    separator: str | None = None,
    header: bool = True,
    sheet: str | None = None,
    progress: bool | None = False,
    on_disk: bool = False,
    **options: Unpack[TextOptions],
) -> Corpus:
    """The corpus behind a name, in a file, a folder or a database, or in a table in memory.

    source    a built-in name (see `fedtopics.datasets`); .csv, .tsv, .jsonl, .json, .parquet, .xlsx, .txt,
              UCI `docword.*`, LDA-C `.dat` (texts and counts also with .gz, .xz, .bz2); a folder of .txt
              files, or one that holds one of the others; a folder that `fedtopics index` wrote, which is
              opened and not read; a `postgresql://` URL with a query; `omop+postgresql://`, the notes of a
              hospital (see `reading.omop`); a data frame (pandas, polars), an Arrow
              table, or a list of rows as mappings. A compressed file that unpacks to more than 100 times its
              size is refused (see `reading.files`): unpack it yourself
    text_column, party_column, label_column, id_column, person_column, language_column   their names, where
              the format has columns; several of texts are joined as paragraphs. Unnamed, the text is `text`
              or the only column there could be, label and id are `label` and `id` where present; parties,
              persons and languages (see `text.languages`) are never guessed
    query     the SQL query of a database
    encoding, encoding_errors, separator, header, sheet   what a file does not say of itself: see
              `fedtopics.documents.reading.form.Form`
    progress  a progress bar on standard error: True, False, or None for "if it is a terminal"
    on_disk   numbers of words go to scratch files (in TMPDIR), for texts that do not fit into memory
    options   as for `Corpus.from_texts`. Words counted by others (UCI, LDA-C) stay as they are unless you
              give a filter; there `vocabulary` names the words, in place of the file beside the counts
    """
    check_source(source)
    columns = Columns(text_column, party_column, label_column, id_column, person_column, language_column)
    form = Form(encoding, encoding_errors, separator, header, sheet)
    if not is_table(source) and not _is_database(source):
        _check_query(source, query)
        path, own = _located(source, columns)
        if is_store(path):
            return read_store(path, own, options)
        if _is_uci(path) or _suffix(path) in _COUNTS:
            return _read_counts(path, own, progress, options)
    found = _texts(source, columns, form, query, progress)
    return Corpus.from_documents(found, on_disk=on_disk, **options)


def stream(source: Any, *, progress: bool | None = False, **where: Any) -> Iterator[Document]:
    """The texts behind a `source` one by one, before they become words; at least one.

    progress   as for `read`
    where      columns, query, encoding and what else a file does not say of itself, as for `read`
    """
    unknown = where.keys() - set(WHERE)
    if unknown:
        raise TypeError(f"stream() got unexpected arguments: {', '.join(sorted(unknown))}")
    check_source(source)
    columns = Columns(**{field.name: where.get(f"{field.name}_column") for field in fields(Columns)})
    form = Form(**{field.name: where[field.name] for field in fields(Form) if field.name in where})
    query = where.get("query")
    if not is_table(source) and not _is_database(source):
        _check_query(source, query)
        path, _ = _located(source, columns)
        if is_store(path) or _is_uci(path) or _suffix(path) in _COUNTS:
            raise CountedWordsError(f"expected texts in {path}, got counted words; give a source of texts")
    return _texts(source, columns, form, query, progress)


def documents(source: Any, *, progress: bool | None = False, **where: Any) -> list[Document]:
    """All texts behind a `source`: see `stream`."""
    return list(stream(source, progress=progress, **where))


def _texts(
    source: Any, columns: Columns, form: Form, query: str | None, progress: bool | None
) -> Iterator[Document]:
    """The documents of anything that holds texts; none is an error."""
    if is_table(source):
        return _at_least_one(from_table(source, columns), "the table")
    if _is_database(source):
        if omop.is_omop(source):
            source, query, columns = omop.located(source, columns, query)
        if query is None:
            raise InputError("expected a query for PostgreSQL, got none; such as: select text from letters")
        name = "the query's result"
        rows = from_postgres(source, query, columns, progress=progress)
        return _at_least_one(mended(rows, form, name), name)
    path, columns = _located(source, columns)
    return _at_least_one(mended(_documents(path, columns, form, progress), form, str(path)), str(path))


def _is_database(source: object) -> bool:
    return isinstance(source, str) and source.startswith(("postgresql://", "postgres://", omop.PREFIX))


def _check_query(source: Any, query: str | None) -> None:
    if query is not None:
        raise InputError(f"expected a postgresql:// source for a query, got {shown_path(source)}")


def check_source(source: object) -> None:
    """Refuse what is no source, such as a document in place of its file, which is not shown."""
    if is_table(source):
        return
    if isinstance(source, Mapping):
        raise InputError(
            "expected a table, got one mapping; give a list of them, one for each document, or a data frame"
        )
    if not isinstance(source, str | os.PathLike):
        raise InputError(
            f"expected a name, a path or a table, got {type(source).__name__}; texts are taken by "
            "Corpus.from_texts and by train, rows as a list of mappings"
        )
    if _is_database(source) or source in BUILT_IN:
        return
    name = os.fspath(source)
    try:
        there = Path(name).expanduser().exists()
    except (OSError, ValueError):  # such as a name that is too long for one
        there = False
    if not there and shown_path(name) != name:
        raise InputError(
            f"expected a name or a path, got a text of {len(name)} characters; put texts in a list"
        )


def is_table(source: object) -> bool:
    """Whether documents are rows of a table in memory: a data frame, an Arrow table, a list of mappings."""
    return is_frame(source) or are_rows(source)


def from_table(source: Any, columns: Columns) -> Iterator[Document]:
    """The rows of such a table."""
    rows = from_frame(source, columns) if is_frame(source) else from_rows(source, columns)
    return mended(rows, PLAIN, "the table")


def _located(source: str | os.PathLike[str], columns: Columns) -> tuple[Path, Columns]:
    if source in BUILT_IN:
        path, own = BUILT_IN[str(source)]
        asked = {name: column for name, column in vars(columns).items() if column}
        return path, replace(own, **asked)
    return existing(Path(source).expanduser()), columns


def existing(path: Path) -> Path:
    """The file to read, or the folder of text files; a folder with one data set in it stands for that."""
    if not path.exists():
        raise InputError(
            f"no file or folder {path}, and no built-in corpus of that name; built in: {', '.join(BUILT_IN)}"
        )
    if not path.is_dir() or is_store(path):
        return path
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    kinds = (
        [file for file in files if _is_uci(file)],
        [file for file in files if _suffix(file) in _TABLES],
        [file for file in files if _suffix(file) in _COUNTS],
        [path] if text_files(path) else [],
        files,
    )
    for candidates in kinds:
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            names = ", ".join(file.name for file in candidates[:10])
            raise InputError(f"expected one data set in {path}, got {len(candidates)} ({names}); name one")
    raise EmptyCorpusError(f"expected documents in {path}, got an empty folder")


def _documents(path: Path, columns: Columns, form: Form, progress: bool | None) -> Iterator[Document]:
    suffix = _suffix(path)
    if path.is_dir():
        return from_folder(path, columns, form, progress=progress)
    if path.suffix.lower() in SUFFIXES:
        return from_sheet(path, columns, form, progress=progress)
    if suffix == ".parquet":
        return from_parquet(path, columns, progress=progress)
    if suffix in (".csv", ".tsv"):
        usual = "," if suffix == ".csv" else "\t"
        return from_separated(path, columns, form, usual=usual, progress=progress)
    if suffix in _TABLES:
        return from_json(path, columns, form, progress=progress)
    return from_text_file(path, columns, form, progress=progress)


def _at_least_one(documents: Iterator[Document], source: str) -> Iterator[Document]:
    first = next(documents, None)
    if first is None:
        raise EmptyCorpusError(f"expected at least one document in {source}, got an empty corpus")
    yield first
    yield from documents


def _read_counts(path: Path, columns: Columns, progress: bool | None, options: TextOptions) -> Corpus:
    if columns.used:
        raise InputError(
            f"expected no column names for counted words, got {quoted(columns.used[0])} for {path}"
        )
    given = options.get("vocabulary")
    vocabulary = None if given is None else read_vocabulary(given)
    corpus = (from_uci if _is_uci(path) else from_lda_c)(path, vocabulary, progress=progress)
    return filtered(corpus, options)


def _suffix(path: Path) -> str:
    return Path(plain_name(path)).suffix.lower()


def _is_uci(path: Path) -> bool:
    return path.name.startswith("docword.")
