"""Bags of words, counted by others: the UCI format and the LDA-C format."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading.files import lines, plain_name
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.errors import EmptyCorpusError, InputError

_ROWS_AT_ONCE = 1_000_000
MOST_TOKENS = 2**31  # of one corpus: 8 GiB of word numbers
MOST_EMPTY = 1_000_000  # documents that are announced and have no count


class EmptyCountsError(EmptyCorpusError):
    """A file of counted words could be read, and nothing was counted."""


def from_uci(path: Path, vocabulary: Sequence[str] | None, *, progress: bool | None) -> Corpus:
    """A corpus from `docword.NAME.txt` (three header lines D, W, NNZ; then `document word count`, from 1)."""
    source = lines(path, progress=progress)
    n_docs, n_words, n_rows = _uci_header(path, source)
    words = _named(path, vocabulary, n_words)
    rows = np.concatenate([np.empty((0, 3), np.int64), *_uci_rows(path, source)])
    if len(rows) != n_rows:
        raise InputError(f"expected {n_rows} counts, as the third line of {path} says, got {len(rows)}")
    _check_numbers(path, "document", rows[:, 0], 1, n_docs)
    _check_numbers(path, "word", rows[:, 1], 1, n_words)
    return _counted(path, rows[:, 0] - 1, rows[:, 1] - 1, rows[:, 2], n_docs, words)


def from_lda_c(path: Path, vocabulary: Sequence[str] | None, *, progress: bool | None) -> Corpus:
    """A corpus from LDA-C lines: `M word:count ...`, M the number of pairs, words from 0."""
    docs, pairs = [], []
    n_docs = 0
    for number, line in enumerate(lines(path, progress=progress), start=1):
        if line.strip():
            pairs.append(_lda_c_pairs(path, number, line))
            docs.append(np.full(len(pairs[-1]), n_docs))
            n_docs += 1
    if not n_docs:
        raise EmptyCountsError(f"expected at least one document, got none in {path}")
    rows = np.concatenate(pairs)
    words = _named(path, vocabulary, None)
    _check_numbers(path, "word", rows[:, 0], 0, len(words) - 1)
    return _counted(path, np.concatenate(docs), rows[:, 0], rows[:, 1], n_docs, words)


def _check_numbers(path: Path, name: str, numbers: NDArray[np.int64], first: int, last: int) -> None:
    outside = numbers[(numbers < first) | (numbers > last)]
    if len(outside):
        raise InputError(f"expected {name} numbers from {first} to {last} in {path}, got {outside[0]}")


def _uci_header(path: Path, source: Iterator[str]) -> tuple[int, int, int]:
    header = list(islice(source, 3))
    try:
        n_docs, n_words, n_rows = (int(line) for line in header)
    except ValueError:
        raise InputError(
            f"expected three lines with the numbers of documents, words and counts in front of {path}, "
            "got other text"
        ) from None
    return n_docs, n_words, n_rows


def _uci_rows(path: Path, source: Iterator[str]) -> Iterator[NDArray[np.int64]]:
    first = 4
    while block := list(islice(source, _ROWS_AT_ONCE)):
        if any(map(str.strip, block)):
            try:
                rows = np.loadtxt(block, dtype=np.int64, ndmin=2, comments=None)
            except ValueError:
                line = first + _other_line(block)
                raise InputError(
                    f"expected `document word count`, got something else at {path}, line {line}"
                ) from None
            if rows.shape[1] != 3:
                got = f"{rows.shape[1]} numbers in {path}"
                raise InputError(f"expected `document word count` on each line, got {got}")
            yield rows
        first += len(block)


def _other_line(block: Sequence[str]) -> int:
    """The place of the first line that is not three whole numbers."""
    fits = re.compile(r"\s*(-?\d{1,18}\s+-?\d{1,18}\s+-?\d{1,18}\s*)?")
    return next((place for place, line in enumerate(block) if not fits.fullmatch(line)), 0)


def _lda_c_pairs(path: Path, number: int, line: str) -> NDArray[np.int64]:
    said, *pairs = line.split()
    try:
        values = np.array([pair.split(":") for pair in pairs], dtype=np.int64).reshape(-1, 2)
        n_pairs = int(said)
    except (ValueError, OverflowError):
        raise InputError(f"expected `M word:count ...`, got other text at {path}, line {number}") from None
    if n_pairs != len(values):
        raise InputError(
            f"expected {n_pairs} pairs, as the line says, got {len(values)} at {path}, line {number}"
        )
    return values


def _counted(
    path: Path,
    docs: NDArray[np.int64],
    words: NDArray[np.int64],
    counts: NDArray[np.int64],
    n_docs: int,
    vocabulary: tuple[str, ...],
) -> Corpus:
    from scipy.sparse import coo_array

    if len(counts) and counts.min() < 0:
        raise InputError(f"expected counts of 0 or more, got {counts.min()} in {path}")
    total = counts.sum(dtype=np.float64)  # a sum of whole numbers could be made to overflow
    if not total:
        raise EmptyCountsError(f"expected at least one word, got none in {path}")
    if total > MOST_TOKENS:
        raise InputError(
            f"expected at most {MOST_TOKENS} words in all, got {total:.0f} in {path}; take a part"
        )
    if n_docs > len(counts) + MOST_EMPTY:
        raise InputError(f"expected counts for most documents, got {len(counts)} for {n_docs} in {path}")
    matrix = coo_array((counts, (docs, words)), shape=(n_docs, len(vocabulary)))
    try:
        return Corpus.from_sparse(matrix, vocabulary)
    except MemoryError:
        raise InputError(f"expected words that fit memory, got {total:.0f} in {path}; take a part") from None


def _named(path: Path, given: Sequence[str] | None, n_words: int | None) -> tuple[str, ...]:
    """The words behind the numbers: those given, or those in the vocabulary file beside the counts."""
    source = "the given vocabulary"
    if given is None:
        beside = vocabulary_beside(path)
        source, given = str(beside), [line.rstrip("\r\n") for line in lines(beside)]
    if n_words is not None and len(given) != n_words:
        raise InputError(
            f"expected {n_words} words, as the second line of {path} says, got {len(given)} in {source}"
        )
    return read_vocabulary(given)


def vocabulary_beside(path: Path) -> Path:
    """The vocabulary of a file of counts: `vocab` with the same name, or the only one in the folder."""
    stem = re.sub(r"^docword\.|\.(txt|dat|ldac)$", "", plain_name(path).removesuffix(".txt"))
    found = sorted(
        file
        for file in path.parent.iterdir()
        if re.match(r"vocab\b|.*\.vocab(\.|$)", file.name) and file.is_file()
    )
    same = [
        file
        for file in found
        if re.fullmatch(rf"(vocab\.)?{re.escape(stem)}(\.vocab)?(\.txt)?", plain_name(file))
    ]
    for choice in (same, found):
        if len(choice) == 1:
            return choice[0]
    names = ", ".join(file.name for file in found) or "none"
    raise InputError(
        f"expected one vocabulary (such as vocab.{stem}.txt) beside {path}, got {names}; name it"
    )
