"""A record is completed in one place, whichever engine has trained."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from fedtopics import TopicModel
from fedtopics.runs import record

SOURCE = Path(record.__file__).parents[1]
WORDS = ["tax", "law", "rain", "sun"]
BEFORE = TopicModel.from_counts([[9, 9, 0, 0], [0, 0, 9, 9]], WORDS)
NOISY = {"perplexity": 3.0, "perplexity_low": 2.0, "perplexity_high": 5.0, "perplexity_unigram": 4.0}


def test_scores_come_with_what_they_warn_of_and_what_noise_hides() -> None:
    told: dict[str, Any] = {"notes": ["first"]}
    good = record.with_scores(told, BEFORE, {"perplexity": 2.0, "perplexity_unigram": 4.0})
    assert (good["n_topics"], good["warnings"], good["notes"]) == (2, [], ["first"])
    assert (
        "no better than" in record.with_scores(told, BEFORE, {**NOISY, "perplexity_low": 4.5})["warnings"][0]
    )
    hidden = record.with_scores(told, BEFORE, NOISY)
    assert hidden["notes"][0] == "first"
    assert "hides whether" in hidden["notes"][1]
    assert told == {"notes": ["first"]}


def test_an_update_says_what_became_of_topics_and_these_keep_their_names() -> None:
    named = BEFORE.set_topic_labels(["money", "weather"])
    told, model = record.with_update({"notes": ["first"]}, BEFORE, named, ["second"], of_model="abc")
    assert model.labels == ("money", "weather")
    assert told["update"]["of_model"] == "abc"
    assert told["update"].keys() > {"of_model"}
    assert told["notes"][:2] == ["first", "second"]


def test_no_other_file_makes_these_parts_of_a_record() -> None:
    own = {"warnings", "changes", "still_called"}
    makers = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module in ("fedtopics.evaluation.usefulness", "fedtopics.model.merging")
        and own & {alias.name for alias in node.names}
    }
    keeping_none = {"commands/evaluate.py", "evaluation/selection.py"}
    assert makers == {"runs/record.py", *keeping_none}
