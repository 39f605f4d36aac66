"""Train plain LDA by Gibbs sampling and read the privacy monitor of Zhao et al. (2019) after each iteration.

It is a diagnostic and no guarantee: the last line shows what one draw lost in truth.

[bold]Example[/bold]

  fedtopics monitor sotu --topics 50 --sweeps 300 --plot sotu-monitor.svg
"""

from pathlib import Path
from typing import Annotated

import typer

from fedtopics import files
from fedtopics.audit import gibbs_monitor
from fedtopics.commands import options, tables
from fedtopics.documents.reading import read
from fedtopics.report.svg import Line, line_chart, side_by_side


@options.takes(options.Preparing, "preparing")
def monitor(
    source: options.Source,
    preparing: options.Preparing,
    topics: options.TopicCount = 50,
    sweeps: Annotated[int, typer.Option(min=1, help="Iterations of collapsed Gibbs sampling.")] = 300,
    seed: options.Seed = 0,
    plot: Annotated[Path | None, typer.Option(help="SVG file to draw the readings to.")] = None,
    as_json: options.Json = False,
) -> None:
    options.require_new_file(plot, "--plot", ".svg")
    corpus = read(source, progress=None, **preparing.options())
    trained = gibbs_monitor.monitor(corpus, topics, n_sweeps=sweeps, seed=seed)
    one_draw = gibbs_monitor.worst_loss(trained, corpus)
    if plot is not None:
        files.publish(plot, monitor_plot({"": trained}), new=True)
    if as_json:
        readings = {name: trained.column(name).tolist() for name in gibbs_monitor.COLUMNS}
        options.print_json(
            {"readings": readings, "one_draw_exactly": one_draw, "note": gibbs_monitor.DIAGNOSTIC}
        )
        return
    shown = sorted({1, *range(max(1, sweeps // 5), sweeps + 1, max(1, sweeps // 5)), sweeps})
    tables.print_rows(
        [
            {"iteration": str(number)}
            | {name: f"{trained.column(name)[number - 1]:.4g}" for name in gibbs_monitor.COLUMNS}
            for number in shown
        ]
    )
    tables.print_note(f"This is {gibbs_monitor.DIAGNOSTIC}.")
    tables.print_note(
        f"One draw lost epsilon {one_draw:.3g} (word add/remove, computed exactly) where the monitor, "
        f"corrected, claims {trained.column('word corrected')[-1]:.3g} for all {sweeps} iterations."
    )


def monitor_plot(trained: dict[str, gibbs_monitor.Monitored]) -> str:
    """Word and document level side by side, a line for each corpus by its name and for each formula."""
    charts = []
    for level in ("word", "document"):
        lines = [
            Line(f"{name} {formula}".strip(), *_thinned(run.column(f"{level} {formula}").tolist()))
            for name, run in trained.items()
            for formula in ("printed", "corrected")
        ]
        charts.append(
            line_chart(
                lines,
                title=f"{level} level: a diagnostic, not a guarantee",
                x_label="iterations",
                y_label="epsilon by the monitor",
            )
        )
    return side_by_side(charts)


def _thinned(values: list[float], n_points: int = 20) -> tuple[list[float], list[float]]:
    at = sorted({round((number + 1) * len(values) / n_points) or 1 for number in range(n_points)})
    return [float(place) for place in at], [values[place - 1] for place in at]
