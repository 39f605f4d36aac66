"""How training went, round by round: measures and bytes as charts."""

from typing import Any

from fedtopics.report.rendering import markup
from fedtopics.report.svg import Line, line_chart
from fedtopics.runs.run import Run

CHART: dict[str, Any] = {"width": 380, "height": 240, "headed": False, "y_label": ""}


def knows_sizes(run: Run) -> bool:
    """Whether the record says how large messages were: what is shown of a run without a bound does not."""
    return all(entry.keys() >= {"bytes_up", "bytes_down"} for entry in run.record["rounds"])


def charts(run: Run) -> list[dict[str, Any]]:
    """How training went: measures by round, bytes by round."""
    rounds = run.record["rounds"]
    names = list(dict.fromkeys(name for entry in rounds for name in entry.get("measures", {})))
    found = [_measure_chart(run, name) for name in names]
    if knows_sizes(run) and any(entry["bytes_up"] + entry["bytes_down"] for entry in rounds):
        found.append(_bytes_chart(run))
    return found


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
    note = "All parties together, as coded for the wire. Up: from the parties to the server; down: back."
    return {"title": title, "svg": markup(drawn), "note": note}
