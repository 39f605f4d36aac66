"""Trees of topics: what is alike is joined first, and a model of fewer topics is of the same text."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from fedtopics.commands.application import app
from fedtopics.errors import InputError
from fedtopics.model import TopicModel, tree
from fedtopics.model.tree import drawn, groups, joins

RNG = np.random.default_rng(3)
WORDS = tuple(f"word{number}" for number in range(60))


def model(n_pairs: int = 4) -> TopicModel:
    """Two of each topic, nearly the same."""
    sharp = RNG.dirichlet(np.full(60, 0.05), n_pairs)
    twice = np.concatenate([sharp, 0.95 * sharp + 0.05 / 60])
    shares = RNG.dirichlet(np.full(2 * n_pairs, 5.0))
    return TopicModel(twice, np.full(2 * n_pairs, 0.1), WORDS, topic_shares=shares)


def test_topics_that_are_alike_are_joined_first() -> None:
    found = joins(model().topic_word, np.full(8, 1 / 8))
    assert {(join.first, join.second) for join in found[:4]} == {(k, k + 4) for k in range(4)}
    assert groups(found, 4).tolist() == [0, 1, 2, 3] * 2
    assert max(join.loss for join in found[:4]) < min(join.loss for join in found[4:])
    assert found[-1].share == pytest.approx(1.0)


def test_every_join_loses_what_the_formula_says() -> None:
    """The losses of all joins add up to what topics say about words in all."""
    made = model()
    shares = made.topic_shares
    assert shares is not None
    mean = shares @ made.topic_word
    ratio = np.where(made.topic_word > 0, made.topic_word / mean, 1.0)
    information = float((shares[:, None] * made.topic_word * np.log(ratio)).sum())
    assert sum(join.loss for join in made.tree()) == pytest.approx(information)


def test_a_reduced_model_is_of_the_same_text() -> None:
    made = model()
    for n_topics in range(2, 9):
        fewer = made.reduce_topics(n_topics)
        assert fewer.n_topics == n_topics
        assert np.allclose(fewer.word_frequencies, made.word_frequencies)
        assert fewer.alpha.sum() == pytest.approx(made.alpha.sum())
    assert np.allclose(made.reduce_topics(8).topic_word, made.topic_word)
    named = made.set_topic_labels([f"name {k}" for k in range(8)])
    assert made.topic_shares is not None
    larger = [max(k, k + 4, key=lambda each: made.topic_shares[each]) for k in range(4)]  # type: ignore[index]
    assert named.reduce_topics(4).labels == tuple(f"name {k}" for k in larger)
    assert replace(made, topic_shares=None).reduce_topics(4).topic_shares is None
    for wrong in (1, 9):
        with pytest.raises(InputError, match="from 2 to 8"):
            made.reduce_topics(wrong)


def test_topics_without_text_are_joined_too() -> None:
    shares = np.array([1.0, 0, 0, 0, 0, 0, 0, 0])
    made = replace(model(), topic_shares=shares)
    assert made.reduce_topics(2).topic_shares is not None
    assert np.isfinite(made.reduce_topics(2).topic_word).all()


def test_words_beyond_the_most_frequent_are_taken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = model().tree()
    monkeypatch.setattr(tree, "MOST_WORDS", 40)
    lumped = model().tree()
    assert len(lumped) == len(whole)
    exact = joins(np.eye(3)[:, [0, 0, 1, 2]] / np.array([[2], [1], [1]]), np.ones(3) / 3)
    monkeypatch.setattr(tree, "MOST_WORDS", 2)
    assert joins(np.eye(3)[:, [0, 0, 1, 2]] / np.array([[2], [1], [1]]), np.ones(3) / 3)[-1].share == 1
    assert exact[-1].loss == pytest.approx(np.log(3) - 2 / 3 * np.log(2))


def test_a_tree_is_drawn_with_every_topic_once() -> None:
    found = model().tree()
    lines = drawn(found, [f"topic {k}" for k in range(8)])
    assert sorted(line.split("─ ")[-1] for line in lines) == [f"topic {k}" for k in range(8)]
    assert drawn((), ["one"]) == ["one"]


def test_the_command_shows_the_tree_and_fewer_topics(tmp_path: Path) -> None:
    model().save(tmp_path / "m")
    shown = CliRunner().invoke(app, ["topics", str(tmp_path / "m"), "--tree"])
    assert shown.exit_code == 0, shown.output
    assert "└─" in shown.output
    read = json.loads(CliRunner().invoke(app, ["topics", str(tmp_path / "m"), "--tree", "--json"]).stdout)
    assert len(read) == 7
    fewer = CliRunner().invoke(app, ["topics", str(tmp_path / "m"), "--reduce", "3", "--json"])
    assert len(json.loads(fewer.stdout)) == 3
    assert CliRunner().invoke(app, ["topics", str(tmp_path / "m"), "--reduce", "30"]).exit_code == 1
