"""What a whole run costs is told before it starts; one that costs more than its epsilon must be wanted."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from fedtopics import methods
from fedtopics.commands import price
from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.network import local
from fedtopics.privacy.price import accounting
from fedtopics.privacy.price.cost import total
from fedtopics.privacy.price.ledger import Ledger
from fedtopics.runs.run import Run

WORDS = ["tax law court judge vote", "ship sea trade port tariff", "school child teach book read"]


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("letters") / "letters.jsonl"
    rows = [{"text": " ".join([WORDS[i % 3]] * 4), "owner": f"office-{i % 2}"} for i in range(400)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def called(*arguments: Any, **given: Any) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], **given)


def trained(letters: Path, *more: Any, **given: Any) -> Result:
    few = ("--party-column", "owner", "--topics", 3, "--rounds", 2, "--epsilon", 6)
    return called("train", letters, *few, *more, **given)


def test_a_run_within_its_epsilon_says_what_it_costs_and_goes_on(letters: Path) -> None:
    found = trained(letters)
    assert found.exit_code == 0, found.output
    assert "price of the whole run, for each party, with 15 words:" in found.stderr
    assert "epsilon 6 (word add/remove): hardly protected" in found.stderr
    assert "no bound, not protected: document add/remove" in found.stderr


def test_agreeing_on_words_is_part_of_the_price_and_refused_before_anything_is_read(
    letters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fedtopics.commands.train.prepare", lambda *_, **__: pytest.fail("it has begun"))
    found = trained(letters, "--vocabulary-epsilon", 4)
    assert isinstance(found.exception, InputError)
    assert "epsilon 14.9 (word add/remove, delta 1e-06): not protected" in found.stderr
    assert "of it for agreeing on the words: epsilon 8.899 (word add/remove, delta 1e-06)" in found.stderr
    assert "costs at most epsilon 6, got one that costs epsilon 14.9" in str(found.exception)
    assert "--accept-cost" in str(found.exception)


def test_what_is_accepted_is_what_the_record_says_in_the_end(letters: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    found = trained(letters, "--vocabulary-epsilon", 4, "--accept-cost", "--out", out)
    assert found.exit_code == 0, found.output
    for row in Run.load(out).privacy:
        if row["basis"] == "proved":
            assert f"epsilon {row['epsilon']:.4g} ({row['relation']}, delta 1e-06)" in found.stderr
    assert found.stderr.index("price of the whole run") < found.stderr.index("of it for agreeing")


@pytest.mark.parametrize("method", ["calm", "pctd", "shared", "hush"])
def test_a_run_by_a_secure_sum_costs_what_is_told_before(letters: Path, tmp_path: Path, method: str) -> None:
    few = ("--party-column", "owner", "--topics", 3, "--rounds", 2, "--method", method)
    found = called("train", letters, *few, "--secure-sum", 0, "--accept-cost", "--out", tmp_path / "run")
    assert found.exit_code == 0, found.output
    assert Run.load(tmp_path / "run").record["secure_sum"]["n_parties"] == 2
    for row in Run.load(tmp_path / "run").privacy:
        if row["basis"] == "proved":
            assert f"epsilon {row['epsilon']:.4g} ({row['relation']}" in found.stderr


@pytest.mark.parametrize(("answer", "code"), [("n\n", 1), ("y\n", 0)])
def test_on_a_terminal_it_asks(
    letters: Path, answer: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(price, "sys", SimpleNamespace(stdin=terminal, stderr=terminal))
    found = trained(letters, "--vocabulary-epsilon", 4, input=answer)
    assert "epsilon is 6; start a run that costs epsilon 14.9 (word add/remove, delta 1e-06)?" in found.output
    assert found.exit_code == code
    assert ("perplexity" in found.output) == (code == 0)


def test_a_simulated_federation_is_refused_before_any_folder_is_made(
    letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (
        "federation",
        "simulate",
        letters,
        "--party-column",
        "owner",
        "--topics",
        3,
        "--rounds",
        2,
        "--epsilon",
        6,
    )
    refused = called(*given, "--vocabulary-epsilon", 4, "--out", tmp_path / "all")
    assert isinstance(refused.exception, InputError)
    assert "got one that costs epsilon 14.9" in str(refused.exception)
    assert not (tmp_path / "all").exists()

    def begun(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(local, "establish", begun)
    (tmp_path / "list.txt").write_text("\n".join(" ".join(WORDS).split()) + "\n")
    for wanted in (("--vocabulary-epsilon", 4, "--accept-cost"), ("--vocabulary", tmp_path / "list.txt"), ()):
        assert isinstance(called(*given, *wanted, "--out", tmp_path / "all").exception, SystemExit)


@pytest.mark.parametrize(
    ("name", "variant"), [(name, v) for name in methods.names() for v in methods.variants(name) or (None,)]
)
def test_a_method_is_refused_where_its_proved_price_is_above_the_epsilon_it_was_given(
    name: str, variant: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    made = methods.make(name, n_topics=3, **({"variant": variant} if variant else {}))
    delta = made.privacy_delta or Ledger().delta
    proved = accounting.epsilon(total(made.prices(100)).losses_of(made.protects), delta)
    asked = made.in_force(100).get("epsilon")
    if asked is not None and proved > 1.001 * asked:
        with pytest.raises(InputError, match="--accept-cost"):
            price.require_wanted(made, [], made.prices(100), 100, delta, accepted=False)
    else:
        price.require_wanted(made, [], made.prices(100), 100, delta, accepted=False)
    price.require_wanted(made, [], made.prices(100), 100, delta, accepted=True)
    assert capsys.readouterr().err.count("price of the whole run") == 2
