"""A bar shows where a person looks, and nowhere else."""

from __future__ import annotations

import pytest

from fedtopics.progress import bar, track


def test_a_bar_shows_description_and_extras_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("Training [K=10]", total=2, shown=True) as progress:
        progress.advance(perplexity=812.34567)
        progress.advance(perplexity=701.2, round=2)
    shown = capsys.readouterr()
    assert "Training [K=10]" in shown.err
    assert "100%" in shown.err
    assert "perplexity 701.2  round 2" in shown.err
    assert shown.out == ""


@pytest.mark.parametrize("shown", [False, None])
def test_no_bar_off_a_terminal(shown: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track(iter("abc"), "Reading", shown=shown)) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


def test_track_counts_what_has_a_length(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track(["a", "b"], "Reading", shown=True)) == ["a", "b"]
    assert "100%" in capsys.readouterr().err
