"""The command line as a user meets it: real processes, their output and their exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fedtopics.commands.compare import _own
from fedtopics.errors import InputError
from fedtopics.model import TopicModel

WORDS = ["tax law court judge vote", "ship sea trade port tariff", "school child teach book read"]


def fedtopics(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "fedtopics", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def refused(*arguments: str | Path) -> str:
    """The error line of a command that must fail cleanly."""
    result = fedtopics(*arguments)
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1, result.stderr
    return result.stderr


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("letters") / "letters.jsonl"
    rows = [
        {
            "body": " ".join([WORDS[i % 3]] * 4),
            "owner": f"office {i % 2}",
            "id": f"letter-{i}",
            "author": f"author {i % 20}",
        }
        for i in range(60)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def trained(letters: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "letters"
    result = fedtopics(
        *("train", letters, "--text-column", "body", "--party-column", "owner", "--topics", "3"),
        *("--rounds", "20", "--method", "shared", "--person-column", "author", "--out", out),
    )
    assert result.returncode == 0, result.stderr
    assert "persons" in result.stdout
    assert "shared" in result.stdout
    assert "\x1b" not in result.stdout
    return out


def test_train_writes_a_run(trained: Path) -> None:
    names = {path.name for path in trained.iterdir()}
    assert names >= {"model.safetensors", "model.json", "run.json", "report.html"}
    record = json.loads((trained / "run.json").read_text())
    assert [party["name"] for party in record["parties"]] == ["office 0", "office 1"]
    record |= json.loads((trained / "private.json").read_text())["record"]
    assert [party["n_docs"] == 3 * party["n_persons"] for party in record["parties"]] == [True, True]


def test_topics_and_evaluate_and_transform(trained: Path, letters: Path, tmp_path: Path) -> None:
    topics = json.loads(fedtopics("topics", trained, "--words", "5", "--json").stdout)
    assert {frozenset(row["words"]) for row in topics} == {frozenset(words.split()) for words in WORDS}
    assert "tariff" in fedtopics("topics", trained).stdout
    scores = json.loads(fedtopics("evaluate", trained, letters, "--text-column", "body", "--json").stdout)
    assert 1 < scores["perplexity"] < 8
    result = fedtopics("transform", trained, letters, "--text-column", "body", "--id-column", "id")
    lines = result.stdout.splitlines()
    assert len(lines) == 61
    assert lines[1].startswith("letter-0,")
    out = tmp_path / "mixtures.csv"
    written = fedtopics("transform", trained, letters, "--text-column", "body", "--out", out).stdout
    assert str(out) in written
    assert "for who holds the documents, not to be published" in " ".join(written.split())
    assert "exists" in refused("transform", trained, letters, "--text-column", "body", "--out", out)


@pytest.mark.nightly
def test_a_stream_of_texts_is_transformed(trained: Path) -> None:
    command = [sys.executable, "-m", "fedtopics", "transform", str(trained), "-"]
    coming = "\n".join([*WORDS, "", *WORDS]) + "\n"
    done = subprocess.run(command, input=coming, capture_output=True, text=True, timeout=120, check=True)
    rows = [list(map(float, line.split(","))) for line in done.stdout.splitlines()[1:]]
    assert [row[0] for row in rows] == [0, 1, 2, 3, 4, 5]
    expected = TopicModel.load(trained).transform(WORDS * 2)
    assert np.array_equal(np.array(rows, np.float32)[:, 1:], expected)


def test_compare_prints_records_for_programs_and_a_table_for_people(letters: Path) -> None:
    asked = ("compare", letters, "--text-column", "body", "--parties", "2", "--topics", "3", "--rounds", "3")
    found = json.loads(fedtopics(*asked, "--methods", "alone,shared,pooled", "--json").stdout)
    assert [run["method"] for run in found["runs"]] == ["alone", "shared", "pooled"]
    assert "perplexity" in fedtopics(*asked, "--methods", "pooled").stdout


@pytest.mark.nightly
def test_compare_gives_a_unit_to_the_methods_that_take_it(letters: Path) -> None:
    asked = ("compare", letters, "--text-column", "body", "--topics", "3", "--rounds", "3", "--json")
    found = json.loads(fedtopics(*asked, "--methods", "shared,calm", "--unit", "sentence").stdout)
    assert [run["settings"].get("unit") for run in found["runs"]] == [None, "sentence"]
    assert "none of shared, calm takes" in refused(*asked, "--methods", "shared,calm", "--unit", "person")


@pytest.mark.nightly
def test_compare_and_report_write_pages(letters: Path, trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "curves"
    asked = ("compare", letters, "--text-column", "body", "--topics", "3", "--rounds", "3", "--out", out)
    result = fedtopics(*asked, "--methods", "shared,calm", "--epsilons", "4,8", "--seeds", "2")
    assert result.returncode == 0, result.stderr
    assert str(out / "report.html") in result.stdout
    (out / "report.html").unlink()
    assert fedtopics("report", out).stdout.strip() == str(out / "report.html")
    page = (out / "report.html").read_text()
    assert "6 runs on" in page
    assert "not an empty folder" in refused(*asked)
    assert "leave one out" in refused(*asked[:-1], tmp_path / "x", "--epsilon", "4", "--epsilons", "4,8")
    assert "got '4;8'" in refused(*asked[:-1], tmp_path / "x", "--epsilons", "4;8")
    other = tmp_path / "page.html"
    assert fedtopics("report", trained, "--out", other).returncode == 0
    assert "tariff" in other.read_text()
    assert "exists" in refused("report", trained, "--out", other)
    assert "no run.json" in refused("report", tmp_path)


def test_methods_lists_guarantees() -> None:
    listed = json.loads(fedtopics("methods", "--json").stdout)["methods"]
    assert {"alone", "pooled", "shared"} <= {row["method"] for row in listed}
    assert all(row["guarantee"] and row["citation"] for row in listed)
    assert "guarantee" in fedtopics("methods").stdout


def test_methods_lists_the_settings_of_one() -> None:
    listed = json.loads(fedtopics("methods", "fedlda", "--json").stdout)["settings"]
    (longest,) = [row for row in listed if row["setting"] == "max_length"]
    assert (longest["default"], longest["variant"]) == (150, "paper")
    assert [row["default"] for row in listed if row["setting"] == "epsilon"] == [128.0, 7.5]
    assert [row["variant"] for row in listed if row["setting"] == "alpha"] == [None]
    assert longest["meaning"].startswith("M: longer documents keep")
    assert "n_reports" in fedtopics("methods", "fedlda").stdout
    assert "fedtopics methods NAME" in " ".join(fedtopics("train", "--help").stdout.replace("│", "").split())
    assert "unknown method 'magic'" in refused("methods", "magic")


def test_calibrate_says_what_it_promises() -> None:
    asked = (
        "calibrate",
        "randomized-response",
        "--epsilon",
        "4",
        "--relation",
        "word replace",
        "--rounds",
        "2",
    )
    assert "epsilon 2: 2 fresh releases cost at most epsilon 4 (word replace)" in fedtopics(*asked).stdout


def test_version() -> None:
    assert fedtopics("--version").stdout.startswith("fedtopics 0.")


def test_help_has_examples() -> None:
    for command in ("train", "compare", "report", "topics", "transform", "evaluate", "demo"):
        result = fedtopics(command, "--help")
        assert result.returncode == 0
        assert "xample" in result.stdout, command


def test_bad_input_is_one_line_and_nothing_is_written(letters: Path, trained: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    body = ("--text-column", "body", "--out", out)
    assert "nowhere.csv" in refused("train", "nowhere.csv", "--out", out)
    assert "body, owner, id" in refused("train", letters, "--text-column", "txt", "--out", out)
    assert "column 'writer'" in refused("train", letters, *body, "--person-column", "writer")
    assert "at least 2 topics, got 1" in refused("train", letters, *body, "--topics", "1")
    assert "choose one of alone" in refused("train", letters, *body, "--method", "magic")
    assert "it is not private" in refused("train", letters, *body, "--method", "shared", "--epsilon", "1")
    assert "takes no tau" in refused("train", letters, *body, "--set", "tau=3")
    assert "NAME=VALUE" in refused("train", letters, *body, "--set", "tau")
    assert "parties" in refused("train", letters, *body, "--parties", "999")
    assert "not an empty folder" in refused("train", letters, "--text-column", "body", "--out", trained)
    assert "expected a saved model" in refused("evaluate", tmp_path, letters)
    assert "a seed from 0" in refused("train", letters, *body, "--seed", "-1")
    assert "must be a number, got 'foo'" in refused("train", letters, *body, "--set", "alpha=foo")
    assert "names 2 parties" in refused("train", letters, *body, "--party-column", "owner", "--parties", "3")
    assert not out.exists()


def test_broken_files_are_named_with_their_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "one two"}\n{"text": \n')
    assert "broken.jsonl" in (message := refused("train", broken))
    assert "line 2" in message
    latin = tmp_path / "latin.csv"
    latin.write_bytes(b"text\ncaf\xe9 au lait\n")
    assert "UTF-8" in refused("train", latin).replace("utf-8", "UTF-8")
    empty = tmp_path / "empty.csv"
    empty.write_text("text\n")
    assert "got an empty corpus" in refused("train", empty)
    counts = tmp_path / "docword.x.txt"
    counts.write_text("2\n3\n5\n1 1 2\n2 3 1\n")
    (tmp_path / "vocab.x.txt").write_text("a\nb\nc\n")
    assert "docword.x.txt" in refused("train", counts)
    assert "not a privacy ledger" in refused("ledger", latin)


def test_tables_as_people_have_them(tmp_path: Path) -> None:
    rows = [f"{i};{WORDS[i % 3]};{WORDS[i % 3]} \xe9" for i in range(30)]
    path = tmp_path / "mails.csv"
    path.write_bytes("\n".join(rows).encode("latin-1"))
    how = ["--no-header", "--separator", ";", "--text-column", "2", "--text-column", "3"]
    said = refused("train", path, *how, "--method", "shared")
    assert "--encoding-errors replace or skip" in said
    result = fedtopics(
        *("train", path, *how, "--encoding-errors", "replace", "--method", "shared", "--topics", "3"),
        *("--rounds", "5", "--test-fraction", "0", "--json"),
    )
    assert result.returncode == 0, result.stderr
    assert "30 documents of" in result.stderr
    record = json.loads(result.stdout)
    assert sum(party["n_tokens"] for party in record["parties"]) == 30 * 10
    assert record["scores"]["perplexity"] is None


def test_settings_of_a_comparison_go_to_the_methods_that_take_them() -> None:
    given = {"shared.beta": 0.3, "n_rounds": 3, "variant": "paper"}
    own = _own(["shared", "fedlda"], given)
    assert own == {"shared": {"beta": 0.3, "n_rounds": 3}, "fedlda": {"n_rounds": 3, "variant": "paper"}}
    for wrong, said in (
        ({"color": 7}, "takes 7"),
        ({"calm.beta": 1}, "one of shared"),
        ({"variant": "x"}, "'x'"),
    ):
        with pytest.raises(InputError, match=said):
            _own(["shared", "fedlda"], wrong)


@pytest.mark.nightly
def test_a_comparison_takes_settings_of_each_method(letters: Path) -> None:
    result = fedtopics(
        *("compare", letters, "--text-column", "body", "--methods", "shared,fedlda", "--topics", "3"),
        *(
            "--variant",
            "paper",
            "--set",
            "shared.beta=0.3",
            "--set",
            "n_rounds=3",
            "--epsilon",
            "9",
            "--json",
        ),
    )
    assert result.returncode == 0, result.stderr
    shared, fedlda = json.loads(result.stdout)["runs"]
    assert shared["settings"]["beta"] == 0.3
    assert fedlda["variant"] == "paper"
    assert len(shared["rounds"]) == len(fedlda["rounds"]) == 3
    where = ["compare", letters, "--text-column", "body", "--methods", "shared,pooled"]
    assert "none of shared, pooled takes 7" in refused(*where, "--set", "color=7")
    assert "expected one of shared, pooled" in refused(*where, "--set", "calm.beta=1")
    assert "--variant: none of shared, pooled takes 'paper'" in refused(*where, "--variant", "paper")


@pytest.mark.nightly
def test_public_word_lists(letters: Path, tmp_path: Path) -> None:
    made = tmp_path / "words.txt"
    result = fedtopics("vocabulary", letters, "--text-column", "body", "--max-words", "9", "--out", made)
    assert result.returncode == 0, result.stderr
    assert len(made.read_text().split()) == 9
    listed = tmp_path / "english.txt"
    assert fedtopics("vocabulary", "english-5000", "--out", listed).returncode == 0
    assert len(listed.read_text().split()) == 5000
    for given in (listed, "english-5000"):
        result = fedtopics(
            *("train", letters, "--text-column", "body", "--method", "shared", "--topics", "3"),
            *("--vocabulary", given, "--rounds", "2", "--json"),
        )
        assert json.loads(result.stdout)["n_words"] == 5000
    assert "languages: czech" in refused("vocabulary", "english-90000", "--out", tmp_path / "no.txt")
    said = refused("train", letters, "--text-column", "body", "--vocabulary", "klingon-100")
    assert "or a name as english-20000" in said
