"""The chart of what hush keeps, from stored results."""

from benchmarks.cases.hush_tables import TITLES, limit_points
from fedtopics.report.svg import Line, line_chart, side_by_side

N_TOPICS = (10, 30)


def limits() -> str:
    """Share of the gain over the unigram that is kept, by documents for one deviation of noise."""
    points = limit_points()
    charts = []
    for n_topics in N_TOPICS:
        lines = [Line("no topics", [100.0, 20_000.0], [0.0, 0.0], dashed=True)]
        for name in sorted({point["name"] for point in points}):
            own = [point for point in points if (point["name"], point["n_topics"]) == (name, n_topics)]
            if own:
                x, kept = zip(*sorted((point["x"], point["kept"]) for point in own), strict=True)
                lines.append(Line(TITLES[name], x, kept))
        labels = {"x_label": "documents / sigma", "y_label": "share kept of what shared gains"}
        charts.append(line_chart(lines, title=f"{n_topics} topics", log_x=True, **labels))
    return side_by_side(charts)
