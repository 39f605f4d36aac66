"""`fedtopics index`: read once, used by every other command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    words = [f"{chr(97 + number % 5)}word" for number in range(40)]
    rows = [
        {
            "body": f"{word} {words[number // 2]} harvest. {word}!",
            "office": f"office{number % 2}",
            "id": number,
        }
        for number, word in enumerate(words)
    ]
    path = tmp_path / "letters.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def call(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_an_index_trains_transforms_and_is_scored_as_its_source_is(letters: Path, tmp_path: Path) -> None:
    columns = ["--text-column", "body", "--party-column", "office"]
    folder = tmp_path / "index"
    said = call("index", letters, *columns, "--out", folder)
    assert "corpus of 40 documents" in said
    options = ["--topics", "3", "--rounds", "3", "--method", "calm"]
    call("train", letters, *columns, *options, "--out", tmp_path / "one")
    call("train", folder, *options, "--out", tmp_path / "two")
    models = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two")]
    assert models[0] == models[1]
    for source, name, own in ((letters, "one.csv", columns[:2]), (folder, "two.csv", [])):
        call("transform", tmp_path / "one", source, *own, "--out", tmp_path / name)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert call("evaluate", tmp_path / "one", folder)


def test_nothing_is_overwritten_and_nothing_half_is_left(letters: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(InputError, match="nothing is overwritten"):
        call("index", letters, "--text-column", "body", "--out", tmp_path / "there")
    with pytest.raises(InputError, match="column"):
        call("index", letters, "--text-column", "nobody", "--out", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letters.jsonl", "there"]


def test_an_agreement_on_words_needs_all_of_them(letters: Path, tmp_path: Path) -> None:
    columns = ["--text-column", "body", "--party-column", "office"]
    call("index", letters, *columns, "--out", tmp_path / "frequent")
    with pytest.raises(InputError, match="--min-df 1 --max-df 1"):
        call(
            "train",
            tmp_path / "frequent",
            "--vocabulary-epsilon",
            "1",
            "--accept-cost",
            "--out",
            tmp_path / "run",
        )
    call("index", letters, *columns, "--min-df", "1", "--max-df", "1", "--out", tmp_path / "all")
    options = ["--vocabulary-epsilon", "100", "--accept-cost", "--topics", "2", "--rounds", "2"]
    call("train", tmp_path / "all", *options, "--out", tmp_path / "run")
