"""Comparisons: grouped over seeds, priced by what is proved, kept in a file that cannot be altered unseen."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import numpy as np
import pytest
from reported import small_run, small_runs

from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.report.aligned_topics import aligned_topics
from fedtopics.report.comparison_page import comparison_page
from fedtopics.runs import comparison
from fedtopics.runs.comparison import common_relation, grouped


def records() -> list[comparison.Record]:
    return [run.record for run in small_runs()]


def test_runs_are_grouped_by_method_and_epsilon_with_their_spread() -> None:
    groups = grouped(records())
    assert [(g.method, g.epsilon, len(g.records)) for g in groups] == [
        ("alone", None, 2),
        ("shared", None, 2),
        ("calm", 2.0, 2),
        ("calm", 8.0, 2),
    ]
    found = groups[2].score("perplexity")
    values = sorted(record["scores"]["perplexity"] for record in groups[2].records)
    assert (found.low, found.high) == tuple(values)
    assert found.mean == pytest.approx(sum(values) / 2)
    assert groups[2].proved("word add/remove") == 2.0
    assert groups[2].proved("word replace") == 4.0
    assert groups[2].proved("document add/remove") == groups[1].proved("word add/remove") == inf


def test_prices_are_compared_in_a_relation_that_most_runs_have() -> None:
    groups = grouped(records())
    assert common_relation(groups) == "word add/remove"
    assert common_relation(groups[:2]) is None
    only_replace = [
        record | {"privacy": [row for row in record["privacy"] if row["relation"] == "word replace"]}
        for record in records()
        if record["method"] == "calm"
    ]
    assert common_relation(grouped(only_replace)) == "word replace"
    page = comparison_page(only_replace + [r for r in records() if r["method"] == "shared"])
    assert "proved epsilon (word replace)" in page


def test_a_bound_must_hold_for_every_party() -> None:
    made = records()
    last = made[-1]
    rows = [row | {"basis": "claimed"} if row["party"] == "north" else row for row in last["privacy"]]
    assert grouped([last | {"privacy": rows}])[0].proved("word add/remove") == inf


def test_a_run_without_a_bound_is_named_and_not_drawn() -> None:
    made = records()
    made[-1] = made[-1] | {
        "method": "hopeful",
        "privacy": [row | {"basis": "claimed"} for row in made[-1]["privacy"]],
    }
    page = comparison_page(made)
    assert "hopeful at its epsilon 8" in page
    assert ">hopeful</text>" not in page
    assert "Quality against privacy" not in comparison_page(made[:4])


def test_a_comparison_is_read_back_and_refused_when_altered(tmp_path: Path) -> None:
    path = tmp_path / comparison.FILE
    path.write_text(comparison.to_json(small_runs()))
    assert comparison.load(tmp_path) == json.loads(json.dumps(records()))
    content = json.loads(path.read_text())
    content["runs"][0]["scores"]["perplexity"] = 1.0
    for text, complaint in (
        (json.dumps(content), "was altered"),
        ('{"schema": "fedtopics/comparison/2"}', "upgrade fedtopics"),
        ('{"schema": "fedtopics/run/1"}', "expected schema"),
        ("{", "not JSON"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=complaint):
            comparison.load(tmp_path)


def test_the_best_is_named_with_what_it_protects_and_none_where_promises_differ() -> None:
    made = records()
    assert made[-1]["protects"] == "word add/remove"
    assert "protects" not in made[0]
    alike = " ".join(comparison_page(made).split())
    assert "Best private for word add/remove: calm at its epsilon 8." in alike
    assert "protect different things" not in alike
    whole = [r | {"method": "whole", "protects": "document add/remove"} for r in made if r.get("protects")]
    page = " ".join(comparison_page(made + whole).split())
    assert "Best private for word add/remove: calm at its epsilon 8." in page
    assert "Best private for document add/remove: whole at its epsilon 8." in page
    assert "These protect different things" in page


def test_runs_are_kept_with_their_models_and_read_back(tmp_path: Path) -> None:
    comparison.save(small_runs(), tmp_path, title="Two ways")
    names = sorted(path.name for path in (tmp_path / comparison.RUNS).iterdir())
    assert len(names) == len(small_runs())
    assert "calm-epsilon-8-seed-1" in names
    assert "shared-seed-0" in names
    models = comparison.models(tmp_path, comparison.load(tmp_path))
    assert list(models) == [
        "alone",
        "shared",
        "calm, epsilon 2 (word add/remove)",
        "calm, epsilon 8 (word add/remove)",
    ]
    kept = models["calm, epsilon 8 (word add/remove)"]
    assert (kept.topic_word == small_run().model.topic_word).all()
    assert comparison.title_of(tmp_path) == "Two ways"
    assert comparison.models(tmp_path / "elsewhere", records()) == {}


def test_lost_and_changed_topics_are_those_that_the_other_run_lacks_or_has_otherwise() -> None:
    words = list("abcdefghij")
    counts = np.kron(np.eye(5), [9.0, 6.0])
    other = np.concatenate([counts[[1, 0, 2, 3]], np.full((1, 10), 3.0)])
    other[2] = 0.6 * counts[2] + 0.8 * counts[4]  # topic 2 is another one now, topic 4 is gone
    found = aligned_topics(
        {
            "one": TopicModel.from_counts(counts, words),
            "other": TopicModel.from_counts(other, words),
            "elsewhere": TopicModel.from_counts(counts, [word.upper() for word in words]),
        }
    )
    assert found is not None
    assert [model["name"] for model in found["models"]] == ["one", "other"]
    assert found["left_out"] == 1
    matches = found["matches"][0][1]
    assert [None if match is None else match[0] for match in matches] == [1, 0, None, 3, 2]
    assert matches[0][1] > found["same"] > matches[4][1] >= 0.5
    assert [match and match[0] for match in found["matches"][1][0]] == [1, 0, 4, 3, None]
    assert aligned_topics({"one": TopicModel.from_counts(counts, words)}) is None
