"""The choice of the number of topics as a picture."""

from fedtopics.evaluation.selection import Selection
from fedtopics.report.svg import Line, line_chart, side_by_side

PANELS = (
    ("perplexity", "Held-out perplexity (lower is better)"),
    ("coherence_npmi", "NPMI coherence (higher is better)"),
    ("diversity", "Topic diversity (higher is better)"),
)


def selection_plot(selection: Selection) -> str:
    """An SVG of a `selection` with one panel for each score over the number of topics."""
    topics = [candidate.n_topics for candidate in selection.candidates]
    charts = []
    for name, title in PANELS:
        values = [candidate.scores[name] for candidate in selection.candidates]
        line = Line(name, topics, values)
        charts.append(line_chart([line], title=title, x_label="topics", y_label=name.replace("_", " ")))
    return side_by_side(charts)
