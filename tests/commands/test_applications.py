"""`fedtopics classify`, `rescore` and `leaderboard` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands.test_command_line import fedtopics, refused

from fedtopics.applications.speech import arpa
from fedtopics.applications.speech.estimation import estimate
from fedtopics.runs.experiment import train

WORDS = {"law": "tax court judge vote", "sea": "ship port trade tariff"}


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("letters") / "letters.jsonl"
    kinds = [list(WORDS)[i % 2] for i in range(60)]
    rows = [
        {
            "text": " ".join([WORDS[kind]] * 3),
            "label": kind,
            "part": "test" if i % 5 == 0 else "train",
            "one": "x",
        }
        for i, kind in enumerate(kinds)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def runs(letters: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    for method in ("pooled", "alone"):
        train(str(letters), method, n_topics=2, n_parties=2, n_rounds=5).save(folder / method)
    return {method: folder / method for method in ("pooled", "alone")}


@pytest.mark.nightly
def test_classify_shows_runs_and_parties_side_by_side(letters: Path, runs: dict[str, Path]) -> None:
    asked = (
        "classify",
        runs["pooled"],
        letters,
        "--split-column",
        "part",
        "--against",
        runs["alone"],
        "--json",
    )
    found = json.loads(fedtopics(*asked).stdout)
    assert (found["n_train"], found["n_test"]) == (48, 12)
    areas = {result["features"]: result["scores"]["auc"] for result in found["results"]}
    assert list(areas)[:2] == ["most frequent class", "pooled (pooled)"]
    assert {name for name in areas if name.startswith("alone (alone): ")}
    assert areas["pooled (pooled)"] == {"value": 1.0, "interval": [1.0, 1.0]}
    assert areas["most frequent class"]["value"] == 0.5
    shown = fedtopics("classify", runs["pooled"], letters, "--classifier", "svm", "--words").stdout
    assert "words alone" in shown


def test_classify_refuses_labels_that_are_missing_or_all_the_same(
    letters: Path, runs: dict[str, Path]
) -> None:
    assert "two classes or more" in refused("classify", runs["pooled"], letters, "--label-column", "one")
    assert "column 'color'" in refused("classify", runs["pooled"], letters, "--label-column", "color")
    assert "got one twice" in refused("classify", runs["pooled"], letters, "--against", runs["pooled"])


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Talk of the sea, in which one word was heard as one of the law."""
    folder = tmp_path_factory.mktemp("heard")
    talk = [["ship port", -1.0]], [["the tax", -1.0], ["the ship", -1.1]], [["trade tariff", -1.0]]
    said = ["ship port", "the ship", "trade tariff"]
    rows = [
        {"name": f"u{n}", "session": "s", "reference": said[n], "hypotheses": heard}
        for n, heard in enumerate(talk)
    ]
    (folder / "heard.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["the", "tax", "court", "judge", "vote", "ship", "port", "trade", "tariff"]
    arpa.write(estimate([["the", word] for word in words], words, order=2), folder / "talk.arpa")
    return folder


def test_rescore_chooses_by_the_topic_of_the_talk(heard: Path, runs: dict[str, Path]) -> None:
    asked = ("rescore", runs["pooled"], heard / "heard.jsonl", "--language-model", heard / "talk.arpa")
    result = fedtopics(*asked, "--strength", "0.9")
    assert result.stdout.splitlines() == ["u0\tship port", "u1\tthe ship", "u2\ttrade tariff"]
    assert "word error rate, rescored: 0.000" in result.stderr
    rates = json.loads(fedtopics(*asked, "--weight", "0", "--json").stdout)["word_error_rates"]
    assert rates["rescored"]["value"] == rates["first pass"]["value"] == pytest.approx(1 / 6)


def test_rescore_refuses_bad_files(heard: Path, runs: dict[str, Path], tmp_path: Path) -> None:
    run, good, model = runs["pooled"], heard / "heard.jsonl", heard / "talk.arpa"
    bad = tmp_path / "bad"
    bad.write_text(model.read_text().replace("\\end\\", ""))
    assert "got the end of the file at" in refused("rescore", run, good, "--language-model", bad)
    bad.write_text(good.read_text() + '{"name": "u3"}\n')
    error = refused("rescore", run, bad, "--language-model", model)
    assert "a list of hypotheses, got NoneType at" in error
    assert "line 4" in error
    assert "interpolation or rescaling, got 'magic'" in refused(
        "rescore", run, good, "--language-model", model, "--way", "magic"
    )


@pytest.mark.nightly
def test_leaderboard_prints_who_keeps_the_budget(letters: Path) -> None:
    asked = ("leaderboard", letters, "--parties", "2", "--topics", "2", "--methods", "alone,calm,pooled")
    found = json.loads(fedtopics(*asked, "--epsilon", "5", "--json").stdout)
    places = {place["label"]: place for place in found["places"]}
    assert found["budget"]["relation"] == "word add/remove"
    assert places["calm"]["epsilon"] == pytest.approx(5.0)
    assert places["calm"]["ranks"]["perplexity"] == 1
    assert (places["pooled"]["scores"], places["pooled"]["candidate"]["why"]) == ({}, "no privacy")
    assert places["calm"]["scores"]["topics"] == 2
    printed = fedtopics(*asked, "--epsilon", "5").stdout
    assert printed.startswith("word add/remove epsilon 5, delta at most 1e-06, all rounds together\n")
    assert "no topics" in printed
    assert " kB" in printed
    assert "0.0 MB" not in printed
    assert fedtopics(*asked, "--max-length", "0").returncode == 2
    assert "word add/remove" in refused(*asked, "--relation", "letter")
