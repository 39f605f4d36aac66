"""Documents out of plain text: folders of .txt files, marked-up news, one document per line."""

import io
import logging
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from fedtopics.documents.corpus import Document
from fedtopics.documents.reading.columns import Columns
from fedtopics.documents.reading.files import MOST_LINE, lines
from fedtopics.documents.reading.form import Form, mended
from fedtopics.errors import EmptyCorpusError, InputError
from fedtopics.progress import track

logger = logging.getLogger(__name__)
_FOLDER_COLUMNS = ("text", "id", "label")


def from_folder(path: Path, columns: Columns, form: Form, *, progress: bool | None) -> Iterator[Document]:
    """Each .txt file below the folder: `id` is its path there, `label` its folder, if another."""
    files = text_files(path)
    left = sum(file.is_file() for file in path.rglob("*") if not _is_hidden(file, path)) - len(files)
    if left:
        logger.warning("%d files below %s are not called .txt and were left out", left, path)
    nested = any(file.parent != path for file in files)
    found = columns.among(_FOLDER_COLUMNS if nested else _FOLDER_COLUMNS[:2], str(path))
    for file in track(files, path.name, shown=progress):
        inside = file.relative_to(path)
        text = "".join(lines(file, form))
        yield found.document({"text": text, "id": inside.as_posix(), "label": inside.parent.as_posix()})


def text_files(path: Path) -> list[Path]:
    """The text files below a folder, in order of their paths, hidden ones left out."""
    files = sorted(path.rglob("*.txt"), key=lambda file: file.relative_to(path).parts)
    return [file for file in files if not _is_hidden(file, path)]


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def from_text_file(path: Path, columns: Columns, form: Form, *, progress: bool | None) -> Iterator[Document]:
    """Documents of one text file: between <DOC> tags, or `label<TAB>text`, or else one on each line."""
    source = lines(path, form, progress=progress)
    first = next(source, "")
    rest = (line for each in ([first], source) for line in each)
    if first.strip() == "<DOC>":
        found = columns.among(("id", "text"), str(path))
        rows = _tagged(path, rest)
    elif first.count("\t") == 1:
        found = columns.among(("label", "text"), str(path))
        rows = _labeled(path, rest)
    else:
        found = columns.among(("text",), str(path))
        rows = ({"text": line} for line in rest if line.strip())
    for row in rows:
        yield found.document(row)


def from_standard_input(form: Form) -> Iterator[Document]:
    """A document on each line of what comes in, until it ends."""
    return mended(_coming_in(form), form, "standard input")


def _coming_in(form: Form) -> Iterator[Document]:
    text = io.TextIOWrapper(sys.stdin.buffer, form.codec, form.on_bad_bytes, newline="")
    number = 0
    try:
        for number, line in enumerate(iter(partial(text.readline, MOST_LINE + 1), ""), start=1):
            if len(line) > MOST_LINE:
                raise InputError(
                    f"expected lines of at most {MOST_LINE} characters, got more in line {number}"
                )
            if line.strip():
                yield Document(line)
        if not number:
            raise EmptyCorpusError("expected a text on each line of standard input, got nothing")
    except UnicodeError:
        raise InputError(
            f"expected {form.encoding} text, got other bytes after line {number} of standard input; name its "
            "--encoding, or take --encoding-errors replace or skip"
        ) from None


def _labeled(path: Path, source: Iterator[str]) -> Iterator[dict[str, object]]:
    for number, line in enumerate(source, start=1):
        label, tab, text = line.partition("\t")
        if not tab and line.strip():
            raise InputError(f"expected label<TAB>text as on line 1, got no tab at {path}, line {number}")
        if tab:
            yield {"label": label, "text": text}


def _tagged(path: Path, source: Iterator[str]) -> Iterator[dict[str, object]]:
    """<DOC> <DOCNO> number </DOCNO> <TEXT> text </TEXT> </DOC>, as in the TREC collections."""
    document: list[str] = []
    for number, line in enumerate(source, start=1):
        document.append(line)
        if line.strip() != "</DOC>":
            continue
        # No pattern with two open ends: on a document made for it, one would search for hours.
        name, _, after = "".join(document).partition("<DOCNO>")[2].partition("</DOCNO>")
        text, end, _ = after.partition("<TEXT>")[2].rpartition("</TEXT>")
        if not end:
            raise InputError(
                f"expected <DOCNO> and <TEXT> in each <DOC>, got none before {path}, line {number}"
            )
        yield {"id": name.strip(), "text": text}
        document.clear()
    if "".join(document).strip():
        raise InputError(f"expected </DOC> at the end of {path}, got other text")
