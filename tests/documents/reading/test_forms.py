"""Files as people have them: no header, semicolons, several columns of text, a bad byte, Excel."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from documents.reading.workbooks import write_workbook

from fedtopics.documents.reading import documents, read
from fedtopics.errors import InputError


def file(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("semicolons.csv", "id;text\n1;Rain, again\n2;No wheat\n"),
        ("bars.csv", "id|text\n1|Rain, again\n2|No wheat\n"),
        ("tabs.csv", "id\ttext\n1\tRain, again\n2\tNo wheat\n"),
        ("excel.csv", "sep=;\r\nid;text\r\n1;Rain, again\r\n2;No wheat\r\n"),
        ("commas.tsv", 'id,text\n1,"Rain, again"\n2,No wheat\n'),
    ],
)
def test_the_separator_is_seen_in_the_names_of_columns(tmp_path: Path, name: str, content: str) -> None:
    found = documents(file(tmp_path, name, content))
    assert [(each.id, each.text) for each in found] == [("1", "Rain, again"), ("2", "No wheat")]


def test_the_separator_can_be_named(tmp_path: Path) -> None:
    path = file(tmp_path, "t.csv", "text, mood~id\nrain~1\n")
    assert [each.text for each in documents(path, separator="~", text_column="text, mood")] == ["rain"]
    for wrong in ("", ";;", '"', "\n"):
        with pytest.raises(InputError, match="one character as separator"):
            documents(path, separator=wrong)


def test_a_table_without_names_has_numbers(tmp_path: Path) -> None:
    path = file(tmp_path, "t.csv", "a1,Rain again,north\na2,No wheat,south\n")
    found = read(path, header=False, text_column="2", party_column="3", id_column="1")
    assert (found.ids, found.parties, found.n_docs) == (("a1", "a2"), ("north", "south"), 2)
    with pytest.raises(InputError, match=r"column 'text' in .*, got 1, 2, 3; name it by --text-column"):
        read(path, header=False)
    with pytest.raises(InputError, match=r"give --no-header \(header=False\)"):
        read(path, text_column="2")
    one = file(tmp_path, "one.csv", "rain; wheat\nships\n")
    assert [each.text for each in documents(one, header=False)] == ["rain; wheat", "ships"]


def test_several_columns_of_text_are_paragraphs_of_one_document(tmp_path: Path) -> None:
    path = file(tmp_path, "t.csv", "title,body,text\nRain,It rains,x\n,No wheat,y\n")
    found = documents(path, text_column=["title", "body"])
    assert [each.text for each in found] == ["Rain\n\nIt rains", "No wheat"]
    assert documents(path, text_column=["body", "body"])[0].text == "It rains"
    rows = [{"title": "Rain", "body": "It rains"}]
    assert documents(rows, text_column=["body", "title"])[0].text == "It rains\n\nRain"
    with pytest.raises(InputError, match="expected a column 'head'"):
        documents(path, text_column=["title", "head"])


BAD = b"text,id\nrain \xff again,1\nwheat,2\nships \xe9t,3\n"


@pytest.mark.parametrize(
    ("how", "texts", "said"),
    [
        ("replace", ["rain \ufffd again", "wheat", "ships \ufffdt"], "a mark stands for each"),
        ("skip", ["wheat"], "left out"),
    ],
)
def test_bad_bytes_are_replaced_or_skipped_and_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, how: str, texts: list[str], said: str
) -> None:
    sources = [
        file(tmp_path, "t.csv", BAD),
        file(
            tmp_path, "t.jsonl", b'{"text": "rain \xff again"}\n{"text": "wheat"}\n{"text": "ships \xe9t"}\n'
        ),
        file(tmp_path, "t.txt", b"rain \xff again\nwheat\nships \xe9t"),
    ]
    folder = tmp_path / "texts"
    folder.mkdir()
    for number, text in enumerate((b"rain \xff again", b"wheat", b"ships \xe9t")):
        file(folder, f"{number}.txt", text)
    for source in (*sources, folder):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert [each.text.strip() for each in documents(source, encoding_errors=how)] == texts
        assert "2 documents" in caplog.text
        assert said in caplog.text
        with pytest.raises(InputError, match="--encoding-errors replace or skip"):
            documents(source)


def test_a_mark_in_front_names_the_encoding(tmp_path: Path) -> None:
    """As Excel saves "Unicode text": latin-1 would take every second byte for a letter of its own."""
    path = file(tmp_path, "t.tsv", "text\tid\nMálaga\t1\n".encode("utf-16"))
    with pytest.raises(InputError, match=r"a mark in front says UTF-16: --encoding utf-16$"):
        documents(path)
    assert documents(path, encoding="utf-16")[0].text == "Málaga"


def test_good_bytes_are_not_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert documents(file(tmp_path, "t.txt", "Málaga 🌧"), encoding_errors="skip")[0].text == "Málaga 🌧"
    assert not caplog.text
    with pytest.raises(InputError, match="strict, replace or skip"):
        documents(tmp_path / "t.txt", encoding_errors="ignore")


def test_half_characters_of_json_are_bad_too(tmp_path: Path) -> None:
    path = file(tmp_path, "t.jsonl", '{"text": "a \\ud83d"}\n{"text": "b"}\n')
    assert [each.text for each in documents(path, encoding_errors="skip")] == ["b"]
    with pytest.raises(InputError, match="half of a character"):
        documents(path)


def workbook(path: Path) -> Path:
    rows = [["id", "text", "office"], [1, "Rain again", "north"], [None, None, None], [2, "Wheat", None]]
    return write_workbook(path, {"Letters": rows, "Empty": []})


def test_a_spreadsheet_is_a_table(tmp_path: Path) -> None:
    path = workbook(tmp_path / "letters.xlsx")
    found = read(path, party_column="office", max_df=1.0)
    assert (found.ids, found.parties) == (("1", "2"), ("north", ""))
    assert found.vocabulary == ("rain", "wheat")
    assert documents(path, header=False, text_column="2")[0].text == "text"
    assert documents(tmp_path, sheet="Letters")[1].text == "Wheat"
    with pytest.raises(InputError, match=r"expected a sheet 'Mail' in .*, got 'Letters', 'Empty'"):
        documents(path, sheet="Mail")
    with pytest.raises(InputError, match="at least one document"):
        documents(path, sheet="Empty")
    with pytest.raises(InputError, match="expected a spreadsheet, got"):
        documents(file(tmp_path, "no.xlsx", "text\nwar"))


def test_a_spreadsheet_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fedtopics.documents.reading import sheets

    path = workbook(tmp_path / "letters.xlsx")
    monkeypatch.setattr(sheets, "ALWAYS_UNPACKED", 10)
    monkeypatch.setattr(sheets, "MOST_RATIO", 0.5)
    with pytest.raises(InputError, match="unpacks to at most"):
        documents(path)
