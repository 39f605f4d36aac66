"""Words that stand together in released histograms are shown first; nothing else changes, and it is free."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.errors import InputError
from fedtopics.methods.calm import Calm, company
from fedtopics.model import TopicModel
from fedtopics.protocol import in_process
from fedtopics.protocol.summing import Summing
from fedtopics.protocol.turn import Arrays
from fedtopics.sampling.histograms import Histograms

TOPICS = planted_topics(3, 12)
PARTIES = {name: drawn_corpus(TOPICS, 60, 30, seed=number) for number, name in enumerate(("a", "b", "c"))}
METHOD = Calm(epsilon=6.0, n_topics=3, n_rounds=12)


def test_pairs_are_counted_in_histograms() -> None:
    rows = Histograms(
        np.array([0, 2, 4, 5]), np.array([0, 1, 0, 2, 2], np.int32), np.ones(5, np.int32), 3, 0.1
    )
    found = company.counted(rows, np.array([[0, 1, 2]], np.int32))
    assert found[company.PAIRS].tolist() == [[[2, 1, 1], [1, 1, 0], [1, 0, 2]]]
    assert float(found[company.N_PAIRED]) == 3


def test_the_word_that_goes_with_no_other_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(company, "N_KEPT", 3)
    pairs = np.array([[40, 30, 30, 2], [30, 40, 30, 2], [30, 30, 40, 2], [2, 2, 2, 40]], float)[None]
    total = {company.PAIRS: pairs, company.N_PAIRED: np.array(200.0)}
    state = {company.CANDIDATES: np.array([[9, 5, 7, 3]]), "counts": np.ones((10, 1)), **total}
    words = [f"w{word}" for word in range(10)]
    assert chosen(state, 0.01, words) == [[9, 5, 7]]
    assert len(chosen(state, 1.0, words)[0]) == 3  # nothing but noise
    assert company.chosen({company.CANDIDATES: np.array([[9, 5, 7, 3]])}, 0.01, words) is None


def test_words_that_go_with_the_others_move_forward() -> None:
    """The first sets the topic apart, but stands with few of the others."""
    pairs = np.full((5, 5), 20.0)
    pairs[0], pairs[:, 0] = 6, 6
    pairs[3, 1] = pairs[1, 3] = 30
    np.fill_diagonal(pairs, 40)
    state = {company.CANDIDATES: np.array([[8, 6, 4, 2, 0]]), company.N_PAIRED: np.array(200.0)}
    state |= {company.PAIRS: pairs[None], "counts": np.ones((9, 1))}
    assert chosen(state, 1e-9, [f"w{word}" for word in range(9)]) == [[6, 2, 8, 4, 0]]


def chosen(state: Arrays, decay: float, words: list[str]) -> list[list[int]]:
    found = company.chosen(state, decay, words)
    assert found is not None
    return found.tolist()  # type: ignore[no-any-return]


def test_a_topic_of_two_languages_is_shown_in_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """No document has words of both, so those of one were kept, and words of another theme with them."""
    monkeypatch.setattr(company, "N_KEPT", 4)
    words = ["de:steuer", "de:gesetz", "en:tax", "en:law", "de:hafen"]
    pairs = np.array(
        [[40, 30, 0, 0, 9], [30, 40, 0, 0, 9], [0, 0, 40, 30, 0], [0, 0, 30, 40, 0], [9, 9, 0, 0, 40]], float
    )
    state = {
        company.CANDIDATES: np.arange(5)[None],
        company.PAIRS: pairs[None],
        company.N_PAIRED: np.array(200.0),
        "counts": np.array([[40.0], [40], [40], [40], [20]]),
    }
    assert chosen(state, 0.001, words) == [[0, 1, 2, 3]]
    assert 4 in chosen(state, 0.001, [word[3:] for word in words])[0]


def test_it_changes_no_topic_costs_nothing_and_adds_up_under_a_secure_sum() -> None:
    outcome = in_process.run(METHOD, PARTIES, seed=0)
    model = outcome.model
    assert model is not None
    assert model.company is not None
    assert model.company.shape == (3, company.N_KEPT)
    for topic in range(3):
        assert set(model.top_word_ids(10)[topic].tolist()) == set(model.company[topic].tolist())
    assert {
        row["epsilon"] for row in outcome.ledger.statements() if row["relation"] == "word add/remove"
    } == {6.0}
    summed = in_process.run(METHOD, PARTIES, seed=0, summing=Summing(1)).model
    assert summed is not None
    assert summed.company is not None


def test_a_model_keeps_it_in_its_files_and_loses_it_with_its_topics(tmp_path: object) -> None:
    model = TopicModel.from_counts(TOPICS, [f"w{word}" for word in range(36)])
    kept = replace(model, company=np.array([[5, 3], [14, 12], [30, 31]]))
    kept.save(f"{tmp_path}/model")
    loaded = TopicModel.load(f"{tmp_path}/model")
    assert loaded.company is not None
    assert loaded.company.tolist() == [[5, 3], [14, 12], [30, 31]]
    assert loaded.top_words(3)[0][:2] == ["w5", "w3"]
    assert sorted(loaded.top_word_ids(36)[0].tolist()) == list(range(36))
    assert loaded.top_words(2, by="probable") == model.top_words(2, by="probable")
    assert kept.reduce_topics(2).company is None
    for wrong in ([[1, 1], [2, 3], [4, 5]], [[1, 36], [2, 3], [4, 5]], [[1, 2]], [[0.5, 1], [2, 3], [4, 5]]):
        with pytest.raises(InputError, match="company"):
            replace(model, company=np.array(wrong))
