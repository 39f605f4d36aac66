"""How good the topics are, beside other methods, and what the noise costs."""

from typing import Any

from fedtopics.evaluation.usefulness import no_topics
from fedtopics.report.first_sentence import measured_ratio
from fedtopics.runs.run import Run, label


def rows(run: Run) -> list[dict[str, Any]]:
    """Rows of scores: no topics, this run, and the others trained on the same documents."""
    record = run.record
    found: list[dict[str, Any]] = [
        {"name": f"no topics, {no_topics(run.scores)} only", "perplexity": run.scores["perplexity_unigram"]}
    ]
    found += [
        _scored(label(other), other["scores"], other["privacy"]) for other in record.get("compared", [])
    ]
    found += [
        _scored(f"{record['method']}: model of {party['name']}", party["scores"], "")
        for party in record["parties"]
        if "scores" in party
    ]
    found.append(_scored(label(record), run.scores, run.privacy_line) | {"this": True})
    found = [row for row in found if row["perplexity"] is not None]
    found.sort(key=lambda row: -row["perplexity"])
    worst = max((row["perplexity"] for row in found), default=1.0)
    return [row | {"weight": row["perplexity"] / worst} for row in found]


def _scored(method: str, scores: dict[str, float], privacy: str) -> dict[str, Any]:
    known = {
        "alone": "the best party by itself",
        "pooled": "all documents in one place",
        "shared": "exact counts are sent",
    }
    name = f"{method}: {known[method]}" if method in known else method
    return {"name": name, "privacy": privacy, **scores}


def cost(run: Run) -> dict[str, float | None]:
    """Perplexity relative to training without noise: as predicted, and as measured."""
    forecast = run.record.get("forecast") or {}
    return {
        "predicted": forecast.get("perplexity_ratio"),
        "distinct_words": forecast.get("distinct_words"),
        "measured": measured_ratio(run),
    }
