"""Tables of documents: the same rows read the same from every format, and a bad row says where it is."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from fedtopics.documents.corpus import Corpus
from fedtopics.documents.reading import read
from fedtopics.errors import InputError

ROWS = [
    {
        "id": "7",
        "owner": "north",
        "author": "ada",
        "label": "calm",
        "text": 'Peace, "at last".\nWheat grows.',
    },
    {"id": "8", "owner": "south", "author": "eve", "label": "rage", "text": "War; ships über Málaga."},
    {"id": "9", "owner": "south", "author": "eve", "label": "calm", "text": ""},
]


def write_csv(path: Path, separator: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ROWS[0], delimiter=separator)
        table.writeheader()
        table.writerows(ROWS)


def write_lines(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS) + "\n", encoding="utf-8")


def write_array(path: Path) -> None:
    path.write_text(json.dumps(ROWS, indent=2), encoding="utf-8")


def write_parquet(path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)


def compressed(write: Callable[[Path], None], compress: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def written(path: Path) -> None:
        plain = path.with_suffix("")
        write(plain)
        path.write_bytes(compress(plain.read_bytes()))
        plain.unlink()

    return written


FORMATS: dict[str, Callable[[Path], None]] = {
    "t.csv": write_csv,
    "t.csv.gz": compressed(write_csv, gzip.compress),
    "t.tsv": lambda path: write_csv(path, "\t"),
    "t.jsonl": write_lines,
    "t.jsonl.xz": compressed(write_lines, lzma.compress),
    "t.ndjson.bz2": compressed(write_lines, bz2.compress),
    "t.json": write_array,
    "t.parquet": write_parquet,
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("by_folder", [False, True])
def test_every_format_gives_the_same_corpus(tmp_path: Path, name: str, by_folder: bool) -> None:
    FORMATS[name](tmp_path / name)
    corpus = read(tmp_path if by_folder else tmp_path / name, party_column="owner", person_column="author")
    expected = Corpus.from_texts([row["text"] for row in ROWS])
    assert corpus.vocabulary == expected.vocabulary
    assert corpus.words.tolist() == expected.words.tolist()
    assert corpus.sentence_offsets.tolist() == expected.sentence_offsets.tolist()
    assert corpus.ids == ("7", "8", "9")
    assert corpus.labels == ("calm", "rage", "calm")
    assert corpus.parties == ("north", "south", "south")
    assert corpus.persons == ("ada", "eve", "eve")
    assert corpus.n_empty == 1


@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_column_lists_those_present(tmp_path: Path, name: str) -> None:
    FORMATS[name](tmp_path / name)
    for option in ("text_column", "party_column", "label_column", "id_column", "person_column"):
        with pytest.raises(InputError, match=r"column 'hospital' in .*got id, owner, author, label, text"):
            read(tmp_path / name, **{option: "hospital"})


@pytest.mark.parametrize("name", FORMATS)
def test_persons_are_never_guessed_and_one_column_may_say_several_things(tmp_path: Path, name: str) -> None:
    FORMATS[name](tmp_path / name)
    assert read(tmp_path / name).persons is None
    corpus = read(tmp_path / name, party_column="owner", person_column="owner")
    assert corpus.parties == corpus.persons == ("north", "south", "south")
    labeled = read(tmp_path / name, person_column="label")
    assert (labeled.persons, labeled.labels) == (("calm", "rage", "calm"), None)


def test_the_text_column_is_found(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for header, words in (("Id,Text", ("war",)), ("review", ("peace",))):
        path.write_text(f"{header}\n" + ("peace,war" if "," in header else "peace"))
        assert read(path).vocabulary == words
    path = tmp_path / "t.jsonl"
    path.write_text('{"n": 3, "body": "war", "topics": ["a", "b"]}\n{"n": 4, "body": null, "topics": []}')
    corpus = read(path, label_column="topics", id_column="n")
    assert (corpus.vocabulary, corpus.labels, corpus.ids, corpus.n_empty) == (
        ("war",),
        ("a b", ""),
        ("3", "4"),
        1,
    )


def test_two_candidates_are_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("title,body\na,b\n")
    with pytest.raises(
        InputError, match=r"column 'text' in .*t.csv, got title, body; name it by --text-column"
    ):
        read(tmp_path / "t.csv")


BAD = {
    "json": (
        "t.jsonl",
        b'{"text": "war"}\n{"text": "war"\n',
        r"expected JSON, got .* at .*t\.jsonl, line 2, column",
    ),
    "json array": (
        "t.json",
        b'[{"text": "war"},\n{"text": }]',
        r"expected JSON, got .*t\.json, line 2, column",
    ),
    "no object": ("t.jsonl", b'{"text": "war"}\n\n[1]\n', r"expected a JSON object, got list at .*line 3"),
    "deep": ("t.jsonl", b"[" * 100_000, "expected JSON, got one nested too deeply"),
    "column gone": ("t.jsonl", b'{"text": "war"}\n{"words": 1}\n', r"column 'text', got words at .*line 2"),
    "short row": (
        "t.csv",
        b"id,text\n1,war\n2\n",
        r"expected 2 fields as in .*, got 1 at .*line 3",
    ),
    "open quote": (
        "t.csv",
        b'id,text\n1,war\n2,"peace\n',
        r"CSV, got unexpected end of data at .*t\.csv, line 3; close every",
    ),
    "same name": ("t.csv", b"text,text\n1,war\n", "different names .* text, text"),
    "no header": ("t.csv", b"", "expected at least one document in .*t.csv, got an empty corpus"),
    "header only": ("t.csv", b"id,text\n", "expected at least one document in .*t.csv, got an empty corpus"),
    "empty": ("t.jsonl", b"\n\n", "expected at least one document in .*t.jsonl, got an empty corpus"),
    "latin-1": (
        "t.csv",
        b"id,text\n1,war\n2,caf\xe9\n",
        r"utf-8 text, got byte 0xe9 at .*t\.csv, line 3, byte 6;.*latin-1",
    ),
    "late byte": ("t.jsonl", b'{"text": "war"}\n' * 5000 + b"\xff", r"byte 0xff at .*line 5001, byte 1;"),
    "half gzip": ("t.csv.gz", gzip.compress(b"text\nwar\n" * 99)[:-9], r"whole \.gz file, got a damaged one"),
    "no xz": ("t.jsonl.xz", b'{"text": "war"}', r"whole \.xz file, got a damaged one"),
    "no parquet": ("t.parquet", b"PAR1 but no", "expected a Parquet file"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_say_where_on_one_line(tmp_path: Path, name: str) -> None:
    file, content, said = BAD[name]
    (tmp_path / file).write_bytes(content)
    with pytest.raises(InputError, match=said) as raised:
        read(tmp_path / file)
    assert "\n" not in str(raised.value)


def test_another_encoding_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    for encoding in ("latin-1", "utf-16", "utf-8-sig"):
        path.write_bytes("text\ncafé\n".encode(encoding))
        assert read(path, encoding="utf-8" if encoding == "utf-8-sig" else encoding).vocabulary == ("café",)
    with pytest.raises(InputError, match=r"got 'klingon'"):
        read(path, encoding="klingon")


def test_a_field_may_be_very_long(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text\n" + "war " * 100_000)
    assert read(tmp_path / "t.csv").n_tokens == 100_000


def test_a_bar_shows_the_bytes_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("t.csv.gz", "t.parquet"):
        FORMATS[name](tmp_path / name)
        read(tmp_path / name, progress=True)
        shown = capsys.readouterr().err
        assert name in shown
        assert "100%" in shown
