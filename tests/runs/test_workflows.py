"""What people do with runs: copy them, train on everything, score the topics of other tools."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from planted import drawn_corpus, planted_topics
from scipy.sparse import csr_array

from fedtopics.commands.tables import print_runs
from fedtopics.errors import InputError
from fedtopics.evaluation import diversity, perplexity, scores, scores_on
from fedtopics.evaluation.usefulness import UNSCORED
from fedtopics.privacy.price.budget import Budget
from fedtopics.report import run_page
from fedtopics.runs.experiment import compare, train
from fedtopics.runs.leaderboard import leaderboard
from fedtopics.runs.preparing import Data, prepare
from fedtopics.runs.run import Run

TOPICS = planted_topics(3, 8)
CORPUS = drawn_corpus(TOPICS, 120, 30, seed=1)
TEST = drawn_corpus(TOPICS, 30, 30, seed=2)


@pytest.fixture(scope="module")
def run() -> Run:
    return train(Data({"a": CORPUS}, TEST), "calm", n_topics=3, n_rounds=3, epsilon=20.0)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda run: pickle.loads(pickle.dumps(run))])
def test_a_run_can_be_copied_with_its_ledger(run: Run, copied: object) -> None:
    other = copied(run)  # type: ignore[operator]
    assert other.record == run.record
    assert np.array_equal(other.model.topic_word, run.model.topic_word)
    assert other.ledger.head == run.ledger.head
    assert other.ledger.statements() == run.ledger.statements()
    other.ledger.charge("a", 99, run.ledger.entries[0].cost)
    assert len(other.ledger.entries) == len(run.ledger.entries) + 1


@pytest.mark.parametrize("method", ["calm", "alone"])
def test_all_documents_can_be_trained_on(method: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    found = train(CORPUS, method, n_topics=3, n_rounds=3, n_parties=2, test_fraction=0)
    assert sum(party["n_docs"] for party in found.record["parties"]) == CORPUS.n_docs
    assert found.scores["perplexity"] is found.scores["perplexity_unigram"] is None
    assert -1 <= found.scores["coherence_npmi"] <= 1
    found.save(tmp_path / "run")
    page = run_page(Run.load(tmp_path / "run"))
    assert "no held-out documents were given" in page
    assert "No score says whether these topics are better than word frequencies" in page
    print_runs([found])
    shown = capsys.readouterr().out
    assert method in shown
    assert UNSCORED in " ".join(shown.split())
    assert "perplexity" not in repr(found)


def test_a_comparison_needs_held_out_documents() -> None:
    with pytest.raises(InputError, match="test fraction of 0"):
        compare(CORPUS, ["shared"], test_fraction=0, n_topics=2)
    data = prepare(CORPUS, n_parties=2, test_fraction=0)  # as the commands do
    for use in (
        lambda: compare(data, ["shared"]),
        lambda: leaderboard(data, Budget("word add/remove", 6.0, 1e-6)),
    ):
        with pytest.raises(InputError, match="test fraction of 0"):
            use()


def test_topics_of_other_tools_get_all_scores(run: Run) -> None:
    matrix = run.model.topic_word
    alone = replace(run.model, company=None)  # no other tool says which words stand together
    assert scores(matrix * 7, CORPUS, TEST) == pytest.approx(scores(alone, CORPUS, TEST))
    counts = np.where(matrix > 0.01, matrix * 1000, 0)
    assert 1 < scores(counts, CORPUS, TEST)["perplexity"] < 1e6
    assert scores_on(matrix, TEST)["coherence_npmi"] == pytest.approx(
        scores_on(run.model, TEST)["coherence_npmi"]
    )
    assert diversity(matrix) == diversity(run.model)
    words = run.model.vocabulary
    others = (csr_array(matrix), pd.DataFrame(matrix[:, ::-1], columns=words[::-1]))  # names say the order
    for topics in others:
        assert scores(topics, CORPUS, TEST) == pytest.approx(scores(alone, CORPUS, TEST))
        assert perplexity(topics, TEST) == pytest.approx(perplexity(run.model, TEST))
        assert diversity(topics) == diversity(run.model)
    for wrong in (matrix[:, 1:], matrix[0], -matrix, matrix * np.nan, matrix * 0):
        with pytest.raises(InputError, match="expected topics of"):
            scores(wrong, CORPUS, TEST)
