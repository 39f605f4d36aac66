"""A corpus in a folder: flat arrays that are mapped, not read, so that opening one takes no time.

    manifest.json        format, version, sizes, language; of every file its type, length and CRC-32
    words                int32, the word of each token, document after document
    offsets, sentence_offsets, document_sentences     int64, as in `Corpus`
    vocabulary           UTF-8, one word per line
    ids, labels, parties, persons   of each that is known: .letters (UTF-8) and .ends (int64) of the
                         different strings, and .codes (int32), the number of its string for each document

All numbers are little-endian. A folder is written whole or not at all. Opening one looks at the manifest, the
lengths of files and the offsets of documents; the rest is checked against its CRC-32 when it is first needed
(`Corpus.sound`), once for each process, so that no damaged number reaches native code.
"""

import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fedtopics import files
from fedtopics.documents import mapped
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.known import KNOWN, Names, Strings, compact
from fedtopics.documents.text.preparation import lines_of, read_vocabulary
from fedtopics.errors import InputError

FORMAT, VERSION = "fedtopics corpus", 1
MANIFEST = "manifest.json"
MOST_MANIFEST, MOST_VOCABULARY = 2**20, 2**30  # bytes
ARRAYS = {"words": "<i4", "offsets": "<i8", "sentence_offsets": "<i8", "document_sentences": "<i8"}
PARTS = {"letters": "|u1", "ends": "<i8", "codes": "<i4"}
SIZES = ("n_docs", "n_tokens", "n_words")


class File(NamedTuple):
    """What the manifest says of a file."""

    dtype: str
    length: int
    crc32: int


def is_store(path: Path) -> bool:
    """Whether this folder was written by `save`."""
    return path.is_dir() and (path / MANIFEST).is_file() and (path / "words").is_file()


def save(corpus: Corpus, folder: Path, *, filtered: bool = True) -> None:
    """Write a corpus into a new folder; `filtered`: its words were chosen by how frequent they are."""
    if folder.exists():
        raise InputError(f"{folder} exists; choose another folder, nothing is overwritten")
    if not folder.parent.is_dir():
        raise InputError(f"expected a folder that exists for {folder}, got none; make {folder.parent} first")
    with files.clear_errors(folder, files.UNWRITTEN), files.whole_folder(folder) as draft:
        written = {name: _written(draft / name, *content) for name, content in _contents(corpus.sound)}
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            **{name: getattr(corpus, name) for name in SIZES},
            "language": corpus.language,
            "sentence_unit": corpus.sentence_unit,
            "filtered": filtered,
            "files": {name: file._asdict() for name, file in written.items()},
        }
        files.publish(draft / MANIFEST, json.dumps(manifest, indent=1) + "\n")


def _contents(corpus: Corpus) -> Iterable[tuple[str, tuple[str, Any]]]:
    """(name, (type, array)) of every file."""
    for name, dtype in ARRAYS.items():
        if getattr(corpus, name) is not None:
            yield name, (dtype, getattr(corpus, name))
    yield "vocabulary", ("|u1", np.frombuffer("\n".join(corpus.vocabulary).encode(), np.uint8))
    for name in KNOWN:
        column = getattr(corpus, name)
        if column is not None:
            letters, *numbers = compact(column)
            arrays = (np.frombuffer(letters, np.uint8), *numbers)
            for (part, dtype), array in zip(PARTS.items(), arrays, strict=True):
                yield f"{name}.{part}", (dtype, array)


def _written(path: Path, dtype: str, array: NDArray[Any]) -> File:
    crc = 0

    def blocks() -> Iterable[bytes]:
        nonlocal crc
        for start in range(0, len(array), mapped.AT_ONCE):
            raw = array[start : start + mapped.AT_ONCE].astype(dtype).tobytes()
            crc = zlib.crc32(raw, crc)
            mapped.forget(array)
            yield raw

    files.write_blocks(path, blocks())
    return File(dtype, len(array), crc)


def load(folder: Path) -> Corpus:
    """The corpus in a folder, on the disk; an error says what is wrong with the folder."""
    manifest = read_manifest(folder)
    known = {name: File(**about) for name, about in manifest["files"].items()}
    numbers: dict[str, Any] = {
        name: _mapped(folder, name, dtype, known) for name, dtype in ARRAYS.items() if name in known
    }
    if set(numbers) not in ({"words", "offsets"}, set(ARRAYS)):
        raise _damaged(folder, f"the arrays {', '.join(numbers)}")
    mapped.verify(numbers["offsets"], numbers.get("document_sentences"))
    columns: dict[str, Any] = {
        name: _column(folder, name, known) for name in KNOWN if f"{name}.codes" in known
    }
    try:
        corpus = Corpus(
            vocabulary=_vocabulary(folder, known),
            language=manifest["language"],
            sentence_unit=manifest["sentence_unit"],
            **numbers,
            **columns,
        )
    except InputError as error:
        raise _damaged(folder, str(error)) from None
    if any(getattr(corpus, name) != manifest[name] for name in SIZES):
        raise _damaged(folder, "arrays of other lengths than the manifest says")
    return corpus


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder, with all that it must have."""
    try:
        found = json.loads(files.read(folder / MANIFEST, MOST_MANIFEST))
    except (ValueError, RecursionError):
        raise _damaged(folder, "a manifest that is no JSON") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _damaged(folder, "a manifest of something else")
    if found.get("version") != VERSION:
        raise InputError(
            f"expected a corpus folder of version {VERSION}, got {found.get('version')!r} in {folder}; index "
            "its source anew, or use the version of fedtopics that wrote it"
        )
    strings = isinstance(found.get("language"), str | None) and isinstance(found.get("sentence_unit"), str)
    sizes = all(type(found.get(name)) is int for name in SIZES)
    if not (strings and sizes and isinstance(found.get("filtered"), bool) and _named(found.get("files"))):
        raise _damaged(folder, "a manifest that lacks some of its entries")
    return found


def require_all_words(folder: Path) -> None:
    """Refuse a corpus whose words were chosen by how frequent they are: which they are would leak."""
    if is_store(folder) and read_manifest(folder)["filtered"]:
        raise InputError(
            f"expected a corpus with all its words, got frequent or listed ones in {folder}; index its "
            "source with --min-df 1 --max-df 1"
        )


def _named(described: object) -> bool:
    if not isinstance(described, dict) or not {"words", "offsets", "vocabulary"} <= set(described):
        return False
    names = {*ARRAYS, "vocabulary", *(f"{name}.{part}" for name in KNOWN for part in PARTS)}
    if not set(described) <= names:
        return False
    whole = (isinstance(about, dict) and set(about) == set(File._fields) for about in described.values())
    return all(whole) and all(
        type(about["length"]) is int and about["length"] >= 0 and type(about["crc32"]) is int
        for about in described.values()
    )


def _mapped(folder: Path, name: str, dtype: str, known: Mapping[str, File]) -> NDArray[Any]:
    path, about = folder / name, known.get(name)
    if about is None or about.dtype != dtype:
        raise _damaged(folder, f"no file {name} of type {dtype}")
    try:
        files.check_regular(path)
        with path.open("rb") as file:
            size, wanted = os.fstat(file.fileno()).st_size, about.length * np.dtype(dtype).itemsize
            if size != wanted:
                raise _damaged(folder, f"{size} bytes in {name} where {wanted} were written")
            array = mapped.on(file, dtype, about.length)
    except OSError as error:
        raise _damaged(folder, f"no readable {name} ({error.strerror})") from None
    mapped.expect(array, about.crc32, path)
    return array


def _vocabulary(folder: Path, known: Mapping[str, File]) -> tuple[str, ...]:
    letters = _mapped(folder, "vocabulary", "|u1", known)
    if len(letters) > MOST_VOCABULARY:
        raise _damaged(folder, f"a vocabulary of {len(letters)} bytes")
    mapped.verify(letters)
    return read_vocabulary(lines_of(letters.tobytes(), folder / "vocabulary"))


def _column(folder: Path, name: str, known: Mapping[str, File]) -> Strings:
    letters, ends, codes = (_mapped(folder, f"{name}.{part}", PARTS[part], known) for part in PARTS)
    return Strings(Names(letters, ends), codes)


def _damaged(folder: Path, what: str) -> InputError:
    return InputError(f"expected a whole corpus in {folder}, got {what}; index its source anew")
