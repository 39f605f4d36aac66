"""A run as one HTML page: topics, map, training, quality, privacy, parties, provenance."""

from typing import Any

import numpy as np

from fedtopics import methods
from fedtopics.audit.telling import sentences
from fedtopics.errors import InputError
from fedtopics.privacy.explain import SAYS_NOTHING, words_add_up
from fedtopics.privacy.grades import scale
from fedtopics.protocol.method import About
from fedtopics.report import privacy_shown, topics_shown
from fedtopics.report.rendering import data_block, markup, render
from fedtopics.report.svg import Line, line_chart
from fedtopics.report.topic_map import topic_map
from fedtopics.runs.run import Run, label

REFERENCE = "shared"  # what training without noise reaches
CHART: dict[str, Any] = {"width": 380, "height": 240, "headed": False, "y_label": ""}


def run_page(run: Run, *, public: bool = False) -> str:
    """The page of a `run`, complete in itself; a `public` one shows what anybody may know, or is refused."""
    run = run.public if public else run
    alike = topics_shown.similarity(run.model)
    cards = topics_shown.cards(run.model, alike)
    about = _about(run.record["method"], run.record.get("variant"))
    spent = privacy_shown.spendings(run)
    index = topics_shown.word_index(run.model)
    return render(
        "run.html",
        run=run,
        record=run.record,
        about=about,
        cards=cards,
        map=markup(topic_map(run.model, cards, alike)),
        n_indexed=str(index["words"]).count("\n") + 1,
        data=data_block(index | {"names": {card.number: card.name for card in cards}}),
        charts=_charts(run),
        quality=_quality(run),
        cost=_cost(run),
        spendings=spent,
        headline=privacy_shown.headline(run, spent),
        counts_shown=privacy_shown.counts_shown(run),
        questions=privacy_shown.questions(run, spent, about.guarantee),
        says_nothing=SAYS_NOTHING,
        words_add_up=words_add_up(spent[0].guarantees) if spent else None,
        party_topics=_party_topics(run),
        scale=scale(run.record["n_words"]),
        public=public,
        sizes_known=_knows_sizes(run),
        audited=sentences(run.record["audit"]) if "audit" in run.record else None,
        bytes_up=sum(entry.get("bytes_up", 0) for entry in run.record["rounds"]),
        bytes_down=sum(entry.get("bytes_down", 0) for entry in run.record["rounds"]),
    )


def _knows_sizes(run: Run) -> bool:
    """Whether the record says how large messages were: what is shown of a run without a bound does not."""
    return all(entry.keys() >= {"bytes_up", "bytes_down"} for entry in run.record["rounds"])


def _about(method: str, variant: str | None) -> About:
    """What the method says of itself; a run of a method that is not installed here still has a page."""
    try:
        return methods.find(method, variant).about
    except InputError:
        return About(method, "not known here: the method is not installed", "")


def _charts(run: Run) -> list[dict[str, Any]]:
    """How training went: measures by round, bytes by round."""
    rounds = run.record["rounds"]
    names = list(dict.fromkeys(name for entry in rounds for name in entry.get("measures", {})))
    charts = [_measure_chart(run, name) for name in names]
    if _knows_sizes(run) and any(entry["bytes_up"] + entry["bytes_down"] for entry in rounds):
        charts.append(_bytes_chart(run))
    return charts


def _measure_chart(run: Run, name: str) -> dict[str, Any]:
    points = [
        (entry["round"] + 1, entry["measures"][name])
        for entry in run.record["rounds"]
        if name in entry.get("measures", {})
    ]
    held_out = name == "perplexity"
    if held_out and run.scores["perplexity"] is not None:
        points = [*points, (run.record["rounds"][-1]["round"] + 1, run.scores["perplexity"])]
    x, y = zip(*dict(points).items(), strict=True)
    title = "Held-out perplexity by round" if held_out else f"{name.capitalize()} by round"
    drawn = line_chart([Line(name, x, y)], title=title, x_label="round", log_x=True, **CHART)
    note = (
        "Lower is better. Measured on documents that no party trained on."
        if held_out
        else "Higher is better. Computed from what the parties had released already: it costs no privacy."
    )
    return {"title": title, "svg": markup(drawn), "note": note}


def _bytes_chart(run: Run) -> dict[str, Any]:
    rounds = run.record["rounds"]
    places = [entry["round"] + 1 for entry in rounds]
    lines = [
        Line(name, places, [entry[key] / 1e6 for entry in rounds], dashed=key == "bytes_down")
        for name, key in (("up", "bytes_up"), ("down", "bytes_down"))
    ]
    title = "Megabytes by round"
    drawn = line_chart(lines, title=title, x_label="round", **CHART)
    note = "All parties together, before any compression. Up: from the parties to the server; down: back."
    return {"title": title, "svg": markup(drawn), "note": note}


def _quality(run: Run) -> list[dict[str, Any]]:
    """Rows of scores: no topics, this run, and the others trained on the same documents."""
    record = run.record
    rows: list[dict[str, Any]] = [
        {"name": "no topics, word frequencies only", "perplexity": run.scores["perplexity_unigram"]}
    ]
    rows += [_scored(label(other), other["scores"], other["privacy"]) for other in record.get("compared", [])]
    rows += [
        _scored(f"{record['method']}: model of {party['name']}", party["scores"], "")
        for party in record["parties"]
        if "scores" in party
    ]
    rows.append(_scored(label(record), run.scores, run.privacy_line) | {"this": True})
    rows = [row for row in rows if row["perplexity"] is not None]
    rows.sort(key=lambda row: -row["perplexity"])
    worst = max((row["perplexity"] for row in rows), default=1.0)
    return [row | {"weight": row["perplexity"] / worst} for row in rows]


def _scored(method: str, scores: dict[str, float], privacy: str) -> dict[str, Any]:
    known = {
        "alone": "the best party by itself",
        "pooled": "all documents in one place",
        "shared": "exact counts are sent",
    }
    name = f"{method}: {known[method]}" if method in known else method
    return {"name": name, "privacy": privacy, **scores}


def _cost(run: Run) -> dict[str, float | None]:
    """Perplexity relative to training without noise: as predicted, and as measured."""
    forecast = run.record.get("forecast") or {}
    others = {other["method"]: other["scores"]["perplexity"] for other in run.record.get("compared", [])}
    reached = run.scores["perplexity"]
    measured = reached / others[REFERENCE] if REFERENCE in others and reached is not None else None
    return {
        "predicted": forecast.get("perplexity_ratio"),
        "distinct_words": forecast.get("distinct_words"),
        "measured": None if run.record["method"] == REFERENCE else measured,
    }


def _party_topics(run: Run) -> dict[str, list[float]]:
    """Each party's share of every topic, in percent of what it sent."""
    amounts = {name: np.array(row) for name, row in run.record.get("party_topics", {}).items()}
    return {
        name: (row / max(float(row.sum()), 1e-12)).tolist()
        for name, row in sorted(amounts.items())
        if len(row) == run.model.n_topics
    }
