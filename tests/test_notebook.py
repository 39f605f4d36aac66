"""In a notebook, runs and models show themselves and bars move; outside, nothing of it is seen."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from reported import hostile_run, small_run

from fedtopics.notebook import is_notebook
from fedtopics.progress import bar


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a kernel would show, as IPython's display protocol hands it on."""
    seen: list[str] = []
    ipython, displaying = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    displaying.HTML = str  # type: ignore[attr-defined]

    def display(html: str, *, display_id: bool) -> SimpleNamespace:
        assert display_id
        seen.append(html)
        return SimpleNamespace(update=seen.append)

    displaying.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displaying)
    return seen


def test_a_bar_in_a_notebook_shows_round_measure_and_what_is_left(
    shown: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 1000, 10))
    monkeypatch.setattr("fedtopics.progress.monotonic", lambda: float(next(clock)))
    assert is_notebook()
    with bar("Training <calm>", total=4) as progress:
        progress.advance(round=1, perplexity=812.34)
        progress.advance(round=2)
        progress.advance(2, round=4)
    assert "Training &lt;calm&gt;" in shown[0]
    assert 'value="1" max="4"' in shown[1]
    assert "25%  2:00 left  round 1  perplexity 812.3" in shown[1]
    assert "round 2  perplexity 812.3" in shown[2]
    assert "100%" in shown[-1]
    assert capsys.readouterr().err == ""


def test_outside_a_notebook_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert not is_notebook()


def test_runs_and_models_show_themselves() -> None:
    run = small_run()
    page = run._repr_html_()
    assert "epsilon 8 (word add/remove)" in page
    assert f"{run.scores['perplexity']:,.0f}" in page
    assert "shared" in page
    assert run.model.top_words(1)[0][0] in run.model._repr_html_()
    assert "<script>" not in hostile_run()._repr_html_()
