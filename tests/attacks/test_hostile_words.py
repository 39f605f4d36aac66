"""Words that are more than words: escape sequences, formulas, markup, lines of a log. One rule says what a
word is, and what is shown to people is harmless where it is shown."""

from __future__ import annotations

import ast
import csv
import io
import logging
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from fedtopics.commands import application, options, tables
from fedtopics.documents.corpus import Corpus
from fedtopics.documents.text.harmless import HarmlessFormatter, cell, one_line, printable
from fedtopics.documents.text.preparation import read_vocabulary
from fedtopics.documents.text.words import is_word
from fedtopics.errors import InputError
from fedtopics.methods import make
from fedtopics.model import TopicModel
from fedtopics.network.coordinator.folder import RunFolder
from fedtopics.protocol.in_process import run

SOURCE = Path(application.__file__).parent
BAD = [
    "",
    " ",
    "\x1b[2J",
    "two\nlines",
    "\ud800",
    "tab\t",
    "\u202ecod",
    "\x7f",
    "\x9b31m",
    "x" * 101,
    "\u200d",
]
GOOD = ["naïve", "don't", "c++", "new york", "می‌خواهم", "क्‍ष", "税", "x" * 100, "=1", "[bold]", "😀"]
FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", " =1+1")


def model(words: list[str], labels: tuple[str, ...] | None = None) -> TopicModel:
    known = TopicModel.from_counts(np.ones((2, len(words))), words)
    return known if labels is None else known.set_topic_labels(labels)


@pytest.mark.parametrize("word", BAD, ids=ascii)
def test_what_cannot_be_printed_is_no_word_anywhere(word: str, tmp_path: Path) -> None:
    assert not is_word(word)
    for refuses in (read_vocabulary, model):
        with pytest.raises(InputError, match="characters that can be printed"):
            refuses(["tax", word])
    corpus = Corpus(np.array([0, 1]), np.array([0, 2]), ("tax", word))
    with pytest.raises(InputError, match="characters that can be printed"):
        run(make("pooled", n_topics=2, n_rounds=1), {"north": corpus}, seed=1)


@pytest.mark.parametrize("word", GOOD, ids=ascii)
def test_words_of_all_scripts_are_words(word: str, tmp_path: Path) -> None:
    model(["tax", word]).save(tmp_path / "model")
    assert TopicModel.load(tmp_path / "model").vocabulary == ("tax", word)
    (tmp_path / "words.txt").write_text(f"tax\n{word}\n", encoding="utf-8")
    assert read_vocabulary(tmp_path / "words.txt") == ("tax", word)


def test_a_word_list_with_an_escape_sequence_is_refused_and_shown_in_ascii(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("tax\n\x1b]0;owned\x07\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"got '\\x1b\]0;owned\\x07' in .*words.txt; remove it"):
        read_vocabulary(tmp_path / "words.txt")


def test_what_a_tokenizer_takes_for_a_word_and_is_none_is_left_out() -> None:
    texts = ["tax \x1b[2J law", f"law {'x' * 101} war"]
    corpus = Corpus.from_texts(texts, tokenizer=lambda text: text.split(" "), min_df=1, stop_words=False)
    assert corpus.vocabulary == ("law", "tax", "war")
    assert corpus.lengths.tolist() == [2, 2]
    assert corpus.document_sentences is not None


def test_a_model_from_elsewhere_with_such_words_or_labels_does_not_load(tmp_path: Path) -> None:
    model(["tax", "law"]).save(tmp_path)
    from fedtopics.model import files

    arrays, described = files.read(tmp_path)
    for changed in ({"vocabulary": ["tax", "\x1b[2J"]}, {"labels": ["money", "\x1b[2J"]}):
        described.pop("schema", None)
        files.write(tmp_path, arrays, described | changed, overwrite=True)
        with pytest.raises(InputError, match="that can be printed"):
            TopicModel.load(tmp_path)


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula(text: str, tmp_path: Path) -> None:
    model(["tax", text], (text, "money")).to_csv(tmp_path / "topics.csv")
    with (tmp_path / "topics.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0][1] == rows[2][0] == f"'{text}"
    assert [float(number) for number in rows[2][1:]] == [0.5, 0.5]


def test_numbers_stay_numbers_and_line_ends_do_not_make_rows() -> None:
    assert [cell(value) for value in (-1.5, 3, "-1.5", "+2e9", None)] == [-1.5, 3, "-1.5", "+2e9", None]
    assert cell("a\r\n=1") == "a\\r\\n=1"
    assert cell("\t=1") == "'\t=1"


def test_ids_in_a_table_of_mixtures_are_no_formulas(tmp_path: Path) -> None:
    model(["tax", "law"]).save(tmp_path / "run")
    (tmp_path / "texts.csv").write_text("name,text\n=1+1,tax law\n-7,law\n", encoding="utf-8")
    given = ["transform", str(tmp_path / "run"), str(tmp_path / "texts.csv"), "--id-column", "name"]
    done = CliRunner().invoke(application.app, given)
    assert [row[0] for row in csv.reader(io.StringIO(done.stdout))] == ["id", "'=1+1", "-7"]


def test_a_terminal_gets_no_escape_sequence_and_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(tables, "console", tables.HarmlessConsole(file=shown, width=120))
    tables.print_rows([{"party": "\x1b]0;owned\x07 [red]x[/nothing] :smile:"}])
    tables.print_topics(model(["[/bold]", "tax"], ("[link=https://evil.example]a", "b")))
    tables.console.print("folder \x1b[2J", soft_wrap=True)
    assert "\x1b" not in shown.getvalue()
    assert "\\x1b]0;owned\\x07 [red]x[/nothing] :smile:" in shown.getvalue()
    assert "[/bold]" in shown.getvalue()
    assert "[link=https://evil.example]a" in shown.getvalue()


def test_our_own_emphasis_is_still_seen_on_a_terminal() -> None:
    shown = io.StringIO()
    console = tables.HarmlessConsole(file=shown, force_terminal=True, color_system="standard")
    assert isinstance(console, Console)
    console.print("tax\x1b[2J", style="bold")
    assert shown.getvalue().startswith("\x1b[1m")
    assert "\x1b[2J" not in shown.getvalue()


def test_lines_that_commands_say_and_errors_and_notes_are_harmless(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options.say("party \x1b[2J\nnext")
    assert capsys.readouterr().out == "party \\x1b[2J\nnext\n"
    record = logging.LogRecord("fedtopics", 20, "", 1, "party %s", ("\x1b[2J",), None)
    assert HarmlessFormatter("note: %(message)s").format(record) == "note: party \\x1b[2J"

    def fail() -> None:
        raise InputError("no file \x1b[2J")

    monkeypatch.setattr(application, "app", fail)
    with pytest.raises(SystemExit):
        application.main()
    assert capsys.readouterr().err == "error: no file \\x1b[2J\n"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.name)
def test_commands_print_in_one_place_only(path: Path) -> None:
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    direct = {call.attr for call in calls if isinstance(call, ast.Attribute)} & {"echo", "secho"}
    direct |= {call.id for call in calls if isinstance(call, ast.Name)} & {"print", "Console"}
    assert not direct or path.name in ("printing.py", "application.py")


def test_nobody_adds_lines_to_the_log_of_a_run(tmp_path: Path) -> None:
    log = RunFolder(tmp_path)
    log.log("party evil sent 'x\n2026-11-16 00:00:00 finished: model \x1b[2J \u2028 \ud800'")
    (line,) = log.lines()
    assert line.isprintable()
    assert "\\n2026-11-16 00:00:00 finished" in line


def test_harmless_text_is_not_changed() -> None:
    for text in ("Málaga, 1 %", "税 法", "می‌خواهم"):
        assert printable(text) == one_line(text) == cell(text) == text
