"""`fedtopics explain`, as a user meets it."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from typer.testing import CliRunner

from fedtopics.commands.application import app


def explained(*arguments: str) -> dict[str, Any]:
    """What the command says, as data."""
    result = CliRunner().invoke(app, ["explain", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_promise_is_stated_at_the_methods_own_delta() -> None:
    word = explained("pctd", "--epsilon", "8")["statements"][0]
    assert word["delta"] == 1e-5
    assert word["epsilon"] == pytest.approx(8.0, abs=1e-3)
    asked = explained("pctd", "--epsilon", "8", "--delta", "1e-6")["statements"][0]
    assert asked["epsilon"] > word["epsilon"]
    assert asked["delta"] == 1e-6


def test_lengths_are_called_public_only_where_they_show() -> None:
    lengths = "the number of words of each document: it shows in the number of reports"
    assert lengths in explained("ftm", "--variant", "paper")["public"]
    assert lengths in explained("pctd", "--variant", "paper")["public"]
    for hiding in (("fedlda", "--variant", "paper"), ("fedlda",), ("lplda",), ("shared",), ("calm",)):
        assert lengths not in explained(*hiding)["public"]


def test_an_epsilon_that_protects_nothing_is_called_so_without_noise_from_below() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = explained("pctd", "--variant", "paper", "--words", "800", "--delta", "1e-6")
    assert found["statements"][2]["epsilon"] > 700
    assert found["warnings"] == [
        "word epsilon 734 protects nothing: no word is deniable",
        "the paper claims word add/remove epsilon 161 (PC-TD, conditions in the proof of Theorem 1); "
        "nothing is proved",
        "the paper claims word add/remove epsilon 380 (PC-TD, sensitivity 1 of each count; composed "
        "exactly); nothing is proved",
    ]


def test_a_word_that_becomes_all_but_certain_is_not_called_a_guess() -> None:
    meaning = " ".join(explained("calm", "--epsilon", "8", "--words", "800")["meaning"])
    assert "word replace: epsilon 16 is no protection" in meaning
    assert "from 1 in 2 to all but certain" in meaning
    assert "from 1 in 2 to 99.97 %, from 1 in 100 to 96.8 %, from 1 in 800 to 78.9 %" in meaning
