"""Tables of several runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from planted import drawn_corpus, planted_topics

import fedtopics
from fedtopics.commands import tables
from fedtopics.runs.run import Run


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    corpus = drawn_corpus(planted_topics(3, 12), n_docs=60, length=20, seed=0)
    found = fedtopics.compare(corpus, ["pooled"], n_topics=3, n_rounds=2, n_parties=2, seed=7, n_seeds=2)
    told = "these topics are no better than word frequencies"
    return [replace(run, record=run.record | {"warnings": [told]}) for run in found]


def printed(runs: list[Run]) -> list[str]:
    with tables.console.capture() as shown:
        tables.print_runs(runs)
    return shown.get().splitlines()


def test_runs_that_differ_in_their_seed_say_which(runs: list[Run]) -> None:
    rows = [line.split() for line in printed(runs) if line.startswith(("method", "pooled "))]
    assert [row[1] for row in rows] == ["seed", "7", "8"]
    assert "seed" not in printed(runs[:1])[1].split()


def test_what_is_wrong_with_runs_is_said_once(runs: list[Run]) -> None:
    assert sum("no better than word frequencies" in line for line in printed(runs)) == 1


def test_scores_stay_whole_at_80_columns(runs: list[Run], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables.console, "_width", 80)
    for shown, names in ((runs, {"seed", "perplexity"}), (runs[:1], {"perplexity", "diversity"})):
        head = next(line for line in printed(shown) if line.startswith("method"))
        assert names <= set(head.split())
        assert "…" not in head
