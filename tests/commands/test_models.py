"""Commands that use a model: names, words, sheets, time, merging, going on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fedtopics import train
from fedtopics.commands import price
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.runs.run import Run

KINDS = ("bank loan credit debt money", "army navy fleet troops war", "rain snow storm wind flood")


def texts(n: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(KINDS[number % 3].split(), 12)) for number in range(n)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    rows = ["year,text", *(f"{1900 + 10 * (number % 3)},{text}" for number, text in enumerate(texts(60, 1)))]
    (folder / "new.csv").write_text("\n".join(rows), encoding="utf-8")
    vocabulary = sorted(" ".join(KINDS).split())
    settings = {"n_topics": 3, "n_rounds": 20, "epsilon": 8.0, "vocabulary": vocabulary, "n_parties": 2}
    settings["seed_words"] = "bank; army; rain"
    train(texts(60, 0), "calm", n_threads=1, **settings).save(folder / "run")
    return folder


def said(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None, result.exception
    return result.output


def test_topics_are_labeled_and_the_run_stays_whole(place: Path) -> None:
    said("label", place / "run", "--words", 2)
    assert "money matters" in said("label", place / "run", "0=money matters")
    assert Run.load(place / "run").model.labels is not None
    assert json.loads(said("label", place / "run", "--json"))["0"] == "money matters"
    assert "money matters" in (place / "run" / "report.html").read_text(encoding="utf-8")
    result = CliRunner().invoke(app, ["label", str(place / "run"), "money"])
    assert isinstance(result.exception, InputError)


def test_words_are_shown_in_either_order_and_common_ones_alone(place: Path) -> None:
    assert said("topics", place / "run", "--by", "probable")
    assert len(said("topics", place / "run", "--common", 4).split()) == 4


def test_a_sheet_goes_out_and_comes_back(place: Path) -> None:
    said("topics", place / "run", "--intrusion", place / "sheet.csv")
    rows = (place / "sheet.csv").read_text(encoding="utf-8").splitlines()
    (place / "filled.csv").write_text(
        "\n".join([rows[0], *(row + "bank" for row in rows[1:])]), encoding="utf-8"
    )
    graded = json.loads(said("topics", place / "run", "--answers", place / "filled.csv", "--json"))
    assert 0 <= graded["share"] <= 1
    unicode = (place / "filled.csv").read_text(encoding="utf-8").replace(",", "\t")
    (place / "unicode.txt").write_text(unicode, encoding="utf-16")  # as Excel calls it
    assert json.loads(said("topics", place / "run", "--answers", place / "unicode.txt", "--json")) == graded


def test_topics_of_several_languages_over_time(tmp_path: Path) -> None:
    rows = [("de" if number % 2 else "en", text) for number, text in enumerate(texts(40, 2))]
    lines = ["language;year;text", *(f"{code};{1990 + n % 3};{text}" for n, (code, text) in enumerate(rows))]
    (tmp_path / "two.csv").write_text("\n".join(lines), encoding="utf-8")
    few = {"n_topics": 3, "n_rounds": 3, "n_parties": 2, "n_threads": 1, "max_df": 1.0}
    train(str(tmp_path / "two.csv"), "pooled", language_column="language", **few).save(tmp_path / "run")
    given = ("--over-time", tmp_path / "two.csv", "--time-column", "year", "--language-column", "language")
    found = json.loads(said("topics", tmp_path / "run", *given, "--json"))
    assert found["periods"] == ["1990", "1991", "1992"]
    assert np.sum(found["shares"], axis=1) == pytest.approx(1, abs=1e-4)


def test_topics_peak_in_their_time(place: Path) -> None:
    given = ("--over-time", place / "new.csv", "--time-column", "year", "--period", "decade")
    found = json.loads(said("topics", place / "run", *given, "--json"))
    assert found["periods"] == ["1900", "1910", "1920"]
    assert sorted(np.argmax(found["shares"], axis=0).tolist()) == [0, 1, 2]
    assert "not to be published" in said("topics", place / "run", *given)
    word = TopicModel.load(place / "run").top_words(1)[0][0]
    event = json.loads(said("topics", place / "run", *given, "--event", word, "--json"))["events"][0]
    assert event["peak"] == found["periods"][int(np.argmax(np.array(found["shares"])[:, 0]))]
    shown = said("topics", place / "run", *given, "--event", word, "--story", 0)
    assert "what it says there" in shown
    assert "in topic" in shown
    for wrong in (("--event", word), ("--story", "1")):
        result = CliRunner().invoke(app, ["topics", str(place / "run"), *wrong])
        assert "--over-time" in str(result.exception)


def test_a_run_goes_on_and_models_are_merged(place: Path) -> None:
    output = said("update", place / "run", place / "new.csv", "--parties", 2, "--out", place / "later")
    assert "3 of 3 topics are what they were" in output
    page = (place / "later" / "report.html").read_text(encoding="utf-8")
    assert "After new documents: 3 of 3 topics are what they were" in page
    assert said("merge", place / "run", place / "later", "--out", place / "both")
    assert TopicModel.load(place / "both").n_topics == 3
    result = CliRunner().invoke(
        app, ["update", str(place / "run"), str(place / "new.csv"), "--max-words", "9"]
    )
    assert "--new-words" in str(result.exception)


def test_what_is_kept_is_read_again(place: Path) -> None:
    given = ("--epsilon", 8, "--topics", 3, "--rounds", 10, "--parties", 2, "--min-df", 1)
    said("train", place / "new.csv", *given, "--text-column", "text", "--keep", "--out", place / "kept")
    assert len(list((place / "kept").glob("kept-*.safetensors"))) == 2
    output = said("update", place / "kept", place / "new.csv", "--parties", 2, "--out", place / "again")
    assert "kept nothing" not in output
    assert len(list((place / "again").glob("kept-*.safetensors"))) == 2


def test_going_on_has_a_price_that_is_told_before_documents_are_read(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Run, "update", lambda *_, **__: pytest.fail("it has begun"))
    monkeypatch.setattr(price, "require_wanted", refuse)
    result = CliRunner().invoke(app, ["update", str(place / "run"), str(place / "new.csv")])
    assert "not wanted" in str(result.exception)


def refuse(*given: object, accepted: bool) -> None:
    raise InputError("not wanted")


def test_every_column_of_text_that_is_named_is_read(place: Path, tmp_path: Path) -> None:
    """Of several --text-column the last one alone was read, without a word."""
    table = tmp_path / "letters.csv"
    table.write_text("title,body\nbank loan credit,army navy fleet\n", encoding="utf-8")

    def mixture(*columns: str) -> list[str]:
        out = tmp_path / f"{'-'.join(columns)}.csv"
        options = [option for column in columns for option in ("--text-column", column)]
        said("transform", place / "run", table, *options, "--out", out)
        return out.read_text(encoding="utf-8").splitlines()[1].split(",")

    title, body, both = mixture("title"), mixture("body"), mixture("title", "body")
    assert max(map(float, title)) > 0.8 > max(map(float, both))
    assert both == mixture("body", "title")
    assert both != body
    assert mixture("body", "body") == body
