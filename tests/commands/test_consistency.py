"""`fedtopics train --consistency` and `gaussian` as a user meets them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import jsonschema
import pytest

import fedtopics
from fedtopics.commands.application import main

WORDS = ["tax law court judge vote", "ship sea trade port tariff", "school child teach book read"]


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("letters") / "letters.jsonl"
    rows = [{"text": f"{WORDS[i % 3]}.\n\n{WORDS[i % 3]} {WORDS[i % 3]}."} for i in range(60)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "public.txt"
    topics = [(word, number) for number, line in enumerate(WORDS) for word in line.split()]
    path.write_text("".join(f"{word} {1 + (n == 0)} {1 + (n == 1)} {1 + (n == 2)}\n" for word, n in topics))
    return path


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", ["fedtopics", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out, captured.err


@pytest.mark.parametrize(
    ("method", "options"), [("calm", ()), ("pctd", ("--paragraphs", "--set", "unit=paragraph"))]
)
def test_a_run_with_consistency(
    letters: Path,
    vectors: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    method: str,
    options: tuple[str, ...],
) -> None:
    code, out, err = called(
        capsys,
        *("train", letters, "--method", method, "--topics", "3", "--epsilon", "12", "--rounds", "10"),
        *("--consistency", vectors, "--consistency-tau", "0.2", *options, "--json"),
    )
    assert code == 0, err
    noted = "drawn towards public.txt, which knows 15 of the 15 words of the vocabulary, at tau 0.2"
    assert noted in caplog.text
    record = json.loads(out)
    assert record["consistency"]["source"] == "public.txt"
    assert (record["consistency"]["tau"], record["consistency"]["n_known"]) == (0.2, 15)
    schema = Path(fedtopics.__file__).parent / "runs" / "run.schema.json"
    jsonschema.validate(record, json.loads(schema.read_text()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--consistency", "{vectors}", "--consistency-tau", "-0.1"), "tau .* at least 0, got -0.1"),
        (("--consistency-tau", "0.2"), "--consistency-tau needs --consistency, got 0.2 without one"),
        (
            ("--consistency", "{vectors}", "--method", "shared"),
            "that tells topics, got federated LDA",
        ),
        (("--consistency", "{broken}"), r"3 numbers after the word in .*broken.txt, line 2, got 2"),
        (("--consistency", "{foreign}"), "no word of the vocabulary .* has a vector"),
        (("--consistency", "nothing.txt"), "no file or folder nothing.txt, and no word relation"),
        (("--consistency", "{wide}"), r"3 numbers after the word in .*wide.txt, line 2, got 4"),
        (("--method", "pctd", "--set", "sigma=-1"), "sigma must be a finite number greater than 0, got -1"),
        (
            ("--method", "pctd", "--variant", "paper", "--epsilon", "8"),
            "n-grams keep no epsilon .*, got epsilon 8",
        ),
        (("--method", "pctd", "--set", "sigma=0"), "sigma must be a finite number greater than 0, got 0"),
        (("--method", "pctd", "--set", "unit=paragraph"), "needs paragraphs, got sentences"),
    ],
)
def test_bad_input_is_refused_in_a_line(
    letters: Path,
    vectors: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    message: str,
) -> None:
    (tmp_path / "broken.txt").write_text("tax 1 2 3\nlaw 1 2\n")
    (tmp_path / "foreign.txt").write_text("impôt 1 2 3\n")
    (tmp_path / "wide.txt").write_text("tax 1 2 3\nlaw 1 2 3 4\n")
    files = {name: tmp_path / f"{name}.txt" for name in ("broken", "foreign", "wide")} | {"vectors": vectors}
    given = [option.format(**files) for option in options]
    out = tmp_path / "run"
    code, _, err = called(capsys, "train", letters, "--topics", "3", "--rounds", "2", *given, "--out", out)
    assert code == 2
    last = err.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert re.search(message, last), last
    assert not out.exists()


def test_gaussian_noise_is_accounted_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = called(capsys, "gaussian", "--sigma", "0.25", "--rounds", "35", "--json")
    found = {row["relation"]: row for row in json.loads(out)}
    assert code == 0
    assert found["word add/remove"]["pld"] == pytest.approx(380, abs=1)
    assert found["word add/remove"]["rdp"] == pytest.approx(390.9, abs=0.1)
    code, _, err = called(capsys, "gaussian")
    assert code == 2
    assert "expected --sigma or --epsilon, got neither" in err
