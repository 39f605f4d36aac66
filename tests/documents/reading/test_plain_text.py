"""Plain text: folders, files of lines, labeled lines, marked-up news; and sources that are not there."""

from __future__ import annotations

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from fedtopics.documents.reading import folders, read
from fedtopics.documents.reading.folders import from_standard_input
from fedtopics.documents.reading.form import Form
from fedtopics.errors import InputError


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_a_folder_of_text_files(tmp_path: Path) -> None:
    write(tmp_path / "b.txt", "War.\n\nShips.")
    write(tmp_path / "a.txt", "Peace")
    write(tmp_path / ".hidden.txt", "secret")
    write(tmp_path / "notes.md", "other")
    corpus = read(tmp_path)
    assert corpus.ids == ("a.txt", "b.txt")
    assert corpus.labels is None
    assert corpus.vocabulary == ("peace", "ships", "war")


def test_files_that_are_left_out_are_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for name in ("a.txt", "b.txt.gz", "c.md", ".hidden"):
        (tmp_path / name).write_text("wheat")
    assert read(tmp_path).n_docs == 1
    assert f"2 files below {tmp_path} are not called .txt and were left out" in caplog.text


def test_subfolders_are_labels_and_can_be_parties(tmp_path: Path) -> None:
    write(tmp_path / "ham" / "1.txt", "peace")
    write(tmp_path / "spam" / "1.txt", "war")
    assert read(tmp_path).labels == ("ham", "spam")
    assert read(tmp_path).ids == ("ham/1.txt", "spam/1.txt")
    assert read(tmp_path, party_column="label").parties == ("ham", "spam")
    assert read(tmp_path, person_column="label").persons == ("ham", "spam")
    with pytest.raises(InputError, match=r"column 'author' in .*, got text, id, label"):
        read(tmp_path, person_column="author")


def test_a_document_on_each_line(tmp_path: Path) -> None:
    write(tmp_path / "lines.txt", "Peace holds\n\nWar\n")
    corpus = read(tmp_path / "lines.txt")
    assert corpus.lengths.tolist() == [2, 1]


def test_texts_of_standard_input(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def coming(content: bytes, **how: str) -> list[str]:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(content)))
        return [document.text.strip() for document in from_standard_input(Form(**how))]

    assert coming(b"wheat\n\n war \nrain") == ["wheat", "war", "rain"]
    assert coming(b"wheat\n\xff war\n", encoding_errors="skip") == ["wheat"]
    assert "1 documents of standard input" in caplog.text
    assert coming(b"caf\xe9", encoding="latin-1") == ["café"]
    for content, said in ((b"wheat\n\xff war\n", "got other bytes after line"), (b"", "got nothing")):
        with pytest.raises(InputError, match=said):
            coming(content)
    monkeypatch.setattr(folders, "MOST_LINE", 5)
    with pytest.raises(InputError, match="at most 5 characters, got more in line 2"):
        coming(b"war\nwheat and rain\n")


def test_labels_before_a_tab(tmp_path: Path) -> None:
    write(tmp_path / "messages", "ham\tPeace holds\nspam\tWar\twar\n")
    corpus = read(tmp_path)
    assert corpus.labels == ("ham", "spam")
    assert corpus.lengths.tolist() == [2, 2]
    write(tmp_path / "messages", "ham\tPeace\nspam War\n")
    with pytest.raises(InputError, match=r"no tab at .*messages, line 2"):
        read(tmp_path)


NEWS = "<DOC>\n<DOCNO> AP-1 </DOCNO>\n<TEXT>\n Peace\nholds.\n</TEXT>\n</DOC>\n"


def test_news_between_tags(tmp_path: Path) -> None:
    write(tmp_path / "ap.txt", NEWS + NEWS.replace("1", "2"))
    corpus = read(tmp_path / "ap.txt")
    assert corpus.ids == ("AP-1", "AP-2")
    assert corpus.vocabulary == ("holds", "peace")


@pytest.mark.parametrize(
    ("text", "said"),
    [(NEWS[:-7], "</DOC> at the end"), (NEWS.replace("<TEXT>", ""), "<DOCNO> and <TEXT> in each .*line 7")],
)
def test_news_with_missing_tags(tmp_path: Path, text: str, said: str) -> None:
    write(tmp_path / "ap.txt", text)
    with pytest.raises(InputError, match=said):
        read(tmp_path / "ap.txt")


def test_sources_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no file or folder .*nowhere, and no built-in corpus .* built in: sotu"
    ):
        read(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"empty folder"):
        read(tmp_path)
    write(tmp_path / "a.csv", "text\nwar")
    write(tmp_path / "b.csv", "text\nwar")
    with pytest.raises(InputError, match=r"one data set in .*, got 2 \(a.csv, b.csv\)"):
        read(tmp_path)


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("war\ncafé".encode("latin-1"))
    write(tmp_path / "b.txt", "peace")
    with pytest.raises(InputError, match=r"0xe9 at .*a\.txt, line 2, byte 4"):
        read(tmp_path)
