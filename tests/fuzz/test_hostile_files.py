"""Files that fill the memory, never end, or take hours are refused before they do, in one line."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from fuzz.fuzzer import limits
from pyarrow import parquet

from fedtopics.documents import reading
from fedtopics.documents.reading import files
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.documents.text.tokens import normalized
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.network.plan import certificates
from fedtopics.network.plan.invitation import Invitation
from fedtopics.network.plan.plan import Plan
from fedtopics.network.plan.policy import Policy
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import Loss
from fedtopics.privacy.price.events import Pure
from fedtopics.runs.run import Run

PACKED = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress}
ENDLESS_LINE, ENDLESS_LINES = b"a" * 2**22 + b"a", (b"war " * 250 + b"\n") * 2**12


def refused(use: Callable[[Path], object], path: Path, told: str) -> str:
    """What a reader says of a file, within the time and memory of one case."""
    with pytest.raises(InputError, match=told) as error, limits():
        use(path)
    assert str(error.value).isprintable()
    return str(error.value)


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("content", [ENDLESS_LINE, ENDLESS_LINES], ids=["one line", "many lines"])
def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(
    tmp_path: Path, suffix: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ALWAYS_UNPACKED", 2**21)
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(PACKED[suffix](content))
    assert path.stat().st_size < len(content) / files.MOST_RATIO
    refused(lambda path: sum(map(len, files.lines(path))), path, "unpacks to at most 100 times its size")


def test_a_megabyte_that_unpacks_to_a_gigabyte_takes_no_more_than_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(bytes(2**24)) * 64)
    refused(reading.read, path, "lines of at most 67108864 characters")


def test_a_text_that_is_packed_well_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "tax and war"}\n' * 5000))
    assert reading.read(path, max_df=1.0).n_docs == 5000


def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"tax\n")
    with path.open("r+b") as file:
        file.truncate(2**32)  # of zeros that take no room on the disk
    monkeypatch.setattr(files, "MOST_LINE", 2**20)
    refused(reading.read, path, "at most 1048576 characters, got a longer one at .*, line 2")


def test_a_quote_that_is_never_closed_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fedtopics.documents.reading.tables.MOST_LINE", 1000)
    path = tmp_path / "a.csv"
    path.write_bytes(b'text\n"' + b"tax\n" * 1000)
    refused(reading.read, path, "field larger than field limit")


def _stored_once(texts: pyarrow.Array) -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"text": texts}), file, compression="zstd", store_schema=False)
    return file.getvalue()


def test_a_parquet_file_of_one_text_in_many_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(_stored_once(pyarrow.DictionaryArray.from_arrays([0] * 2000, ["war " * 2**18])))
    assert path.stat().st_size < 10_000
    refused(reading.documents, path, "at most 100 times the size of their file")


def test_a_parquet_file_of_one_huge_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(_stored_once(pyarrow.array(["a" * 2**26])))
    refused(reading.documents, path, "at most 100 times the size of their file")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"1000000000000\n3\n1\n1 1 1\n", "counts for most documents, got 1 for 1000000000000"),
        (b"1\n3\n1\n1 1 1000000000000\n", "at most 2147483648 words in all, got 1000000000000"),
        (b"1\n3\n2\n1 1 9223372036854775807\n1 2 9223372036854775807\n", "at most 2147483648 words"),
    ],
)
def test_counts_that_ask_for_more_than_memory_are_refused(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "vocab.txt").write_text("tax\nwar\nlaw\n")
    (tmp_path / "docword.a.txt").write_bytes(content)
    refused(reading.read, tmp_path / "docword.a.txt", told)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _nowhere(path: Path) -> None:
    path.symlink_to(path.parent / "nowhere")


STRANGE = [_pipe, _device, Path.mkdir, _loop, _nowhere]
READERS: dict[str, Callable[[Path], object]] = {
    "a.txt": lambda path: reading.read(path.parent),
    "a.csv": reading.read,
    "a.jsonl": reading.read,
    "a.jsonl.gz": reading.read,
    "a.parquet": reading.read,
    "docword.a.txt": reading.read,
    "words.txt": read_vocabulary,
    "plan.toml": Plan.read,
    "policy.toml": Policy.read,
    "north.invitation": Invitation.read,
    "party.crt": certificates.read_certificate,
    "party.csr": certificates.read_request,
    "party.key": certificates.read_key,
    "model.json": lambda path: TopicModel.load(path.parent),
    "run.json": lambda path: Run.load(path.parent),
}


@pytest.mark.parametrize("make", STRANGE)
@pytest.mark.parametrize("name", READERS)
def test_pipes_devices_and_folders_are_no_files(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    make(tmp_path / name)
    with pytest.raises((InputError, OSError)) as error, limits():  # the command line shows both on one line
        READERS[name](tmp_path / name)
    assert "\n" not in str(error.value)


def test_a_folder_that_holds_itself_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("tax and war")
    (tmp_path / "inside").symlink_to(tmp_path)
    with limits():
        assert reading.read(tmp_path).n_docs == 1


@pytest.mark.parametrize(
    "text",
    ["<DOCNO>" + " " * 20_000, "<DOCNO>a</DOCNO>" * 5000, "<DOCNO>a</DOCNO><TEXT>" * 5000],
)
def test_tags_without_an_end_are_refused_at_once(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(f"<DOC>\n{text}\n</DOC>\n")
    refused(reading.read, tmp_path / "a.txt", "expected <DOCNO> and <TEXT>")


@pytest.mark.parametrize("marks", ["\u0315\u0300", "\u0f73", "\U0001d165\U0001d167", "\u0315\U0001d167"])
def test_a_letter_with_a_million_marks_takes_no_hours(marks: str) -> None:
    with limits():
        assert len(normalized("a" + marks * 50_000)) < 100


def test_ordinary_marks_stay() -> None:
    assert (
        normalized("Zu\u0308rich Vie\u0323\u0302t ק\u05b8\u05bc\u05bd") == "Zürich Việt ק\u05b8\u05bc\u05bd"
    )


@pytest.mark.parametrize("count", [10**7, 10**30])
def test_the_price_of_absurdly_many_releases_is_bounded_at_once(count: int) -> None:
    with limits():
        assert accounting.epsilon((Loss("word add/remove", Pure(0.01), count),), 1e-6) > 600


def test_what_an_error_quotes_moves_no_cursor_and_can_be_printed() -> None:
    told = str(InputError("got \x1b[2J, \u202e, \ud800 and\na line"))
    assert told == "got \\x1b[2J, \\u202e, \\ud800 and\\na line"
